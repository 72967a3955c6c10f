# For ~/.bashrc or ~/.zshrc:   yoyaku 毎週日曜午前3時にmarsのパッケージを更新して
#
# With YOYAKU_HOST it speaks to a gate over ssh (docs/gate.md), else to the schedctl at hand. `yoyaku --json …` answers a program.
# All that follows is the sentence, also where it looks like an option.
yoyaku() {
    local json=
    if [ "${1-}" = --json ]; then
        json=--json
        shift
    fi
    if [ $# -eq 0 ]; then
        echo '使い方: yoyaku 毎週日曜午前3時にmarsのパッケージを更新して' >&2
        return 2
    fi
    if [ -n "${YOYAKU_HOST-}" ]; then
        ssh -T "$YOYAKU_HOST" register ${json:+"$json"} -- "$*"
    else
        schedctl register ${json:+"$json"} -- "$*"
    fi
}
# zsh would take * and ? in a sentence for names of files.
if [ -n "${ZSH_VERSION-}" ]; then
    alias yoyaku='noglob yoyaku'
fi

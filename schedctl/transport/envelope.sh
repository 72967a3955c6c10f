# The envelope: begins a command on a node at most once, ends it in time, and remembers how it ended.
#
# schedctl sends this text and envelope_asked.sh to `sh -s` on the node, with one call behind them. It needs a POSIX sh, setsid and /proc; for root
# on a node with systemd the command gets a unit of its own. All about a start lies in ~/.schedctl/runs/NAME:
#   run     what is started: this text and the call of `runner` with the command's words
#   begun   a link to "PID SINCE BOOT", made by the runner before the command; a link to "never" says that it must not begin
#   status  a link to "HOW CODE LEFT", made at the end
#   stdin, stdout, stderr
#   fetched.STREAM, gap.STREAM.FROM  links to how much who has got, and to where a part ends that was given up
#   reader.WHO  a link to the latest connection of each that fetches
#   done        a link, made when a worker has it all
# Links, because making one is atomic, fails where one is, and needs no free block on a full disk.
umask 077
runs=$HOME/.schedctl/runs
keep_days=7
piece_bytes=4194304
# While a worker reads along, this much of the beginning stays, and this much of what was sent last.
first_bytes=33554432
punch_bytes=67108864

say() { printf '%s\n' "$*"; }

boot() { cat /proc/sys/kernel/random/boot_id; }

# fields PID: state, group, session and start of a process, from proc(5); fails when there is none.
fields() {
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
    # shellcheck disable=SC2086 # split on purpose: these are numbers
    set -- ${line##*) }
    state=$1 group=$3 session=$4
    shift 10
    since=${10}
}

# ---------------------------------------------------------------- all that descends from the command

# members: the pids of what lives of the command: its group and session, what bears its mark, what is in its unit, the
# children of these, and what was any of this when it was sent a signal. The runner's own group (`runner_group`) is not.
members() {
    tied | while read -r pid; do
        living "$pid"
        kin "$pid"
    done | sort -u
    for one in $met; do
        if fields "${one%:*}" && [ "$since" = "${one#*:}" ]; then living "${one%:*}"; fi
    done
}

tied() {
    for entry in /proc/[0-9]*; do
        fields "${entry#/proc/}" || continue
        if [ "$group" = "$child" ] || [ "$session" = "$child" ]; then say "${entry#/proc/}"; fi
    done
    grep -lszFx -- "SCHEDCTL_START=$name" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do say "$pid"; done
    for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
        cat "$root/system.slice/schedctl-$name.service/cgroup.procs" 2>/dev/null
    done
}

# kin PID: its descendants, where the kernel lists children.
kin() {
    for kid in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
        living "$kid"
        kin "$kid"
    done
}

living() {
    fields "$1" || return 0
    case $state in Z | X) return 0 ;; esac
    [ "$group" = "$runner_group" ] || say "$1"
}

# signal_all SIGNAL: whoever is sent one is kept in mind (`met`): when its parent is gone, so is that tie.
signal_all() {
    pids=$(members)
    for pid in $pids; do fields "$pid" && met="$met $pid:$since"; done
    [ -z "$child" ] || kill -s "$1" -- "-$child"
    for pid in $pids; do kill -s "$1" "$pid"; done
} 2>/dev/null

# wait_for SECONDS: until nothing is left; fails when something is.
wait_for() {
    turns=$(($1 * 5))
    while [ -n "$(members)" ]; do
        [ "$turns" -gt 0 ] || return 1
        turns=$((turns - 1))
        sleep 0.2
    done
}

# end_all: TERM, and after the grace KILL; `left` is the number of those that would not end.
end_all() {
    signal_all TERM
    wait_for "$grace" || { signal_all KILL; wait_for 3 || signal_all KILL; }
    left=$(members | sort -u | wc -l)
    left=$((left))
}

remember() {
    turns=720
    until ln -s "$1 $2 $3" status 2>/dev/null || [ -h status ] || [ "$turns" = 0 ]; do
        turns=$((turns - 1))
        sleep 5
    done
}

# ---------------------------------------------------------------- the runner: stays on the node beside the command

# as_root WORDS: the words before a command that needs root: none when we are root.
as_root() { [ "$(id -u)" = 0 ] || say "$*"; }

# startable PROGRAM PATH: "", or why it cannot be started.
startable() {
    case $1 in
        */*)
            [ -e "$1" ] || { say not_found; return; }
            if [ -f "$1" ] && [ -x "$1" ]; then return; fi
            say not_executable
            return ;;
    esac
    (
        IFS=:
        for folder in $2; do
            if [ -f "$folder/$1" ] && [ -x "$folder/$1" ]; then exit; fi
        done
        say not_found
    )
}

# runner WORDS: with name, timeout, grace, drain, program and path set. Begins the command, unless it has begun or must not.
runner() {
    cd "$runs/$name" && fields $$ || exit
    ln -s "$$ $since $(boot)" begun 2>/dev/null || exit 0
    runner_group=$group ending='' left=0 met=''
    trap 'ending=${ending:-cancelled}' TERM
    trap 'ending=${ending:-timed_out}' ALRM
    # shellcheck disable=SC2154 # set by the call
    why=$([ -z "$program" ] || startable "$program" "$path")
    if [ -n "$why" ]; then
        remember "$why" 0 0
        exit 0
    fi
    [ -e stdin ] || ln -s /dev/null stdin
    user=$(id -un)
    ( umask 022; here=$PWD; cd / || exit 126
      exec env -i "HOME=$HOME" "USER=$user" "LOGNAME=$user" "$@" <"$here/stdin" >"$here/stdout" 2>"$here/stderr" ) &
    child=$!
    # It rings again, for a signal may come just before `wait`.
    # shellcheck disable=SC2154 # set by the call
    ( sleep "$timeout" & nap=$!; trap 'kill "$nap"; exit' TERM
      wait "$nap" && while kill -s ALRM $$; do sleep 5; done ) 2>/dev/null &
    timer=$!
    keep_small &
    wait "$child"; code=$?
    if [ -n "$ending" ] && fields "$child"; then
        end_all
        wait "$child"; code=$?
    else
        ending=exited
        let_go_of_output
    fi
    remember "$ending" "$code" "$left"
    kill "$timer" 2>/dev/null
}

# keep_small: beside the command and a moment longer, so that what it prints while nobody fetches it does not fill the disk.
keep_small() {
    rounds=3 over=''
    while [ "$rounds" -gt 0 ]; do
        sleep 1
        if [ -h status ] || ! { kill -0 $$ || kill -0 "$child"; }; then rounds=$((rounds - 1)); fi
        keep_small_once
    done
} 2>/dev/null

# keep_small_once: of what nobody has fetched of a stream, `hold` bytes stay: the half of them its end. They are as many as
# a quarter of what the disk has left where that is less, or where somebody fetches; but never fewer than `least`.
keep_small_once() {
    # shellcheck disable=SC2154 # set by the call
    if [ -z "$(find stdout stderr -size "+${least}c")" ]; then over=''; return; fi
    held=$(($(free_kib) * 256))
    [ "$held" -le "$hold" ] || somebody_fetches || held=$hold
    [ "$held" -ge "$least" ] || held=$least
    was_over=$over over=''
    for stream in stdout stderr; do
        size=$(wc -c <"$stream") || continue
        fetched=$(readlink "fetched.$stream") || fetched=0
        fetched=${fetched%% *}
        [ $((size - fetched)) -gt "$held" ] || continue
        over=yes
        # Not at once: who fetches looks once a second, and says so with the first piece.
        [ -z "$was_over" ] || give_up "$stream" $((fetched + held / 2)) $((size - held / 2))
    done
}

free_kib() { df -Pk . | { read -r _; read -r _ _ _ free _; say "$free"; }; }

# somebody_fetches: whether a connection is there that got something in the last minute; one that was cut may hang for hours.
somebody_fetches() {
    for mark in $(find fetched.* -mmin -1); do
        mark=$(readlink "$mark")
        ! kill -0 "${mark#* }" || return 0
    done
    return 1
}

# give_up STREAM FROM TO: the blocks of this part go back to the disk. That it is a gap is written down before.
give_up() {
    ln -s "$3" "new.$1" && mv -f "new.$1" "gap.$1.$2" || return
    fallocate -p -o "$2" -l $(($3 - $2)) "$1" || rm -f "gap.$1.$2"
} 2>/dev/null

# let_go_of_output: a child in the background may write for `drain` seconds more; then the command's group is killed.
let_go_of_output() {
    # shellcheck disable=SC2154 # set by the call
    turns=$((drain * 5))
    while output_is_held; do
        if [ "$turns" -le 0 ]; then
            kill -s KILL -- "-$child" 2>/dev/null
            return
        fi
        turns=$((turns - 1))
        sleep 0.2
    done
}

output_is_held() {
    for pid in $(members); do
        for number in 1 2; do
            case $(readlink "/proc/$pid/fd/$number") in
                "$PWD/stdout" | "$PWD/stderr") return 0 ;;
            esac
        done
    done
    return 1
}

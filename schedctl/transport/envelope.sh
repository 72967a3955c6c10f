# The envelope: begins a command on a node at most once, ends it in time, and remembers how it ended.
#
# schedctl sends this text to `sh -s` on the node, with one call behind it. It needs a POSIX sh, setsid and /proc; for root
# on a node with systemd the command gets a unit of its own. All about a start lies in ~/.schedctl/runs/NAME:
#   run     what is started: this text and the call of `runner` with the command's words
#   begun   a link to "PID SINCE BOOT", made by the runner before the command; a link to "never" says that it must not begin
#   status  a link to "HOW CODE LEFT", made at the end
#   stdin, stdout, stderr
# Links, because making one is atomic, fails where one is, and needs no free block on a full disk.
umask 077
runs=$HOME/.schedctl/runs
keep_days=7
piece_bytes=4194304
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

# members: the pids of what lives of the command: its group and session, what bears its mark, what is in its unit.
# The runner's own group (`runner_group`) is not of it.
members() {
    for entry in /proc/[0-9]*; do
        fields "${entry#/proc/}" || continue
        if [ "$group" = "$child" ] || [ "$session" = "$child" ]; then living "${entry#/proc/}"; fi
    done
    grep -lszFx -- "SCHEDCTL_START=$name" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do living "$pid"; done
    for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
        cat "$root/system.slice/schedctl-$name.service/cgroup.procs" 2>/dev/null
    done | while read -r pid; do living "$pid"; done
}

living() {
    fields "$1" || return 0
    case $state in Z | X) return 0 ;; esac
    [ "$group" = "$runner_group" ] || say "$1"
}

signal_all() {
    [ -z "$child" ] || kill -s "$1" -- "-$child"
    for pid in $(members); do kill -s "$1" "$pid"; done
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
    runner_group=$group ending='' left=0
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

# ---------------------------------------------------------------- what is asked over ssh

# launch: start the runner where the end of this connection does not reach it.
launch() {
    if [ -d /run/systemd/system ] && [ "$(id -u)" = 0 ] && timeout 10 systemd-run -q --no-block --collect \
        "--unit=schedctl-$name" "--setenv=HOME=$HOME" -p KillMode=process -p "WorkingDirectory=$PWD" \
        -- /bin/sh ./run </dev/null >/dev/null 2>&1; then
        return
    fi
    setsid /bin/sh ./run </dev/null >/dev/null 2>&1 &
}

# start RUN STDIN
start() {
    if ! why=$(mkdir -p "$runs" 2>&1); then
        say "unusable $why"
        return
    fi
    clean
    if ! why=$(mkdir "$runs/$name" 2>&1); then
        if [ -d "$runs/$name" ]; then say taken; else say "unusable $why"; fi
        return
    fi
    cd "$runs/$name" || return
    if ! why=$( { printf '%s' "$1" >run && { [ -z "$2" ] || printf '%s' "$2" >stdin; }; } 2>&1) ||
        [ "$(tail -n 1 run)" != main ]; then
        ln -s never begun 2>/dev/null
        say "unusable $(df -P . | tail -n 1) $why"
        return
    fi
    launch
    follow 0 0 20
}

# clean: once a day, forget starts that are a week old.
clean() {
    [ -z "$(find "$runs/.cleaned" -mtime -1 2>/dev/null)" ] || return
    : >"$runs/.cleaned"
    find "$runs" -mindepth 1 -maxdepth 1 -type d -mtime "+$keep_days" -exec rm -rf {} +
} 2>/dev/null

# follow OUT ERR PATIENCE: show what was written after these many bytes of each stream, until the end. What has not begun
# after PATIENCE looks never will.
follow() {
    out=$1 err=$2 patience=$3 nap=0.02
    look_in || return
    while kill -0 "$PPID" 2>/dev/null; do
        ending=$(ended)
        piece o stdout "$out" && out=$next && nap=0.02 && continue
        piece e stderr "$err" && err=$next && nap=0.02 && continue
        if [ -n "$ending" ]; then
            say "end $ending"
            return
        fi
        patience=$((patience - 1))
        sleep "$nap"
        case $nap in 0.02) nap=0.05 ;; 0.05) nap=0.1 ;; 0.1) nap=0.2 ;; 0.2) nap=0.5 ;; *) nap=1 ;; esac
    done
}

# look: the same when it has ended; else only that it runs.
look() {
    patience=0
    look_in || return
    if [ -n "$(ended)" ]; then follow 0 0 0; else say running; fi
}

# look_in: go to the folder of the start, made here when no start has come through.
look_in() {
    mkdir -p "$runs/$name" && cd "$runs/$name" && return
    say "unusable $(df -P "$HOME" | tail -n 1)"
    return 1
}

# ended: how it ended, or nothing while it may go on.
ended() {
    [ -h begun ] || [ "$patience" -gt 0 ] || ln -s never begun 2>/dev/null
    [ -h begun ] || return
    read_begun
    if [ "$pid" = never ]; then say "never 0 0"; return; fi
    gone=''
    # Twice, for whoever ends the command writes the status a moment later; and the status is read after that.
    if [ ! -h status ] && is_gone && sleep 2 && is_gone; then gone=yes; fi
    if [ -h status ]; then readlink status; elif [ -n "$gone" ]; then say "vanished 0 0"; fi
}

is_gone() { ! runner_lives && [ -z "$(child='' runner_group='' members)" ]; }

read_begun() {
    # shellcheck disable=SC2046 # split on purpose
    set -- $(readlink begun)
    pid=$1 begun_since=$2 begun_boot=$3
}

runner_lives() { [ "$begun_boot" = "$(boot)" ] && fields "$pid" && [ "$since" = "$begun_since" ] && [ "$state" != Z ]; }

# piece TAG FILE FROM: the next bytes of a stream after a line that says how many; fails when there are none.
piece() {
    size=$(wc -c 2>/dev/null <"$2") || return 1
    length=$((size - $3))
    [ "$length" -gt 0 ] || return 1
    [ "$length" -le "$piece_bytes" ] || length=$piece_bytes
    say "$1 $3 $length"
    tail -c "+$(($3 + 1))" "$2" | head -c "$length"
    next=$(($3 + length))
    # What was delivered long ago gives its blocks back to the disk.
    [ $(($3 / punch_bytes)) = $((next / punch_bytes)) ] || [ "$next" -lt $((2 * punch_bytes)) ] ||
        fallocate -p -l $((next - punch_bytes)) "$2" 2>/dev/null
    return 0
} 2>/dev/null

# stop GRACE: end it; what has not begun never will. Returns before the end.
stop() {
    grace=$1 patience=0
    look_in || return
    ending=$(ended)
    if [ -n "$ending" ]; then say "end $ending"; return; fi
    read_begun
    say stopping
    if runner_lives; then kill -s TERM "$pid"; return; fi
    child='' runner_group=''
    end_all
    remember cancelled 137 "$left"
}

# forget: the worker has it all. What stays for a week is the folder itself, so that the name cannot be used again.
forget() {
    read -r word || return
    [ "$word" = "$nonce" ] && rm -f run stdin stdout stderr
}

# envelope VERB NAME NONCE …: a line with the nonce first, because a login shell may have said something before.
envelope() {
    verb=$1 name=$2 nonce=$3
    shift 3
    say "$nonce"
    "$verb" "$@"
    forget
}

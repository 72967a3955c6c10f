# The second part of envelope.sh: what the worker asks over ssh, once to begin a start, and again and again to follow it.

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
        say "unusable $(space .): ${why##*: }"
        return
    fi
    launch
    follow 0 0 20
}

# clean: once a day, forget starts that are a week old and do not run.
clean() {
    [ -z "$(find "$runs/.cleaned" -mtime -1 2>/dev/null)" ] || return
    : >"$runs/.cleaned"
    find "$runs" -mindepth 1 -maxdepth 1 -type d -mtime "+$keep_days" | while read -r old; do
        (cd "$old" && [ ! -h status ] && read_begun && [ "$pid" != never ] && runner_lives) || rm -rf "$old"
    done
} 2>/dev/null

# follow OUT ERR PATIENCE: show what was written after these many bytes of each stream, until the end. What has not begun
# after PATIENCE looks never will.
follow() {
    out=$1 err=$2 patience=$3 nap=0.02
    look_in || return
    ln -s "$$" "new.$$" 2>/dev/null && mv -f "new.$$" "reader.${nonce%-*}"
    fetching stdout "$out"
    fetching stderr "$err"
    while kill -0 "$PPID" 2>/dev/null; do
        ending=$(ended)
        piece o stdout "$out" && out=$next && nap=0.02 && continue
        piece e stderr "$err" && err=$next && nap=0.02 && continue
        if [ -n "$ending" ]; then
            [ "$(free_kib)" != 0 ] || say full
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

# space FOLDER: how full its file system is, as "MOUNT 93% used, 512 KiB free".
space() { df -Pk "$1" | { read -r _; read -r _ _ _ free used on; say "$on $used used, $free KiB free"; }; }

# look_in: go to the folder of the start, made here when no start has come through.
look_in() {
    mkdir -p "$runs/$name" && cd "$runs/$name" && return
    say "unusable $(space "$HOME")"
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

is_gone() { ! runner_lives && [ -z "$(child='' runner_group='' met='' members)" ]; }

read_begun() {
    # shellcheck disable=SC2046 # split on purpose
    set -- $(readlink begun)
    pid=$1 begun_since=$2 begun_boot=$3
}

runner_lives() { [ "$begun_boot" = "$(boot)" ] && fields "$pid" && [ "$since" = "$begun_since" ] && [ "$state" != Z ]; }

# piece TAG FILE FROM: the next bytes of a stream after a line that says how many, or that a gap is skipped; fails when
# there are none.
piece() {
    size=$(wc -c 2>/dev/null <"$2") || return 1
    length=$((size - $3))
    [ "$length" -gt 0 ] || return 1
    [ "$length" -le "$piece_bytes" ] || length=$piece_bytes
    for gap in "gap.$2."*; do
        [ -h "$gap" ] || break
        gap_from=${gap##*.} gap_to=$(readlink "$gap")
        if [ "$gap_from" -gt "$3" ]; then
            [ "$length" -le $((gap_from - $3)) ] || length=$((gap_from - $3))
        elif [ "$gap_to" -gt "$3" ]; then
            say "skip $1 $3 $gap_to"
            next=$gap_to
            return 0
        fi
    done
    say "$1 $3 $length"
    tail -c "+$(($3 + 1))" "$2" | head -c "$length"
    next=$(($3 + length))
    [ $(($3 / piece_bytes)) = $((next / piece_bytes)) ] || fetching "$2" "$next"
    [ $(($3 / punch_bytes)) = $((next / punch_bytes)) ] || [ "$next" -lt $((2 * punch_bytes)) ] ||
        give_up "$2" "$first_bytes" $((next - punch_bytes))
    return 0
} 2>/dev/null

# fetching FILE BYTES: let the runner know that somebody fetches, and how far he has come.
fetching() { ln -s "$2 $$" "got.$1" && mv -f "got.$1" "fetched.$1"; } 2>/dev/null

# stop GRACE: end it; what has not begun never will. Returns before the end.
stop() {
    grace=$1 patience=0
    look_in || return
    ending=$(ended)
    if [ -n "$ending" ]; then say "end $ending"; return; fi
    read_begun
    say stopping
    if runner_lives; then kill -s TERM "$pid"; return; fi
    child='' runner_group='' met=''
    end_all
    remember cancelled 137 "$left"
}

# forget: a worker has it all, and nobody else is at it: whoever ends last removes it, also when it was cut off itself. What
# stays for a week is the folder, so that the name cannot be used again.
forget() {
    if read -r word && [ "$word" = "$nonce" ]; then ln -s "$nonce" done; fi
    [ "$(readlink "reader.${nonce%-*}")" != $$ ] || rm -f "reader.${nonce%-*}"
    [ -h done ] || return
    for reader in reader.*; do
        if [ -h "$reader" ] && kill -0 "$(readlink "$reader")"; then return; fi
    done
    rm -f run stdin stdout stderr fetched.* gap.* reader.* done
} 2>/dev/null

# envelope VERB NAME NONCE …: a line with the nonce first, because a login shell may have said something before.
envelope() {
    verb=$1 name=$2 nonce=$3
    shift 3
    say "$nonce"
    "$verb" "$@"
    forget
}

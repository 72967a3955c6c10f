# What a node is like, for `schedctl doctor`: reads, and changes nothing. Each line of the answer begins with the nonce.
exec 2>/dev/null </dev/null
LC_ALL=C
export LC_ALL
say() { printf '%s %s\n' "$nonce" "$*"; }

say clock "$(date +%s)"
say user "$(id -u)" "$(id -un)"
for program in setsid sudo systemd-run; do
    command -v "$program" >/dev/null && say has "$program"
done
[ -d /run/systemd/system ] && say systemd "$(systemctl --version | sed -n 's/^systemd \([0-9]*\).*/\1/p')"
[ -d "$HOME" ] && [ -w "$HOME" ] && say home
if [ "$(id -u)" -ne 0 ]; then
    sudo -n -l | while IFS= read -r line; do say sudo "$line"; done
fi
say end

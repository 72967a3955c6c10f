"""The catalog of the box: commands that tell how they run, a node over ssh, and a file for notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from systemd_box import Box

FOLDER: Final = "/etc/schedctl/catalog"
TOLD: Final = "/var/lib/schedctl/told"
FILES: Final = {
    "nodes.toml": """
[nodes.local]
transport = "local"
label = { ja = "このマシン", en = "this machine" }
[nodes.far]
transport = "ssh"
label = { ja = "遠く", en = "far away" }
address = "far.box.test"
user = "root"
port = 2222
""",
    "calendar.toml": 'country = "JP"\n',
    "policy.toml": """
report = { at = "off" }
[channels.file]
type = "command"
action = "probe.told"
[[routes]]
channels = ["file"]
events = ["succeeded", "recovered", "failed", "tick_silent"]
""",
    "actions/probe.toml": f"""
["probe.ok"]
label = {{ ja = "確認", en = "check" }}
risk = "reads"
timeout = "10s"
argv = ["true"]
["probe.sleeps"]
label = {{ ja = "長い確認", en = "long check" }}
risk = "reads"
timeout = "10m"
argv = ["sleep", "7793"]
["probe.root"]
label = {{ ja = "root か", en = "whether it is root" }}
risk = "reads"
timeout = "10s"
argv = ["id", "-u"]
as = "root"
["probe.environment"]
label = {{ ja = "環境", en = "environment" }}
risk = "reads"
timeout = "10s"
argv = ["env"]
["probe.mounts"]
label = {{ ja = "マウント", en = "mounts" }}
risk = "reads"
timeout = "10s"
argv = ["readlink", "/proc/self/ns/mnt"]
["probe.told"]
label = {{ ja = "知らせる", en = "tell" }}
risk = "reads"
timeout = "10s"
argv = ["tee", "-a", "{TOLD}"]
""",
}
SSHD_CONFIG: Final = """
Port 2222
ListenAddress 127.0.0.1
HostKey /etc/ssh/box
PidFile none
AuthorizedKeysFile /etc/ssh/box_keys
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
"""
PREPARE_SSH: Final = """
install -d -m 755 /run/sshd
ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/box
install -d -o schedctl -m 700 /var/lib/schedctl /var/lib/schedctl/.ssh
runuser -u schedctl -- ssh-keygen -q -t ed25519 -N '' -f /var/lib/schedctl/.ssh/id_ed25519
cp /var/lib/schedctl/.ssh/id_ed25519.pub /etc/ssh/box_keys
echo "[far.box.test]:2222 $(cut -d' ' -f1,2 /etc/ssh/box.pub)" >/etc/ssh/ssh_known_hosts
systemd-run -q --unit=far -- $(command -v sshd || echo /usr/sbin/sshd) -D -f /etc/ssh/box_config
"""
NAME_SERVER: Final = """
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
while True:
    asked, client = server.recvfrom(512)
    question = asked[12:asked.index(0, 12) + 5]
    is_address = question[-3] == 1 and b"box" in question
    print(question, flush=True)
    answer = b"\\xc0\\x0c\\x00\\x01\\x00\\x01\\x00\\x00\\x00\\x3c\\x00\\x04\\x7f\\x00\\x00\\x01" if is_address else b""
    head = asked[:2] + b"\\x81\\x80\\x00\\x01\\x00" + bytes([is_address]) + bytes(4)
    server.sendto(head + question + answer, client)
"""
"""Every name that has `box` in it is this machine's loopback; it says what it was asked."""


def write(box: Box, path: str, text: str, mode: str = "644", owner: str = "root") -> None:
    """Put a file into the box, and its folder."""
    done = box.run("install", "-D", "-m", mode, "-o", owner, "/dev/stdin", path, stdin=text)
    assert done.returncode == 0, done.stderr


def furnish(box: Box) -> None:
    """The catalog, a node behind an sshd, and a name server for the box's names."""
    for name, text in FILES.items():
        write(box, f"{FOLDER}/{name}", text)
    write(box, "/etc/ssh/box_config", SSHD_CONFIG)
    box.do(PREPARE_SSH)
    write(box, "/opt/names.py", NAME_SERVER)
    box.do("systemd-run -q --unit=names -- /opt/schedctl/bin/python /opt/names.py")
    write(box, "/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:1\n")
    write(box, "/etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n")

#!/usr/bin/env python3
"""A Slack slash command for schedctl: `/yoyaku 毎週日曜午前3時に…` registers, and a button approves.

It listens on 127.0.0.1 only (put your web server with TLS in front), checks Slack's signature, and hands the sentence
to `schedctl gate` as the person who typed it. No shell is involved. docs/chat.md says how to set it up.
"""

import hashlib
import hmac
import json
import os
import subprocess
import sys
import threading
import time
import tomllib
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LONGEST_BODY = 16_384
OLDEST_REQUEST_S = 300  # what Slack advises against replays
ANSWER_WITHIN_S = 2.0  # Slack waits three seconds; what takes longer is posted to its response_url
LONGEST_COMMAND_S = 120


def signed(secret: str, timestamp: str, body: bytes, signature: str, now: float) -> bool:
    """Whether Slack sent this, a moment ago."""
    if not timestamp.isascii() or not timestamp.isdigit() or abs(now - int(timestamp)) > OLDEST_REQUEST_S:
        return False
    wanted = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"v0={wanted}".encode(), signature.encode())


def ask(config: dict, slack_user: str, line: str) -> dict:
    """What schedctl answers to this line when the person behind the Slack user says it."""
    person = config["people"].get(slack_user)
    if person is None:
        return {"error": {"message": f"{slack_user} は登録されていません", "type": "unknown_person", "hint": None}}
    gate = [
        config["schedctl"],
        "gate",
        "--role",
        person["role"],
        "--actor",
        person["name"],
        "--settings",
        config["settings"],
    ]
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "SSH_ORIGINAL_COMMAND": line}
    try:
        done = subprocess.run(
            gate, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST_COMMAND_S, check=False
        )
        return json.loads(done.stdout)
    except (subprocess.TimeoutExpired, OSError):
        return {"error": {"message": "schedctl が答えませんでした", "type": "no_answer", "hint": None}}
    except ValueError:  # refused by the gate itself: one sentence on stderr
        return {"error": {"message": done.stderr.decode(errors="replace").strip(), "type": "refused", "hint": None}}


def plain(text: str) -> str:
    """As Slack shows it letter by letter: nobody is called by <!channel>, and no code block ends early."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("`", "'")


def message(answer: dict) -> dict:
    """The answer as a message that everybody in the channel sees; a refusal only by the one who asked."""
    if "error" in answer:
        error = answer["error"]
        said = "\n".join(filter(None, (error["message"], error.get("hint"))))
        return {"response_type": "ephemeral", "text": plain(f"{said} [{error['type']}]")}
    schedule = answer["schedule"]
    steps = [f"{step['node']}: {' '.join(step['argv'])}" for step in schedule["plan"]["steps"]]
    lines = [f"予定 {schedule['id']} {schedule['state']}", schedule["when"]["says"], *schedule["next"][:3], *steps]
    text = "```" + plain("\n".join(lines)) + "```"
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": text[:2900]}}]
    if schedule["state"] == "pending":
        button = {"type": "button", "action_id": "approve", "value": str(schedule["id"]), "style": "primary"}
        button["text"] = {"type": "plain_text", "text": "承認する"}
        blocks.append({"type": "actions", "elements": [button]})
    return {"response_type": "in_channel", "text": plain(lines[0]), "blocks": blocks}


def wanted(form: dict) -> tuple[str, str, str]:
    """Who says which line, and where a late answer goes: a slash command, or a button that was pressed."""
    if "payload" in form:
        pressed = json.loads(form["payload"][0])
        (action,) = pressed["actions"]
        number = int(action["value"])
        return pressed["user"]["id"], f"approve {number} --json --lang ja", pressed["response_url"]
    return form["user_id"][0], f"register --json --lang ja -- {form['text'][0].strip()}", form["response_url"][0]


class Receiver(BaseHTTPRequestHandler):
    """Answers what Slack sends."""

    config: dict

    def do_POST(self) -> None:
        """Look who sent it, then ask schedctl."""
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > LONGEST_BODY:
            self.send_error(413)
            return
        body = self.rfile.read(int(length))
        timestamp, signature = (self.headers.get(f"X-Slack-{name}", "") for name in ("Request-Timestamp", "Signature"))
        if not signed(self.config["secret"], timestamp, body, signature, time.time()):
            self.send_error(401)
            return
        try:
            user, line, later = wanted(urllib.parse.parse_qs(body.decode()))
        except (KeyError, TypeError, ValueError):
            self.send_error(400)
            return
        self._answer(user, line, later)

    def _answer(self, user: str, line: str, later: str) -> None:
        answers: list[dict] = []
        asking = threading.Thread(target=lambda: answers.append(message(ask(self.config, user, line))))
        asking.start()
        asking.join(ANSWER_WITHIN_S)
        now = {"response_type": "ephemeral", "text": "受け付けました。少しお待ちください"}
        in_time = bool(answers)
        payload = json.dumps(answers[0] if in_time else now).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)
        if not in_time:
            asking.join()
            post(later, answers[0], self.config["slack"])

    def log_message(self, *_: object) -> None:
        """A sentence is nobody's business but schedctl's, which keeps it."""


def post(url: str, answer: dict, slack: str) -> None:
    """Tell Slack later. It goes to Slack and nowhere else, whatever the request said."""
    if url.startswith(slack):
        data = json.dumps(answer).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})  # noqa: S310
        urllib.request.urlopen(request, timeout=10).close()  # noqa: S310


def read_config(path: Path) -> dict:
    """The settings file; the signing secret is a systemd credential, or a variable."""
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    secret = (Path(folder) / "slack_signing_secret").read_text() if folder else os.environ["SLACK_SIGNING_SECRET"]
    given = tomllib.loads(path.read_text(encoding="utf-8"))
    return {"slack": "https://hooks.slack.com/", "settings": "/etc/schedctl/gate", **given, "secret": secret.strip()}


if __name__ == "__main__":
    Receiver.config = read_config(Path(sys.argv[1]))
    server = ThreadingHTTPServer(("127.0.0.1", Receiver.config.get("port", 8390)), Receiver)
    server.serve_forever()

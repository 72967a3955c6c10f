"""Debian's Chromium without a window, driven over its DevTools pipe: pages are opened, measured and photographed.

It makes no connection of its own, and what a page asks for is counted. No driver program is needed: the protocol is
JSON documents, each ended by a NUL, on the file descriptors 3 and 4 (`--remote-debugging-pipe`).
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

Theme = Literal["light", "dark"]

PATIENCE_S: Final = 30.0
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--force-color-profile=srgb", "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip
HEIGHT: Final = 900


def program() -> str | None:
    """Where Chromium is, or None where it is not installed."""
    return shutil.which("chromium")


@dataclass(slots=True)
class Page:
    """A tab of its own: what it asked for and what it complained about since it was made."""

    browser: Browser
    session: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol in this tab."""
        return self.browser.call(method, parameters, self.session)

    def show(self, file: Path, width: int, theme: Theme, **features: str) -> None:
        """Open a file at a width (in CSS pixels) in a theme, and wait until it is laid out."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        wished = {"prefers-color-scheme": theme, **features}
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in wished.items()]
        self.call("Emulation.setEmulatedMedia", features=wanted)
        self.browser.loaded.discard(self.session)
        self.call("Page.navigate", url=file.as_uri())
        self.browser.wait_until(lambda: self.session in self.browser.loaded)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page (which has none itself)."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def photograph(self, file: Path) -> None:
        """The whole page as a PNG."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(answer["data"]))


class Browser:
    """One Chromium process. Events are sorted to the tabs that they belong to."""

    def __init__(self, profile: Path, chromium: str) -> None:
        to_it, our_end = os.pipe()
        its_end, from_it = os.pipe()
        actions = [
            (os.POSIX_SPAWN_DUP2, to_it, 213), (os.POSIX_SPAWN_DUP2, from_it, 214),
            (os.POSIX_SPAWN_DUP2, 213, 3), (os.POSIX_SPAWN_DUP2, 214, 4),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        ]  # fmt: skip
        arguments = [chromium, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        environment = dict(os.environ) | {"LANG": "C.UTF-8", "TZ": "UTC", "HOME": str(profile), "TMPDIR": str(profile)}
        self.pid = os.posix_spawn(chromium, arguments, environment, file_actions=actions, setpgroup=0)
        os.close(to_it)
        os.close(from_it)
        self._to, self._from = our_end, its_end
        self._held = b""
        self._answers: dict[int, dict[str, Any]] = {}
        self._last = 0
        self.pages: dict[str, Page] = {}
        self.loaded: set[str] = set()

    def open(self) -> Page:
        """A new tab, which tells of its requests, its errors and its console."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self.pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        return page

    def call(self, method: str, parameters: dict[str, Any], session: str | None = None) -> dict[str, Any]:
        """Call a method and wait for its answer."""
        self._last += 1
        number = self._last
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        self.wait_until(lambda: number in self._answers)
        answer = self._answers.pop(number)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def wait_until(self, done: Callable[[], bool]) -> None:
        """Read what Chromium says until that holds."""
        while not done():
            ready, _, _ = select([self._from], [], [], PATIENCE_S)
            assert ready, "Chromium says nothing any more"
            chunk = os.read(self._from, 1 << 20)
            assert chunk, "Chromium has ended"
            *messages, self._held = (self._held + chunk).split(b"\0")
            for message in messages:
                self._sort(json.loads(message))

    def end(self) -> None:
        """End it and everything that it started."""
        os.close(self._to)
        os.close(self._from)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self._wait_for_the_others()

    def _wait_for_the_others(self) -> None:
        """Its helpers write into the profile until they are gone."""
        for _ in range(50):
            try:
                os.killpg(self.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.05)

    def _sort(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self._answers[message["id"]] = message
            return
        page = self.pages.get(message.get("sessionId", ""))
        if page is None:
            return
        match message["method"]:
            case "Page.loadEventFired":
                self.loaded.add(page.session)
            case "Network.requestWillBeSent":
                page.requests.append(message["params"]["request"]["url"])
            case "Log.entryAdded":
                page.complaints.append(message["params"]["entry"]["text"])
            case "Runtime.exceptionThrown" | "Runtime.consoleAPICalled":
                page.complaints.append(json.dumps(message["params"]))
            case _:
                pass


@contextmanager
def running(chromium: str) -> Generator[Browser]:
    """Chromium with a profile of its own, ended with all that it started."""
    profile = Path(tempfile.mkdtemp(prefix="schedctl-chromium-"))
    browser = Browser(profile, chromium)
    try:
        yield browser
    finally:
        browser.end()
        shutil.rmtree(profile, ignore_errors=True)

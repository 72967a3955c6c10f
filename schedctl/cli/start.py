"""Where the program starts: the timer's verbs ask first whether there is anything to do; all else goes to `main`.

Imports stay below the price of the question (see store/probe.py), so the few sentences here are written out. A test
holds them to what the whole command says.
"""

import gc
import os
import sys

TYPE_CHECKING = False  # importing typing would cost as much as the question
if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA_VERSION = 13
"""The highest number in sql/; a test holds it to the files."""

VERBS_OF_THE_TIMER = (["tick"], ["work", "--drain"], ["deliver"])
NOTHING_DUE = {
    ("ja", "idle"): "時刻の来た予定はありません",
    ("en", "idle"): "nothing due",
    ("ja", "idle disarmed"): "時刻の来た予定はありません（未点火: 記録だけ → schedctl arm）",
    ("en", "idle disarmed"): "nothing due (disarmed: records only → schedctl arm)",
}
NOTHING_DUE_JSON = (
    '{{"fired": 0, "missed": 0, "skipped": 0, "rehearsed": 0, "refused": 0, "lost": 0, "armed": {armed}, '
    '"warnings": []}}'
)
NOTHING_WAITS = {"ja": "実行待ちはありません", "en": "Nothing is waiting to be carried out"}
NOTHING_TO_SEND = {"ja": "送る通知はありません", "en": "Nothing to send"}
INTERRUPTED = {"ja": "schedctl: 中断しました [interrupted]", "en": "schedctl: Interrupted [interrupted]"}
NOTHING_TO_SEND_JSON = '{"sent": 0, "failed": 0, "dead": 0, "warnings": []}'


def run() -> None:
    """The program. Ctrl-C is answered here as long as nobody else can."""
    try:
        _open_what_is_closed()
        _run()
    except KeyboardInterrupt:
        lang = "ja" if (os.environ.get("SCHEDCTL_LANG") or _locale(os.environ)) == "ja" else "en"
        os.write(2, ("\r  \r" * os.isatty(2) + INTERRUPTED[lang] + "\n").encode())
        sys.exit(130)
    finally:
        # At its end the interpreter would search all that was imported for waste: an eighth of a tick, and work waits.
        gc.freeze()


def _open_what_is_closed() -> None:
    """Whoever starts us without a standard stream gets an empty one: else a file or socket of ours took its number."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - as Python does


def _run() -> None:
    if sys.argv[1:2] == ["beat"] and _beat(sys.argv[2:], os.environ):
        return
    said = _idle_answer(sys.argv[1:], os.environ)
    if said is not None:
        try:
            os.write(1, (said + "\n").encode())
        except OSError:
            pass  # the whole command finds nothing to do either, and has the words for an answer that goes nowhere
        else:
            return
    if sys.argv[1:2] == ["tick"]:
        gc.disable()  # it lives for seconds and makes few cycles: to search for them costs a tenth of a tick of 10,000
    from schedctl.cli import main

    main.run()


def _idle_answer(arguments: list[str], environ: "Mapping[str, str]") -> str | None:
    """What the timer's verbs say when there is nothing to do; None where the whole command has to look."""
    as_json = "--json" in arguments
    words, nodes = _without_nodes([argument for argument in arguments if argument != "--json"])
    verb = words[:1]
    if words not in VERBS_OF_THE_TIMER or (nodes and verb != ["work"]) or environ.get("SCHEDCTL_REHEARSAL_NOW"):
        return None
    lang = environ.get("SCHEDCTL_LANG") or _locale(environ)
    dsn = environ.get("SCHEDCTL_DSN") or _credential(environ)
    if dsn is None or lang not in ("ja", "en"):
        return None
    from schedctl.store.probe import glance, glance_work

    host = environ.get("SCHEDCTL_HOST") or os.uname().nodename
    if verb == ["work"]:
        answer = glance_work(dsn, host, nodes, SCHEMA_VERSION)
    else:
        answer = glance(dsn, verb[0], host, SCHEMA_VERSION)
    if answer not in ("idle", "idle disarmed"):
        return None
    if verb == ["deliver"]:
        return NOTHING_TO_SEND_JSON if as_json else NOTHING_TO_SEND[lang]
    if verb == ["work"]:
        return '{"runs": []}' if as_json else NOTHING_WAITS[lang]
    if as_json:
        return NOTHING_DUE_JSON.format(armed="true" if answer == "idle" else "false")
    return NOTHING_DUE[lang, answer]


def _without_nodes(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The words without each `--node NAME`, and the names; only names that are plainly written are taken out."""
    words: list[str] = []
    nodes: list[str] = []
    rest = iter(arguments)
    for word in rest:
        name = next(rest, "") if word == "--node" else ""
        if name.isascii() and name.isprintable() and name and not name.startswith("-"):
            nodes.append(name)
        else:
            words += [word, name] if name else [word]
    return words, nodes


def _beat(arguments: list[str], environ: "Mapping[str, str]") -> bool:
    """Record a beat that is plainly written; False where the whole command has to look."""
    dsn = environ.get("SCHEDCTL_DSN") or _credential(environ)
    if dsn is None or environ.get("SCHEDCTL_REHEARSAL_NOW"):
        return False
    from schedctl.cli import beating

    return beating.beat(arguments, dsn)


def _locale(environ: "Mapping[str, str]") -> str:
    named = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    return "ja" if named.startswith("ja") else "en"


def _credential(environ: "Mapping[str, str]") -> str | None:
    folder = environ.get("CREDENTIALS_DIRECTORY")
    if not folder:
        return None
    try:
        with open(folder + "/dsn", encoding="utf-8") as file:  # noqa: PTH123 - pathlib costs more than the question
            return file.read().strip()
    except (OSError, ValueError):  # the whole command says what is wrong with it
        return None

"""The catalog: are the files sound and the adopted ones, and is every secret there that it names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.catalog.parse import find_problems, parse
from schedctl.catalog.requests import SECRET
from schedctl.errors import SchedctlError
from schedctl.language import Text
from schedctl.secrets import variable_of
from schedctl.usecases import adoption
from schedctl.usecases.doctor_finding import Finding, Fix, Topic, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from schedctl.catalog.model import Catalog
    from schedctl.catalog.problems import Problem
    from schedctl.store.catalogs import AdoptedCatalog

CATALOG: Final = Topic("catalog", Text("カタログ", "catalog"))
SEE: Final = "schedctl catalog check"


@dataclass(frozen=True, slots=True)
class FilesFacts:
    """The catalog's files at hand: what they say, or every mistake in them."""

    folder: str
    catalog: Catalog | None
    problems: tuple[Problem, ...]


def gather_files(folder: Path) -> FilesFacts:
    """Read them."""
    try:
        catalog, problems = adoption.check(folder)
    except SchedctlError as unreadable:
        found = getattr(unreadable, "problems", None)
        if found is None:
            raise
        catalog, problems = None, found
    return FilesFacts(str(folder), catalog, problems)


def adopted_of(adopted: AdoptedCatalog | Unknown | None) -> Catalog | Unknown | None:
    """The adopted catalog as values; Unknown also where this version of schedctl cannot read it."""
    if adopted is None or isinstance(adopted, Unknown):
        return adopted
    try:
        return parse(adopted.document)
    except SchedctlError as error:
        return Unknown(error)


def check_catalog(found: FilesFacts | Unknown, adopted: AdoptedCatalog | Unknown | None) -> Iterator[Finding]:
    """A line for the files, or one for each mistake in them; and whether they are the adopted ones."""
    if isinstance(found, Unknown):
        yield CATALOG.failed(found, SEE)
        return
    if found.catalog is None:
        for problem in found.problems:
            yield CATALOG.bad(problem.sentence(), Fix(problem.fix, SEE))
        return
    nodes, actions = len(found.catalog.nodes), len(found.catalog.actions)
    said = Text(
        f"{found.folder}: ノード {nodes}、アクション {actions}", f"{found.folder}: nodes {nodes}, actions {actions}"
    )
    if adopted is None:
        says = Text(f"{said.ja}。まだ採用されていません", f"{said.en}; not adopted yet")
        yield CATALOG.warning(says, Fix(Text("採用してください", "Adopt it"), "schedctl catalog adopt"))
    elif isinstance(adopted, Unknown):
        says = Text(f"{said.ja}。採用済みかは分かりません", f"{said.en}; whether they are adopted is not known")
        yield Finding(CATALOG.check, CATALOG.subject, "unknown", says)
    elif adopted.digest == found.catalog.digest:
        yield CATALOG.ok(Text(f"{said.ja}（採用済み）", f"{said.en}, adopted"))
    elif find_problems(adopted.document):
        says = Text(
            "採用されているカタログを、この schedctl は読めません", "This schedctl cannot read the adopted catalog"
        )
        yield CATALOG.bad(
            says, Fix(Text("手元のファイルを採用してください", "Adopt the files"), "schedctl catalog adopt")
        )
    else:
        says = Text(
            f"{said.ja}。採用されているものと違うため、登録できません",
            f"{said.en}; not what is adopted, so that nothing can be registered",
        )
        fix = Text("違いを見て採用してください", "Look at the difference, then adopt them")
        yield CATALOG.warning(says, Fix(fix, "schedctl catalog adopt --dry-run"))


def check_secrets(
    catalog: Catalog | None, is_here: Callable[[str], bool], of_units: frozenset[str]
) -> Iterator[Finding]:
    """A line for each secret that the catalog names: present or absent, here or among the units' credentials."""
    if catalog is None:
        return
    for name, users in sorted(_secrets_of(catalog).items()):
        topic = Topic.of_secret(name)
        for_whom = ", ".join(users)
        if is_here(name):
            yield topic.ok(Text(f"あります（{for_whom}）", f"present ({for_whom})"))
        elif name in of_units:
            yield topic.ok(
                Text(f"ユニットのクレデンシャルにあります（{for_whom}）", f"a credential of the units ({for_whom})")
            )
        else:
            says = Text(f"ありません。{for_whom} が使います", f"absent; {for_whom} needs it")
            hint = Text(
                f"ユニットに LoadCredential の行を足すか（docs/channels.md）、{variable_of(name)} に入れてください",
                f"Add a LoadCredential line to the unit (docs/channels.md), or set {variable_of(name)}",
            )
            yield topic.bad(says, Fix(hint, f"systemctl edit {_unit_for(users)}"))


def _secrets_of(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """Each secret with what asks for it: channels, actions, the dead man's URL."""
    found: dict[str, list[str]] = {}
    for channel in catalog.policy.channels:
        for key in ("url", "key", "topic", "token", "password"):
            for name in SECRET.findall(getattr(channel, key, None) or ""):
                found.setdefault(name, []).append(f"channels.{channel.name}")
    for name in SECRET.findall(catalog.policy.dead_man_url or ""):
        found.setdefault(name, []).append("dead_man_url")
    for action in catalog.actions:
        for _, value in action.request.headers if action.request is not None else ():
            for name in SECRET.findall(value):
                found.setdefault(name, []).append(action.name)
    return {name: tuple(dict.fromkeys(users)) for name, users in found.items()}


def _unit_for(users: tuple[str, ...]) -> str:
    """The unit that needs a secret: deliveries use channels, workers carry out actions."""
    delivers = any(user.startswith("channels.") or user == "dead_man_url" for user in users)
    return "schedctl-deliver@.service" if delivers else "schedctl-work.service"

"""The planner: is one configured, does its server answer, is the model there."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.planner import llm, models, untrusted
from schedctl.planner.call import Limits
from schedctl.usecases.doctor_finding import Finding, Fix, Topic, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.planner.wire import Kind
    from schedctl.settings import Settings

PLANNER: Final = Topic("planner", Text("言語モデル", "planner"))
KEY: Final = Topic.of_secret("SCHEDCTL_PLANNER_API_KEY")
LIMITS: Final = Limits(connect_s=3.0, overall_s=5.0)


@dataclass(frozen=True, slots=True)
class PlannerFacts:
    """The configured model and what its server has; `names` is None where it was not asked."""

    kind: Kind
    model: str
    has_key: bool
    names: tuple[str, ...] | None


def gather_planner(settings: Settings, *, ask: bool) -> PlannerFacts | None:
    """None where no planner is configured; raises what a registration would run into."""
    planner = llm.configured(settings)
    if planner is None:
        return None
    names = models.available(replace(planner, limits=LIMITS)) if ask else None
    return PlannerFacts(planner.kind, planner.model, bool(planner.api_key), names)


def check_planner(found: PlannerFacts | Unknown | None) -> Iterator[Finding]:
    """Whether a sentence that the catalog's own words do not settle can be planned."""
    match found:
        case None:
            yield PLANNER.unused(
                Text(
                    "使っていません（カタログの語だけで計画します）",
                    "not configured: plans come from the catalog's own words",
                )
            )
            return
        case Unknown():
            # A registration would fail at just this.
            yield PLANNER.failed(found, "env | grep '^SCHEDCTL_PLANNER' | grep -v KEY")
            return
        case PlannerFacts(names=None):
            yield PLANNER.unused(
                Text(f"{found.model}（聞いていません: --quick）", f"{found.model} (not asked: --quick)")
            )
        case PlannerFacts(names=names) if names is not None and not models.is_there(found.kind, found.model, names):
            yield PLANNER.bad(*_missing(found, names))
        case _:
            yield PLANNER.ok(Text(f"{found.model} があります", f"{found.model} is there"))
    yield KEY.ok(Text("あります", "present")) if found.has_key else KEY.unused(Text("ありません", "absent"))


def _missing(found: PlannerFacts, names: tuple[str, ...]) -> tuple[Text, Fix]:
    there = ", ".join(untrusted.shown(name) for name in names[:5]) or "-"
    says = Text(
        f"サーバーは答えましたが、{found.model} がありません（あるのは {there}）",
        f"The server answers but has no {found.model} (it has {there})",
    )
    if found.kind == "ollama":
        return says, Fix(Text("取得してください", "Fetch it"), f"ollama pull {found.model}")
    named = Text("SCHEDCTL_PLANNER_MODEL の名前を直してください", "Correct the name in SCHEDCTL_PLANNER_MODEL")
    return says, Fix(named, f"export SCHEDCTL_PLANNER_MODEL={shlex.quote(there.partition(', ')[0])}")

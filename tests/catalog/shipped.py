"""The shipped catalog, and its actions as steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from folders import SHIPPED

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import parse
from schedctl.plan.build import build
from schedctl.plan.model import Origin
from schedctl.plan.request import Request

if TYPE_CHECKING:
    from schedctl.catalog.model import Action
    from schedctl.plan.model import Step

CATALOG: Final = parse(read_folder(SHIPPED))
NEEDS_SYSTEMD: Final = ("systemctl", "timedatectl")


def step_for(action: Action, values: dict[str, str]) -> Step:
    """The action as a step on the local node, which is put into the groups that the action asks for."""
    catalog = parse(read_folder(SHIPPED))
    if action.groups:
        document = catalog.document
        nodes = document["files"]["nodes.toml"]["nodes"]  # type: ignore[index]
        nodes["local"]["groups"] = list(action.groups)
        catalog = parse(document)
    wanted = tuple((parameter.name, values[parameter.name]) for parameter in action.parameters)
    request = Request(CATALOG.nodes[0].name, action.name, wanted)
    return build([request], catalog, "here", Origin("literal")).steps[-1]

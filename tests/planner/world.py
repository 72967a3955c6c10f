"""A small catalog with one of each: groups, a closed parameter, a pattern, an action that only some nodes can do."""

from __future__ import annotations

from typing import Final

from schedctl.catalog.basics import HttpRequest
from schedctl.catalog.model import Action, Catalog, Group, Node, Parameter, Policy
from schedctl.language import Text
from schedctl.when.calendar import JAPAN

UNIT: Final = Parameter(
    "unit", Text("サービス", "service"), values=("nginx", "ollama"), aliases=(("ウェブサーバー", "nginx"),)
)
DAYS: Final = Parameter("days", Text("日数", "days"), pattern="^[1-9][0-9]{0,2}$", default="30")

MARS: Final = Node("mars", "ssh", Text("マーズ", "Mars"), "10.20.30.40", "root-at-mars", 2222, ("gpu",), ("マーズ",))
VENUS: Final = Node("venus", "ssh", Text("ビーナス", "Venus"), "10.20.30.41", groups=("cpu",))
HERALD: Final = Node("herald", "http", Text("通知係", "Herald"), "https://herald.internal")

UPDATE: Final = Action(
    "apt.update",
    Text("パッケージ一覧の更新", "refresh package lists"),
    "changes",
    300,
    ("apt-get", "secret-flag", "update"),
)
UPGRADE: Final = Action(
    "apt.upgrade",
    Text("パッケージの更新", "upgrade packages"),
    "changes",
    3600,
    ("apt-get", "upgrade"),
    aliases=("OSパッケージを最新に",),
    prerequisites=("apt.update",),
)
RESTART: Final = Action(
    "unit.restart",
    Text("サービスの再起動", "restart a service"),
    "disrupts",
    120,
    ("systemctl", "restart", "{unit}"),
    parameters=(UNIT,),
)
VACUUM: Final = Action(
    "journal.vacuum",
    Text("古いログの削除", "delete old logs"),
    "changes",
    300,
    ("journalctl", "--vacuum-time={days}d"),
    conflicts=("gpu.status",),
    parameters=(DAYS,),
)
GPU: Final = Action(
    "gpu.status", Text("GPUの状態", "GPU status"), "reads", 20, ("nvidia-smi",), aliases=("GPU確認",), groups=("gpu",)
)
CALL: Final = Action(
    "herald.call",
    Text("通知の送信", "send a notice"),
    "changes",
    20,
    request=HttpRequest("POST", "https://herald.internal/go"),
)
UNPLACED: Final = Action("tape.rewind", Text("テープの巻き戻し", "rewind"), "reads", 20, ("mt",), groups=("tape",))

CATALOG: Final = Catalog(
    nodes=(MARS, VENUS, HERALD),
    groups=(Group("gpu", Text("GPUノード", "GPU nodes"), ("推論機",)), Group("cpu", Text("CPUノード", "CPU nodes"))),
    actions=(UPDATE, UPGRADE, RESTART, VACUUM, GPU, CALL, UNPLACED),
    policy=Policy(),
    calendars=JAPAN,
    document={},
    digest="test",
)

"""What each command does, in one sentence: help and completion say it without importing every command.

A test holds the sentences to the beginnings of the commands' own help.
"""

from __future__ import annotations

from typing import Final

from schedctl.language import Text

SAID: Final[dict[str, Text]] = {
    "register": Text("指示を予定として登録する", "Register an instruction"),
    "explain": Text("指示の時刻がどう読まれるかを示す", "Show how an instruction's time is read"),
    "list": Text("予定の一覧（終わったものは --state で）", "List schedules (ended ones with --state)"),
    "show": Text("予定と最近の実行を見る", "Show a schedule and its latest runs"),
    "upcoming": Text("これから実行されるものの暦", "A calendar of what will fire"),
    "status": Text(
        "いまの状態を1画面で示す", "The installation on one screen; the exit code is 1 when something needs a person"
    ),
    "approve": Text("承認待ちの予定を有効にする", "Approve a pending schedule"),
    "pause": Text("予定を一時停止する", "Stop a schedule from firing until it is resumed"),
    "resume": Text("一時停止を解く", "Let a paused schedule fire again; what passed meanwhile never fires"),
    "archive": Text("予定を終了する（記録は残る）", "End a schedule for good; its records stay"),
    "arm": Text("点火する: これ以後の tick は実行する", "Arm the installation: from now on ticks fire"),
    "disarm": Text("未点火に戻す: tick は記録だけをする", "Disarm the installation: ticks only record"),
    "tick": Text(
        "時刻の来た予定を1回だけ実行待ちに入れる（systemd タイマーが毎分呼ぶ）",
        "Mark and enqueue what is due, once; the systemd timer calls it every minute",
    ),
    "work": Text(
        "実行待ちを1つ引き受けて実行する", "Claim one leg and carry it out; with --drain, go on until none is left"
    ),
    "deliver": Text(
        "たまった通知を送る（tick のたびに systemd が呼ぶ）",
        "Send what people have to be told (after each tick, by systemd); what fails is tried again for 24 hours",
    ),
    "notify": Text("通知先を試す", "Try the channels of the policy"),
    "test-run": Text(
        "予定の計画をいま1回実行する", "Carry out a schedule's plan once, now; its own occurrences are not touched"
    ),
    "rerun": Text("終わった実行と同じ計画をもう1回実行する", "Carry out the plan of an ended run once more, now"),
    "cancel": Text("実行待ち・実行中のものを取り消す", "Cancel a run that is queued or running"),
    "node": Text("ノードの変更を保留する・解除する", "Hold a node, release it"),
    "runs": Text("実行の記録（新しい順）", "List runs, newest first"),
    "logs": Text("実行の出力を見る", "Show the output of a run"),
    "beat": Text(
        "エージェントが生きていることを知らせる（エージェント自身のループの中から呼ぶ）",
        "Say that an agent is alive; call it from inside the agent's own loop",
    ),
    "watch": Text(
        "schedctl 自身とエージェントを見張る",
        "Watch over schedctl itself and the agents; says what stopped and exits 1",
    ),
    "doctor": Text(
        "動くために要るものをすべて調べ、1行ずつ示す",
        "Look at everything that schedctl depends on, a line for each, with a command to type where something is bad",
    ),
    "report": Text(
        "日報: 人の手が要るもの、うまくいかなかった回、エージェント、トークン、これからの予定",
        "The daily report: what needs a person, what went wrong, agents, tokens, what comes",
    ),
    "page": Text(
        "いまの状態を、1つの HTML ファイルに書く（nginx などで見せるため）",
        "Write how things are now into one HTML file, for nginx or the like to give out",
    ),
    "catalog": Text("カタログを確かめる・採用する", "Check the catalog files, adopt them"),
    "grant": Text(
        "データベースのログインに役割を与える（--revoke で取り上げる）",
        "Give a login of the database a role, or take it away with --revoke",
    ),
    "gate": Text(
        "SSH の鍵1つに、役割のコマンドだけを許す（authorized_keys の command= に書く）",
        "Let an SSH key say the commands of one role and nothing else: for command= in authorized_keys",
    ),
    "demo": Text(
        "使い捨ての環境で一通りやってみる: 登録、点火、tick、実行、結果",
        "Try the whole way on a scratch state: register, arm, tick, work, result",
    ),
    "completion": Text(
        "シェルの補完のスクリプトを出す",
        "Print the completion script for a shell; ids and names are completed from the database",
    ),
    "install-units": Text(
        "systemd のユニットを入れて、タイマーを動かす", "Install the units of systemd and start the timers"
    ),
    "uninstall-units": Text(
        "install-units が入れたものだけを取り除く",
        "Take away what install-units installed, and nothing else; the database and the state stay",
    ),
}

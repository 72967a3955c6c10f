"""What is said of each type of event: a table, no logic. `type/variant` is taken where it fits (see message.py).

In braces stand the parts that about.py words. `{run}`, `{why}`, `{error}` and their like bring their own brackets, and
say nothing where there is nothing to say.
"""

from __future__ import annotations

from typing import Final

from schedctl.language import Text

TITLES: Final[dict[str, Text]] = {
    "registered": Text("登録", "registered"),
    "approved": Text("承認", "approved"),
    "paused": Text("一時停止", "paused"),
    "resumed": Text("再開", "resumed"),
    "archived": Text("終了", "archived"),
    "finished": Text("最後の回", "finished"),
    "armed": Text("点火", "armed"),
    "disarmed": Text("未点火", "disarmed"),
    "fired": Text("実行待ち", "fired"),
    "late": Text("遅れ", "late"),
    "missed": Text("実行漏れ", "missed"),
    "skipped": Text("見送り", "skipped"),
    "rehearsed": Text("予行", "rehearsed"),
    "refused": Text("起動できず", "refused"),
    "succeeded": Text("成功", "succeeded"),
    "failed": Text("失敗", "failed"),
    "recovered": Text("回復", "recovered"),
    "timed_out": Text("時間切れ", "timed out"),
    "lost": Text("行方不明", "lost"),
    "cancelled": Text("取り消し", "cancelled"),
    "budget_reached": Text("予算に到達", "budget reached"),
    "auto_paused": Text("自動停止", "paused by itself"),
    "catalog_adopted": Text("カタログの採用", "catalog adopted"),
    "node_held": Text("ノードの保留", "node held"),
    "agent_unhealthy": Text("エージェントの異常", "agent unhealthy"),
    "agent_restarted": Text("エージェントの再起動", "agent restarted"),
    "agent_escalated": Text("人の手が必要", "a person is needed"),
    "agent_recovered": Text("エージェントの回復", "agent recovered"),
    "cost_alarm": Text("費用の急増", "cost alarm"),
    "tick_silent": Text("tick の停止", "ticks stopped"),
    "queue_stuck": Text("実行待ちの滞留", "queue stuck"),
    "freeze_ahead": Text("変更凍結の予告", "freeze ahead"),
    "report_written": Text("日報", "daily report"),
    "test": Text("試験", "test"),
}

SENTENCES: Final[dict[str, Text]] = {
    "registered": Text("{actor} が{schedule}を登録しました。", "{actor} registered {schedule}."),
    "approved": Text(
        "{actor} が{schedule}を承認しました。これからの回は実行されます。",
        "{actor} approved {schedule}; it will run from now on.",
    ),
    "approved/policy": Text(
        "{schedule}は承認の要らない作業なので、そのまま有効になりました。",
        "{schedule} needs no approval and is active.",
    ),
    "paused": Text(
        "{actor} が{schedule}を止めました{why}。再開するまで実行されません。",
        "{actor} paused {schedule}{why}; it will not run until it is resumed.",
    ),
    "paused/catalog_changed": Text(
        "カタログの変更で作業の意味が変わるため、{schedule}を止めました。登録し直すまで実行されません。",
        "{schedule} was paused, because the catalog changed what it would do; it has to be registered anew.",
    ),
    "resumed": Text(
        "{actor} が{schedule}を再開しました。止まっていた間の回は実行されません。",
        "{actor} resumed {schedule}; what passed meanwhile will not run.",
    ),
    "archived": Text(
        "{actor} が{schedule}を終了しました{why}。もう実行されません。",
        "{actor} archived {schedule}{why}; it will not run again.",
    ),
    "archived/catalog_changed": Text(
        "カタログの変更で作業の意味が変わるため、承認待ちだった{schedule}を終了しました。",
        "{schedule}, which awaited approval, was archived, because the catalog changed what it would do.",
    ),
    "archived/replaced": Text(
        "{actor} が{schedule}を新しい登録で置き換えました。", "{actor} replaced {schedule} by a new registration."
    ),
    "finished": Text(
        "{schedule}は最後の回を迎えました。この先の回はありません。", "{schedule} has come to its last occurrence."
    ),
    "armed": Text(
        "{actor} が点火しました{why}。これより後の回は実行されます。",
        "{actor} armed the installation{why}; what comes due from now on will run.",
    ),
    "disarmed": Text(
        "{actor} が未点火に戻しました{why}。予定は記録されるだけで、実行されません。",
        "{actor} disarmed the installation{why}; schedules are only recorded and nothing runs.",
    ),
    "fired": Text("{occurrence}を実行待ちに入れました{run}。", "{occurrence} was enqueued{run}."),
    "late": Text(
        "{occurrence}は、{minutes_late} 分遅れて実行待ちに入りました{run}。tick が止まっていたようです。",
        "{occurrence} was enqueued {minutes_late} min late{run}; ticks seem to have stopped.",
    ),
    "missed": Text(
        "{occurrence}が実行漏れになりました{why}。あとから実行することはありません。",
        "{occurrence} was missed{why} and will not run later.",
    ),
    "missed/many": Text(
        "{occurrences}が実行漏れになりました{why}。あとから実行することはありません。",
        "{occurrences} were missed{why} and will not run later.",
    ),
    "skipped": Text("{occurrence}を見送りました{why}。", "{occurrence} was skipped{why}."),
    "skipped/many": Text("{occurrences}を見送りました{why}。", "{occurrences} were skipped{why}."),
    "rehearsed": Text(
        "{occurrence}の時刻が来ましたが、未点火なので実行していません。",
        "{occurrence} came due; nothing ran, because the installation is disarmed.",
    ),
    "refused": Text(
        "{schedule}は起動できず、止まりました{error}。", "{schedule} could not fire and was stopped{error}."
    ),
    "succeeded": Text("{occurrence}が成功しました{run}。", "{occurrence} succeeded{run}."),
    "failed": Text("{occurrence}が失敗しました{run}{error}。", "{occurrence} failed{run}{error}."),
    "recovered": Text(
        "{occurrence}が成功しました{run}。うまくいかない状態から回復しました。",
        "{occurrence} succeeded{run}: the schedule has recovered.",
    ),
    "timed_out": Text("{occurrence}が時間切れになりました{run}{error}。", "{occurrence} ran out of time{run}{error}."),
    "lost": Text(
        "{occurrence}が行方不明になりました{run_why}。まだ動いているかもしれないので、再実行はしません。",
        "{occurrence} was lost{run_why}; it may still be going on and is not repeated.",
    ),
    "cancelled": Text("{actor} が{occurrence}を取り消しました{run_why}。", "{actor} cancelled {occurrence}{run_why}."),
    "cancelled/shutdown": Text("{occurrence}は途中で止まりました{run_why}。", "{occurrence} was interrupted{run_why}."),
    "budget_reached": Text(
        "{whose}が予算に達しました{limit}{run}{error}。", "{whose} reached its budget{limit}{run}{error}."
    ),
    "auto_paused": Text(
        "{schedule}は、失敗が{failures}続いたため自動で止まりました。再開するまで実行されません。",
        "{schedule} paused by itself after {failures}failures in a row; it will not run until it is resumed.",
    ),
    "catalog_adopted": Text("{actor} がカタログを採用しました{changes}。", "{actor} adopted the catalog{changes}."),
    "node_held": Text(
        "{actor} がノード {node} を保留にしました{why}。解除するまで、変更を伴う実行は始まりません。",
        "{actor} holds node {node}{why}; no changing work starts there until it is released.",
    ),
    "node_released": Text(
        "{actor} がノード {node} の保留を解除しました。変更を伴う実行も、また始まります。",
        "{actor} released node {node}; changing work may start there again.",
    ),
    "agent_unhealthy": Text(
        "エージェント {agent} からの連絡が途絶えました{silent_since}。", "agent {agent} fell silent{silent_since}."
    ),
    "agent_unhealthy/error": Text(
        "エージェント {agent} が異常を知らせています{agent_says}。", "agent {agent} reports an error{agent_says}."
    ),
    "agent_restarted": Text(
        "エージェント {agent} の再起動を始めます{attempt}。", "agent {agent} is being restarted{attempt}."
    ),
    "agent_escalated": Text(
        "エージェント {agent} は再起動しても元に戻りません{attempts}。人の手が必要です。",
        "restarting did not bring agent {agent} back{attempts}; a person is needed.",
    ),
    "agent_escalated/no_restart": Text(
        "エージェント {agent} からの連絡が戻りません。再起動の方法が決められていないので、人の手が必要です。",
        "agent {agent} does not come back, and no restart is declared for it; a person is needed.",
    ),
    "agent_recovered": Text(
        "エージェント {agent} は、ひとりでに回復しました。", "agent {agent} has recovered by itself."
    ),
    "agent_recovered/restart": Text(
        "エージェント {agent} は、再起動で回復しました。", "agent {agent} has recovered after a restart."
    ),
    "cost_alarm": Text(
        "{whose}のトークン消費が急に増えました{tokens}。", "{whose} suddenly uses far more tokens{tokens}."
    ),
    "tick_silent": Text(
        "tick が止まっています{minutes}。予定は実行されません。タイマーを確かめてください。",
        "ticks have stopped{minutes}; nothing is fired. Look at the timer.",
    ),
    "queue_stuck": Text(
        "実行待ちが引き受けられていません{minutes}。worker を確かめてください。",
        "what is enqueued is not being claimed{minutes}. Look at the workers.",
    ),
    "freeze_ahead": Text(
        "変更凍結が近づいています{why}。{start} から {end} まで、対象の作業は実行されません。",
        "a freeze is ahead{why}: what it covers will not run from {start} to {end}.",
    ),
    "report_written": Text("{report}", "{report}"),
    "started": Text("{actor} が{schedule}を手動で始めました{run}。", "{actor} started {schedule} by hand{run}."),
    "next_instant_moved": Text(
        "{schedule}の次の回が、{moved_from} から {moved_to} に移りました。",
        "the next occurrence of {schedule} moved from {moved_from} to {moved_to}.",
    ),
    "clock_went_back": Text(
        "進んでいた時計が正しくなったので、{schedule}の次の回を今の時刻から決め直しました。",
        "a clock that had been ahead is right again: {schedule} goes on from now.",
    ),
    "leg_lost": Text(
        "{schedule}の実行のうち、ノード {node} の分が行方不明になりました{run}。",
        "the part of a run of {schedule} on node {node} was lost{run}.",
    ),
    "lost_leg_ended": Text(
        "行方不明だったノード {node} の作業が終わったことを確かめました{run}。ノードの保留は解除されました。",
        "the lost work on node {node} is seen to have ended{run}; the node is free again.",
    ),
    "late_result": Text(
        "worker {actor} から、ほかですでに片付いた作業の結果が遅れて届きました{run}。記録にだけ残します。",
        "worker {actor} reported late on work that had been settled without it{run}; this is only kept on record.",
    ),
    "role_granted": Text(
        "{actor} が {user} に役割 {role} を与えました{nodes}。", "{actor} granted {user} the role {role}{nodes}."
    ),
    "role_revoked": Text(
        "{actor} が {user} から役割 {role} を外しました{nodes}。", "{actor} revoked the role {role} from {user}{nodes}."
    ),
    "test": Text(
        "これは schedctl からの試験の通知です。届いていれば、この通知先は使えます。",
        "this is a test from schedctl. If you can read it, this channel works.",
    ),
}

NEXT_STEPS: Final[dict[str, str]] = {
    "registered": "schedctl show {schedule_id}",
    "paused": "schedctl show {schedule_id}",
    "refused": "schedctl show {schedule_id}",
    "auto_paused": "schedctl resume {schedule_id}",
    "missed": "schedctl runs --schedule {schedule_id}",
    "skipped": "schedctl runs --schedule {schedule_id}",
    "late": "schedctl status",
    "failed": "schedctl logs {run_id}",
    "timed_out": "schedctl logs {run_id}",
    "lost": "schedctl logs {run_id}",
    "cancelled": "schedctl logs {run_id}",
    "disarmed": "schedctl arm",
    "node_held": "schedctl node release {node}",
    "agent_escalated": "schedctl status",
    "tick_silent": "schedctl status",
    "queue_stuck": "schedctl status",
}
"""The command with which one goes on; left out where one of its words is not known."""

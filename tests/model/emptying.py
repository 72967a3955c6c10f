"""What the machine of `test_model` asks of the database, and what an operator may do in which state."""

from __future__ import annotations

EMPTY = """
    SET session_replication_role = replica;
    TRUNCATE schedctl.run, schedctl.leg, schedctl.step, schedctl.schedule, schedctl.freeze, schedctl.tick_beat,
             schedctl.event RESTART IDENTITY CASCADE;
    SET session_replication_role = DEFAULT;
    UPDATE schedctl.installation SET armed = false, armed_since = NULL, nothing_lost_until = '-infinity';
"""
RUNS = """
    SELECT schedule_id, trigger, scheduled_for, state, reason, coalesce(first_at, scheduled_for), count
      FROM schedctl.run
"""


FITTING = {
    "approve": ["pending"],
    "pause": ["active"],
    "resume": ["paused"],
    "archive": ["paused", "active", "pending"],
    "start": ["active", "paused", "finished"],
}


VERBS = ["pause", "resume", "approve", "approve", "start", "archive"]

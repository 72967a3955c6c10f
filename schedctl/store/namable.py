"""What can be named on a command line, for the shell's completion: asked through libpq, read-only, within a second.

Each query gives its lines as one text: fields with tabs between them, the name to complete first. The values
are what has been typed so far, and the states that count.
"""

from schedctl.store.probe import ask

TYPE_CHECKING = False  # importing typing would cost as much as the question
if TYPE_CHECKING:
    from typing import Final, LiteralString

PATIENCE_S = (2, 0.9)
"""libpq takes no less than 2 s to give up a connection; whoever asks waits for less."""
QUIETLY = "SET LOCAL statement_timeout = 800; SET LOCAL transaction_read_only = on; "

SCHEDULES: "Final[LiteralString]" = r"""
    SELECT string_agg(concat_ws(E'\t', schedule_id, coalesce(name, ''), state,
                                translate(left(instruction, 200), E'\t\r\n', '   ')),
                      E'\n' ORDER BY schedule_id DESC)
      FROM (SELECT schedule_id, name, state, instruction FROM schedctl.schedule
             WHERE ({0} = '' OR starts_with(schedule_id::text, {0}) OR starts_with(name, {0}))
               AND ({1} = '' OR state = ANY (string_to_array({1}, ',')))
             ORDER BY schedule_id DESC LIMIT 300) AS one
"""
RUNS: "Final[LiteralString]" = r"""
    SELECT string_agg(concat_ws(E'\t', run_id, '', state,
                                to_char(at AT TIME ZONE coalesce(timezone, 'UTC'), 'MM-DD HH24:MI ')
                                || translate(left(coalesce(instruction, ''), 200), E'\t\r\n', '   ')),
                      E'\n' ORDER BY run_id DESC)
      FROM (SELECT run_id, run.state, coalesce(scheduled_for, run.created_at) AS at, timezone, instruction
              FROM schedctl.run LEFT JOIN schedctl.schedule USING (schedule_id)
             WHERE ({0} = '' OR starts_with(run_id::text, {0}))
               AND ({1} = '' OR run.state = ANY (string_to_array({1}, ',')))
             ORDER BY run_id DESC LIMIT 100) AS one
"""
NODES: "Final[LiteralString]" = r"""
    SELECT string_agg(concat_ws(E'\t', key, '', value ->> 'transport',
                                coalesce(value -> 'label' ->> 'ja', value ->> 'label', '')), E'\n' ORDER BY key)
      FROM schedctl.catalog JOIN schedctl.installation USING (catalog_id),
           jsonb_each(document -> 'files' -> 'nodes.toml' -> 'nodes')
     WHERE starts_with(key, {0}) AND {1} = ''
"""
CHANNELS: "Final[LiteralString]" = r"""
    SELECT string_agg(concat_ws(E'\t', key, '', value ->> 'type', ''), E'\n' ORDER BY key)
      FROM schedctl.catalog JOIN schedctl.installation USING (catalog_id),
           jsonb_each(document -> 'files' -> 'policy.toml' -> 'channels')
     WHERE starts_with(key, {0}) AND {1} = ''
"""
AGENTS: "Final[LiteralString]" = r"""
    SELECT string_agg(concat_ws(E'\t', name, '', state, ''), E'\n' ORDER BY name)
      FROM (SELECT name, state FROM schedctl.agent
             WHERE starts_with(name, {0}) AND {1} = '' ORDER BY name LIMIT 300) AS one
"""


def named(dsn: str, query: str, typed: str, states: str = "") -> list[list[str]]:
    """The lines of one of these queries, each as its fields: name, other name, state, words. Empty on any trouble.

    `states` are those that count, with commas between them; none where all do.
    """
    said = ask(dsn, QUIETLY + query, (typed, states), PATIENCE_S)
    return [line.split("\t") for line in said.split("\n")] if said else []

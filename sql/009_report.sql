-- The daily report: when it is written, what was written, and the figures that nothing else keeps.
-- oldest code that goes on: 6

-- ---------------------------------------------------------------- when it is written

-- One row. `hour` and `timezone` are those of the adopted policy (hour NULL: no report is written by itself). `due_at` is the
-- next instant at which one is due, computed by the program, whose zone rules are the package's; NULL: nobody has computed it yet.
-- After a failure no tick tries again before `not_before`, by the real clock.
CREATE TABLE IF NOT EXISTS schedctl.reporting (
    only_row    boolean PRIMARY KEY DEFAULT true,
    hour        time DEFAULT '08:00',
    timezone    text NOT NULL DEFAULT 'Asia/Tokyo',
    due_at      timestamptz,
    not_before  timestamptz NOT NULL DEFAULT '-infinity',
    CONSTRAINT one_row_says_when_reports_are_due CHECK (only_row)
);
INSERT INTO schedctl.reporting DEFAULT VALUES ON CONFLICT DO NOTHING;

-- The reports that were written, one a day, and the event that told of each.
CREATE TABLE IF NOT EXISTS schedctl.report (
    day         date NOT NULL,
    timezone    text NOT NULL,
    written_at  timestamptz NOT NULL DEFAULT schedctl.now(),
    host        text NOT NULL,
    event_id    bigint NOT NULL,
    CONSTRAINT one_report_a_day PRIMARY KEY (day)
);

INSERT INTO schedctl.event_type (type, severity, weight) VALUES ('report_written', 'info', 0)
ON CONFLICT (type) DO UPDATE SET severity = excluded.severity, weight = excluded.weight;

-- ---------------------------------------------------------------- what a period holds, found by its time

-- Only ended runs stand in it: what fires pays nothing for it.
CREATE INDEX IF NOT EXISTS run_ended ON schedctl.run (finished_at) WHERE finished_at IS NOT NULL;
-- Events come in the order of their time: a few bytes for each stretch of the table find them.
CREATE INDEX IF NOT EXISTS event_by_time ON schedctl.event USING brin (at) WITH (pages_per_range = 16, autosummarize = on);

-- Whether a paused schedule was paused by no person: a person's pause is an event `paused` with another reason.
CREATE OR REPLACE FUNCTION schedctl.paused_by_itself(p_schedule bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT type <> 'paused' OR detail ->> 'reason' = 'catalog_changed'
                       FROM schedctl.event
                      WHERE event.schedule_id = p_schedule AND type IN ('paused', 'auto_paused', 'refused')
                      ORDER BY event_id DESC LIMIT 1), true)
$$;

-- ---------------------------------------------------------------- what was spent, by the quarter of an hour

-- A quarter of an hour begins at the same instants in every zone's days. `cycles` is how often a count was told.
CREATE TABLE IF NOT EXISTS schedctl.spent (
    at       timestamptz NOT NULL,
    subject  text NOT NULL,  -- `agent NAME`, `schedule N`, `planner`
    cycles   bigint NOT NULL,
    tokens   bigint NOT NULL,
    PRIMARY KEY (at, subject)
);

CREATE OR REPLACE FUNCTION schedctl.quarter(p_instant timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE AS $$
    SELECT date_bin('15 minutes', p_instant, timestamptz '2000-01-01 00:00:00+00')
$$;

CREATE OR REPLACE FUNCTION schedctl.keep_spent(p_subject text, p_quarter timestamptz, p_cycles bigint, p_tokens bigint)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO schedctl.spent (at, subject, cycles, tokens) VALUES (p_quarter, p_subject, p_cycles, p_tokens)
        ON CONFLICT (at, subject) DO UPDATE SET cycles = spent.cycles + excluded.cycles, tokens = spent.tokens + excluded.tokens
$$;

-- The current quarter of an agent is counted in its own row, so that a beat still changes one row.
ALTER TABLE schedctl.agent
    ADD COLUMN IF NOT EXISTS quarter_at timestamptz,
    ADD COLUMN IF NOT EXISTS quarter_cycles bigint NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS quarter_tokens bigint NOT NULL DEFAULT 0;

-- Replaces the function of sql/006_agents.sql: it also keeps what was spent.
CREATE OR REPLACE FUNCTION schedctl.note_cost(p_subject text, p_tokens bigint, p_schedule bigint, p_run bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_before schedctl.cost;
    v_alarm  boolean;
BEGIN
    INSERT INTO schedctl.cost (subject) VALUES (p_subject) ON CONFLICT DO NOTHING;
    SELECT * INTO v_before FROM schedctl.cost WHERE subject = p_subject FOR UPDATE;
    v_alarm := coalesce(schedctl.is_a_burst(p_tokens, v_before.tokens, 10), false);
    UPDATE schedctl.cost SET tokens = schedctl.with_latest(tokens, p_tokens, 50), alarm = v_alarm WHERE subject = p_subject;
    PERFORM schedctl.keep_spent(p_subject, schedctl.quarter(schedctl.now()), 1, p_tokens);
    IF v_alarm AND NOT v_before.alarm THEN
        INSERT INTO schedctl.event (type, actor, schedule_id, run_id, detail)
        VALUES ('cost_alarm', 'schedctl', p_schedule, p_run, jsonb_build_object(
                'subject', p_subject, 'tokens', p_tokens, 'mean', schedctl.mean_of(v_before.tokens)));
    END IF;
END
$$;

-- ---------------------------------------------------------------- when agents were silent

-- A silence that ended: longer than the agent may be silent. `announced`: it had said that it stops.
CREATE TABLE IF NOT EXISTS schedctl.agent_silence (
    ended_at    timestamptz NOT NULL,
    name        text NOT NULL,
    started_at  timestamptz NOT NULL,
    announced   boolean NOT NULL,
    PRIMARY KEY (ended_at, name)
);

CREATE OR REPLACE FUNCTION schedctl.keep_silence(p_before schedctl.agent, p_now timestamptz) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO schedctl.agent_silence (ended_at, name, started_at, announced)
    VALUES (p_now, p_before.name, greatest(p_before.beat_at, p_before.watched_since),
            p_before.state IN ('stopping', 'stopped'))
        ON CONFLICT DO NOTHING
$$;

-- Replaces the function of sql/006_agents.sql: it also keeps silences, and what was spent. It still changes one row; at most once
-- in a quarter of an hour, and once a silence, it adds one.
CREATE OR REPLACE FUNCTION schedctl.beat(
    p_name text, p_status text DEFAULT 'ok', p_tokens bigint DEFAULT NULL, p_detail text DEFAULT NULL,
    p_for interval DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_before  schedctl.agent;
    v_now     timestamptz := schedctl.now();
    v_stop_by timestamptz;
    v_alarm   boolean;
    v_state   text;
    v_quarter timestamptz := schedctl.quarter(v_now);
    v_counts  boolean := p_tokens IS NOT NULL AND p_status <> 'stopping';
BEGIN
    PERFORM schedctl.refuse_nonsense(p_status, p_tokens, p_for);
    SELECT * INTO v_before FROM schedctl.agent WHERE name = p_name FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO schedctl.agent (name) VALUES (p_name) ON CONFLICT DO NOTHING;
        SELECT * INTO v_before FROM schedctl.agent WHERE name = p_name FOR UPDATE;
    END IF;
    PERFORM schedctl.leave_no_transaction_open(schedctl.patience(v_before.every, v_before.missed_beats));
    IF p_status = 'stopping' THEN
        v_stop_by := coalesce(v_now + p_for, v_before.stop_by, v_now + v_before.stopping_for);
    END IF;
    IF v_before.watched AND greatest(v_before.beat_at, v_before.watched_since)
                            < v_now - schedctl.patience(v_before.every, v_before.missed_beats) THEN
        PERFORM schedctl.keep_silence(v_before, v_now);
    END IF;
    IF v_before.quarter_cycles > 0 AND v_before.quarter_at <> v_quarter THEN
        PERFORM schedctl.keep_spent('agent ' || p_name, v_before.quarter_at, v_before.quarter_cycles, v_before.quarter_tokens);
    END IF;
    v_state := schedctl.state_after_beat(v_before.state, p_status, v_stop_by <= v_now);
    v_alarm := CASE
        WHEN v_stop_by > v_now OR NOT v_before.watched THEN false
        ELSE coalesce(schedctl.is_a_burst(p_tokens, v_before.tokens, v_before.cost_factor), v_before.cost_alarm) END;
    UPDATE schedctl.agent
       SET status = p_status, detail = left(p_detail, 1000), beat_at = v_now, stop_by = v_stop_by,
           tokens = CASE WHEN p_status = 'stopping' THEN tokens
                         ELSE schedctl.with_latest(tokens, p_tokens, cost_window) END,
           state = v_state,
           state_since = CASE WHEN state = v_state THEN state_since ELSE v_now END,
           ok_since = CASE WHEN v_state <> 'ok' THEN NULL WHEN state = 'ok' THEN ok_since ELSE v_now END,
           unwell_since = CASE WHEN p_status <> 'ok' THEN unwell_since END,
           cost_alarm = v_alarm,
           quarter_at = v_quarter,
           quarter_cycles = CASE WHEN quarter_at = v_quarter THEN quarter_cycles ELSE 0 END + v_counts::int,
           quarter_tokens = CASE WHEN quarter_at = v_quarter THEN quarter_tokens ELSE 0 END
                            + CASE WHEN v_counts THEN p_tokens ELSE 0 END
     WHERE name = p_name;
    IF v_alarm AND NOT v_before.cost_alarm THEN
        INSERT INTO schedctl.event (type, actor, detail)
        VALUES ('cost_alarm', p_name, jsonb_build_object(
                'agent', p_name, 'tokens', p_tokens, 'mean', schedctl.mean_of(v_before.tokens)));
    END IF;
    IF p_status = 'ok' AND v_before.unwell_since IS NOT NULL THEN
        PERFORM schedctl.note_recovery(v_before);
    END IF;
END
$$;

-- ---------------------------------------------------------------- the question of a program that starts each minute

-- Replaces the function of sql/003_glance.sql: a report that is due is something to do. One that is due more than a day and two
-- hours ahead was put there by a clock that had been wrong.
CREATE OR REPLACE FUNCTION schedctl.glance(p_verb text, p_host text, p_version int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_armed boolean := (SELECT armed FROM schedctl.installation);
BEGIN
    IF (SELECT max(version) FROM schedctl.schema_version) <> p_version THEN
        RETURN 'busy';
    END IF;
    IF p_verb = 'work' THEN
        RETURN CASE WHEN EXISTS (
            SELECT FROM schedctl.leg WHERE state = 'queued' AND NOT waits AND host IN ('', p_host)) THEN 'busy' ELSE 'idle' END;
    END IF;
    IF p_verb = 'deliver' THEN
        RETURN CASE WHEN (SELECT dead_man FROM schedctl.installation) OR EXISTS (
            SELECT FROM schedctl.outbox WHERE state = 'queued' AND next_attempt_at <= clock_timestamp()) THEN 'busy' ELSE 'idle' END;
    END IF;
    IF EXISTS (SELECT FROM schedctl.schedule WHERE next_fire_at <= schedctl.now())
       OR EXISTS (SELECT FROM schedctl.schedule
                   WHERE settled_through > schedctl.now() + interval '1 day' AND state IN ('pending', 'active', 'paused'))
       OR EXISTS (SELECT FROM schedctl.leg WHERE state = 'running' AND lease_until < clock_timestamp())
       OR EXISTS (SELECT FROM schedctl.leg WHERE state = 'queued' AND NOT waits AND claimable_until < schedctl.now())
       OR (SELECT max(at) FROM schedctl.tick_beat) > schedctl.now()
       OR EXISTS (SELECT FROM schedctl.reporting
                   WHERE hour IS NOT NULL AND not_before <= clock_timestamp()
                     AND (due_at IS NULL OR due_at <= schedctl.now() OR due_at > schedctl.now() + interval '26 hours'))
       OR (SELECT tidied_at FROM schedctl.installation) < clock_timestamp() - interval '1 hour' THEN
        RETURN 'busy';
    END IF;
    PERFORM schedctl.note_tick(p_host);
    IF EXISTS (SELECT FROM schedctl.agent WHERE watched) THEN
        PERFORM schedctl.judge_agents();
    END IF;
    RETURN CASE WHEN v_armed THEN 'idle' ELSE 'idle disarmed' END;
END
$$;

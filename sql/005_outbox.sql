-- Telling people. A fact is an event; an event that a route asks for gets an outbox row for each of the route's channels, in
-- the transaction of the fact. `schedctl deliver` sends the rows.

-- The types of events that can be told (schedctl/catalog/facts.py has the same list). `weight` is what a route's severity is
-- compared with (0 info, 1 warning, 2 error): a recovery weighs as much as what it ends.
CREATE TABLE IF NOT EXISTS schedctl.event_type (
    type      text PRIMARY KEY,
    severity  text NOT NULL CONSTRAINT severities_are_known CHECK (severity IN ('info', 'warning', 'error')),
    weight    int NOT NULL
);
INSERT INTO schedctl.event_type (type, severity, weight) VALUES
    ('registered', 'info', 0), ('approved', 'info', 0), ('paused', 'warning', 1), ('resumed', 'info', 1),
    ('archived', 'info', 0), ('finished', 'info', 0), ('armed', 'info', 1), ('disarmed', 'warning', 1),
    ('fired', 'info', 0), ('late', 'warning', 1), ('missed', 'error', 2), ('skipped', 'warning', 1),
    ('rehearsed', 'info', 0), ('refused', 'error', 2), ('succeeded', 'info', 0), ('failed', 'error', 2),
    ('recovered', 'info', 2), ('timed_out', 'error', 2), ('lost', 'error', 2), ('cancelled', 'warning', 1),
    ('budget_reached', 'error', 2), ('auto_paused', 'error', 2), ('catalog_adopted', 'info', 0), ('node_held', 'warning', 1),
    ('agent_unhealthy', 'warning', 1), ('agent_restarted', 'warning', 1), ('agent_escalated', 'error', 2),
    ('agent_recovered', 'info', 2), ('cost_alarm', 'error', 2), ('tick_silent', 'error', 2), ('queue_stuck', 'error', 2),
    ('freeze_ahead', 'info', 0)
ON CONFLICT (type) DO UPDATE SET severity = excluded.severity, weight = excluded.weight;

-- The adopted policy's routes. An empty list lets everything through; all conditions of a route have to hold.
CREATE TABLE IF NOT EXISTS schedctl.route (
    route_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    events    text[] NOT NULL DEFAULT '{}',
    weight    int NOT NULL DEFAULT 0,
    risks     text[] NOT NULL DEFAULT '{}',
    nodes     text[] NOT NULL DEFAULT '{}',
    channels  text[] NOT NULL,
    CONSTRAINT a_route_leads_somewhere CHECK (cardinality(channels) > 0)
);
CREATE OR REPLACE VIEW schedctl.asked AS
    SELECT route_id, type
      FROM schedctl.route JOIN schedctl.event_type
        ON event_type.weight >= route.weight AND (route.events = '{}' OR event_type.type = ANY (route.events));

-- One row a notice, counted by the real clock: whoever is told lives in the real world, also during a rehearsal.
CREATE TABLE IF NOT EXISTS schedctl.outbox (
    outbox_id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id         bigint NOT NULL,  -- of an event, which nobody can remove
    channel          text NOT NULL,
    idempotency_key  uuid NOT NULL DEFAULT gen_random_uuid(),
    state            text NOT NULL DEFAULT 'queued',
    queued_at        timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    attempts         int NOT NULL DEFAULT 0,
    next_attempt_at  timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    ended_at         timestamptz,
    error            jsonb,
    CONSTRAINT one_notice_a_fact_and_channel UNIQUE (event_id, channel),
    CONSTRAINT outbox_states_are_known CHECK (state IN ('queued', 'sent', 'dead')),
    CONSTRAINT ended_notices_have_an_end CHECK ((state = 'queued') = (ended_at IS NULL)),
    CONSTRAINT dead_letters_say_why CHECK (state <> 'dead' OR error IS NOT NULL)
);
CREATE INDEX IF NOT EXISTS outbox_queued ON schedctl.outbox (channel, outbox_id) WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS outbox_dead ON schedctl.outbox (ended_at) WHERE state = 'dead';

ALTER TABLE schedctl.installation ADD COLUMN IF NOT EXISTS dead_man boolean NOT NULL DEFAULT false;

-- The last outcome of a schedule that was told; 'resumed' after a pause that followed a failure: then any outcome is news.
ALTER TABLE schedctl.schedule ADD COLUMN IF NOT EXISTS last_outcome text;

-- ---------------------------------------------------------------- events -> outbox

-- Whoever may write an event may not write the outbox; this function may.
CREATE OR REPLACE FUNCTION schedctl.fill_outbox() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM schedctl.route) THEN
        RETURN NULL;
    END IF;
    INSERT INTO schedctl.outbox (event_id, channel)
    SELECT DISTINCT told.event_id, channel
      FROM told
      JOIN schedctl.asked USING (type)
      JOIN schedctl.route USING (route_id)
     CROSS JOIN LATERAL unnest(route.channels) AS channel
      LEFT JOIN schedctl.run ON run.run_id = told.run_id
      LEFT JOIN schedctl.schedule ON schedule.schedule_id = told.schedule_id
      LEFT JOIN schedctl.plan ON plan.plan_id = coalesce(run.plan_id, schedule.plan_id)
     WHERE (route.risks = '{}' OR plan.risk = ANY (route.risks))
       AND (route.nodes = '{}' OR told.detail ->> 'node' = ANY (route.nodes) OR EXISTS (
                SELECT FROM schedctl.plan_leg WHERE plan_leg.plan_id = plan.plan_id AND node = ANY (route.nodes)))
     ORDER BY told.event_id
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER events_fill_the_outbox
    AFTER INSERT ON schedctl.event REFERENCING NEW TABLE AS told
    FOR EACH STATEMENT EXECUTE FUNCTION schedctl.fill_outbox();

-- ---------------------------------------------------------------- runs and schedules -> events

-- What a notice says of a run, kept in the event: the run may be gone when it is sent.
CREATE OR REPLACE FUNCTION schedctl.about_run(p_run schedctl.run) RETURNS jsonb
LANGUAGE sql STABLE AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'trigger', p_run.trigger, 'scheduled_for', p_run.scheduled_for, 'reason', p_run.reason, 'error', p_run.error,
        'first', p_run.first_at, 'count', nullif(p_run.count, 1)))
$$;

-- The type of event that the record of an occurrence is: `late` fired more than two minutes after its instant.
CREATE OR REPLACE FUNCTION schedctl.recorded_as(p_run schedctl.run) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_run.state <> 'queued' THEN p_run.state
                WHEN schedctl.now() > p_run.scheduled_for + interval '2 minutes' THEN 'late'
                ELSE 'fired' END
$$;

-- What a tick records in bulk becomes events only where a route asks for the type, so that 10,000 due stay fast; a schedule
-- that could not fire always does.
CREATE OR REPLACE FUNCTION schedctl.tell_recorded_runs() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM schedctl.route) AND NOT EXISTS (SELECT FROM recorded WHERE state = 'refused') THEN
        RETURN NULL;
    END IF;
    INSERT INTO schedctl.event (type, actor, schedule_id, run_id, detail)
    SELECT told.type, coalesce(run.created_by, 'schedctl'), run.schedule_id, run.run_id, schedctl.about_run(run)
      FROM recorded JOIN schedctl.run USING (run_id)
     CROSS JOIN LATERAL schedctl.recorded_as(run) AS told (type)
     WHERE run.trigger = 'timer' AND run.state IN ('queued', 'missed', 'skipped', 'rehearsed', 'refused')
       AND (run.state = 'refused' OR told.type IN (SELECT asked.type FROM schedctl.asked))
     ORDER BY run.run_id;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER recorded_runs_are_told
    AFTER INSERT ON schedctl.run REFERENCING NEW TABLE AS recorded
    FOR EACH STATEMENT EXECUTE FUNCTION schedctl.tell_recorded_runs();

-- How a run of the timer ended is told when it is news: another outcome than the last one of its schedule.
CREATE OR REPLACE FUNCTION schedctl.tell_ended_run() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    v_type text;
BEGIN
    v_type := CASE
        WHEN NEW.state IN ('succeeded', 'failed', 'timed_out', 'lost') THEN schedctl.news(NEW.schedule_id, NEW.state)
        -- A worker that was told to stop; who cancels, pauses or disarms is an event of its own.
        WHEN NEW.state = 'cancelled' AND NEW.reason = 'shutdown' THEN 'cancelled'
        WHEN NEW.state = 'missed' AND EXISTS (SELECT FROM schedctl.asked WHERE type = 'missed') THEN 'missed'
    END;
    IF v_type = 'failed' AND NEW.error ->> 'type' = 'budget_reached' THEN
        v_type := 'budget_reached';
    END IF;
    IF v_type IS NOT NULL THEN
        INSERT INTO schedctl.event (type, actor, schedule_id, run_id, detail)
        VALUES (v_type, 'schedctl', NEW.schedule_id, NEW.run_id, schedctl.about_run(NEW));
    END IF;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER ended_runs_are_told
    AFTER UPDATE OF state ON schedctl.run
    FOR EACH ROW WHEN (OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL AND NEW.trigger = 'timer')
    EXECUTE FUNCTION schedctl.tell_ended_run();

-- The type of event that an outcome is, NULL when it is what the last one was. The schedule is locked only for news.
CREATE OR REPLACE FUNCTION schedctl.news(p_schedule bigint, p_outcome text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_before text;
BEGIN
    IF EXISTS (SELECT FROM schedctl.schedule WHERE schedule_id = p_schedule AND last_outcome = p_outcome) THEN
        RETURN NULL;
    END IF;
    SELECT last_outcome INTO v_before FROM schedctl.schedule WHERE schedule_id = p_schedule FOR NO KEY UPDATE;
    IF v_before = p_outcome THEN
        RETURN NULL;
    END IF;
    UPDATE schedctl.schedule SET last_outcome = p_outcome WHERE schedule_id = p_schedule;
    RETURN CASE WHEN p_outcome = 'succeeded' AND v_before IS NOT NULL THEN 'recovered' ELSE p_outcome END;
END
$$;

CREATE OR REPLACE FUNCTION schedctl.tell_finished_schedule() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO schedctl.event (type, actor, schedule_id)
    SELECT 'finished', 'schedctl', NEW.schedule_id WHERE EXISTS (SELECT FROM schedctl.asked WHERE type = 'finished');
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER finished_schedules_are_told
    AFTER UPDATE ON schedctl.schedule
    FOR EACH ROW WHEN (OLD.state <> 'finished' AND NEW.state = 'finished')
    EXECUTE FUNCTION schedctl.tell_finished_schedule();

-- After a pause that followed a failure, whatever comes is news.
CREATE OR REPLACE FUNCTION schedctl.doubt_outcome() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    NEW.last_outcome := 'resumed';
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER resumed_schedules_are_watched_anew
    BEFORE UPDATE ON schedctl.schedule
    FOR EACH ROW WHEN (OLD.state = 'paused' AND NEW.state = 'active' AND OLD.last_outcome <> 'succeeded')
    EXECUTE FUNCTION schedctl.doubt_outcome();

-- ---------------------------------------------------------------- freezes

-- Tell of a freeze within the day before it begins, once. Returns how many were told.
CREATE OR REPLACE FUNCTION schedctl.tell_freezes_ahead() RETURNS bigint
LANGUAGE sql AS $$
    WITH told AS (
        INSERT INTO schedctl.event (type, actor, detail)
        SELECT 'freeze_ahead', 'schedctl',
               jsonb_build_object('start', starts_at, 'end', ends_at, 'reason', reason, 'risks', risks)
          FROM schedctl.freeze AS ahead
         WHERE starts_at > schedctl.now() AND starts_at <= schedctl.now() + interval '1 day'
           AND EXISTS (SELECT FROM schedctl.asked WHERE type = 'freeze_ahead')
           AND NOT EXISTS (
                SELECT FROM schedctl.event
                 WHERE type = 'freeze_ahead' AND (detail ->> 'start')::timestamptz = starts_at
                   AND detail ->> 'reason' = ahead.reason)
        RETURNING 1)
    SELECT count(*) FROM told
$$;
CREATE INDEX IF NOT EXISTS event_of_freezes ON schedctl.event (event_id) WHERE type = 'freeze_ahead';

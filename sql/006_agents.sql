-- Agents: long-running programs outside schedctl that send beats. One row an agent, no row a beat.

CREATE TABLE IF NOT EXISTS schedctl.agent (
    name           text PRIMARY KEY,
    -- what the adopted agents.toml says; unwatched agents beat without being judged
    watched        boolean NOT NULL DEFAULT false,
    every          interval NOT NULL DEFAULT '1 minute',
    missed_beats   int NOT NULL DEFAULT 2,
    restart_plan   bigint REFERENCES schedctl.plan,
    cooldown       interval NOT NULL DEFAULT '5 minutes',
    attempts       int NOT NULL DEFAULT 3,
    cost_window    int NOT NULL DEFAULT 50,
    cost_factor    float NOT NULL DEFAULT 10,
    stopping_for   interval NOT NULL DEFAULT '10 minutes',
    tell           text[] NOT NULL DEFAULT '{}',
    watched_since  timestamptz NOT NULL DEFAULT schedctl.now(),
    -- what its beats say
    status         text,
    detail         text,
    beat_at        timestamptz,
    stop_by        timestamptz,
    tokens         bigint[] NOT NULL DEFAULT '{}',
    -- how it is judged
    state          text NOT NULL DEFAULT 'starting',
    state_since    timestamptz NOT NULL DEFAULT schedctl.now(),
    ok_since       timestamptz,
    unwell_since   timestamptz,  -- told of as unhealthy then, and not `ok` since
    attempts_made  int NOT NULL DEFAULT 0,
    restarted_at   timestamptz,
    restart_run    bigint,
    cost_alarm     boolean NOT NULL DEFAULT false,
    CONSTRAINT names_of_agents_are_short CHECK (length(name) BETWEEN 1 AND 200),
    CONSTRAINT agent_states_are_known CHECK (state IN (
        'starting', 'ok', 'late', 'unhealthy', 'restarting', 'cooling', 'escalated', 'stopping', 'stopped')),
    CONSTRAINT beats_say_a_known_status CHECK (status IN ('starting', 'ok', 'stopping', 'error')),
    CONSTRAINT an_ok_agent_knows_since_when CHECK (state <> 'ok' OR ok_since IS NOT NULL),
    CONSTRAINT a_stopping_agent_knows_until_when CHECK (state <> 'stopping' OR stop_by IS NOT NULL),
    CONSTRAINT a_restarting_agent_knows_its_run CHECK (
        state NOT IN ('restarting', 'cooling') OR (restarted_at IS NOT NULL AND restart_run IS NOT NULL)),
    CONSTRAINT no_more_restarts_than_allowed CHECK (attempts_made <= attempts)
) WITH (fillfactor = 50);

-- ---------------------------------------------------------------- beats

-- One beat: one statement from any language, one update of one row. Status `ok` means that the agent has verified its own
-- state: only that is recovered. The tokens are those spent since the beat before. With `stopping` an agent may say for how
-- long it will stop (`p_for`); else it is what agents.toml allows. Whoever may beat needs no right to any table.
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
           cost_alarm = v_alarm
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

CREATE OR REPLACE FUNCTION schedctl.refuse_nonsense(p_status text, p_tokens bigint, p_for interval) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_status IS NULL OR p_status NOT IN ('ok', 'starting', 'stopping', 'error') THEN
        RAISE EXCEPTION 'the status of a beat is ok, starting, stopping or error' USING ERRCODE = 'invalid_parameter_value';
    ELSIF p_tokens < 0 THEN
        RAISE EXCEPTION 'tokens are not negative' USING ERRCODE = 'invalid_parameter_value';
    ELSIF p_for IS NOT NULL AND (p_status <> 'stopping' OR p_for <= '0' OR p_for > '1 day') THEN
        RAISE EXCEPTION 'only a stopping agent says for how long, and at most a day'
              USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

-- A beat inside a transaction that is left open locks the agent's row, and nobody can judge it: an agent that hangs would hide
-- behind its own lock. So the server ends such a transaction when the agent is idle in it for longer than it may be silent.
CREATE OR REPLACE FUNCTION schedctl.leave_no_transaction_open(p_patience interval) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_set interval := current_setting('idle_in_transaction_session_timeout')::interval;
BEGIN
    IF v_set = '0' OR v_set > p_patience THEN
        PERFORM set_config('idle_in_transaction_session_timeout',
                           least(round(extract(epoch FROM p_patience) * 1000), 2147483647)::text, true);
    END IF;
END
$$;

-- What a beat makes of a state. While unwell, only `ok` is recovered. Whoever is being restarted is told to stop, and says so:
-- that is no stop that anybody announced. Past its declared time a stopping agent counts as stopped.
CREATE OR REPLACE FUNCTION schedctl.state_after_beat(p_state text, p_status text, p_time_is_over boolean) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN p_status = 'ok' THEN 'ok'
        WHEN p_state IN ('restarting', 'cooling') THEN p_state
        WHEN p_status = 'stopping' THEN CASE WHEN p_time_is_over THEN 'stopped' ELSE 'stopping' END
        WHEN p_state IN ('unhealthy', 'escalated') THEN p_state
        WHEN p_status = 'error' AND p_state IN ('ok', 'late') THEN CASE p_state WHEN 'ok' THEN 'ok' ELSE 'late' END
        ELSE 'starting'
    END
$$;

-- Keep that an unwell agent says `ok`. A restart that nobody has begun by then would only harm it.
CREATE OR REPLACE FUNCTION schedctl.note_recovery(p_before schedctl.agent) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_restarted boolean := p_before.state IN ('restarting', 'cooling') AND EXISTS (
        SELECT FROM schedctl.run WHERE run_id = p_before.restart_run AND started_at IS NOT NULL);
BEGIN
    PERFORM schedctl.cancel_restart(p_before.restart_run, 'recovered');
    INSERT INTO schedctl.event (type, actor, detail)
    VALUES ('agent_recovered', p_before.name, jsonb_build_object(
            'agent', p_before.name, 'was', p_before.state, 'by', CASE WHEN v_restarted THEN 'restart' ELSE 'itself' END,
            'silent_since', p_before.beat_at, 'unwell_since', p_before.unwell_since));
END
$$;

-- A restart that no worker has begun ends as cancelled; one that is under way goes on.
CREATE OR REPLACE FUNCTION schedctl.cancel_restart(p_run bigint, p_reason text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM schedctl.run WHERE run_id = p_run AND trigger = 'restart' AND state = 'queued' FOR UPDATE;
    IF FOUND THEN
        UPDATE schedctl.leg SET state = 'cancelled', waits = false, finished_at = schedctl.now(), reason = p_reason
         WHERE run_id = p_run AND state = 'queued';
        PERFORM schedctl.settle_run(p_run);
    END IF;
END
$$;

-- ---------------------------------------------------------------- what it costs

CREATE OR REPLACE FUNCTION schedctl.mean_of(p_tokens bigint[]) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$
    SELECT round(avg(one), 1) FROM unnest(p_tokens) AS one
$$;

-- The last so many counts, with one more.
CREATE OR REPLACE FUNCTION schedctl.with_latest(p_tokens bigint[], p_latest bigint, p_window int) RETURNS bigint[]
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_latest IS NULL THEN p_tokens
                ELSE (p_tokens || p_latest)[greatest(1, cardinality(p_tokens) + 2 - p_window):] END
$$;

-- Whether a count is far above the mean of those before. NULL: it cannot be said, for want of a count or of ten before it. A
-- mean under one counts as one.
CREATE OR REPLACE FUNCTION schedctl.is_a_burst(p_tokens bigint, p_before bigint[], p_factor float) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN cardinality(p_before) >= 10 THEN p_tokens > p_factor * greatest(1, schedctl.mean_of(p_before)) END
$$;

-- What else spends tokens: `schedule N` (the runs of its HTTP requests), `planner` (the plans that a model made).
CREATE TABLE IF NOT EXISTS schedctl.cost (
    subject  text PRIMARY KEY,
    tokens   bigint[] NOT NULL DEFAULT '{}',
    alarm    boolean NOT NULL DEFAULT false
);

-- Keep a count of a subject; its alarm is an event, once an episode. Windows and factors are those of an agent by default.
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
    IF v_alarm AND NOT v_before.alarm THEN
        INSERT INTO schedctl.event (type, actor, schedule_id, run_id, detail)
        VALUES ('cost_alarm', 'schedctl', p_schedule, p_run, jsonb_build_object(
                'subject', p_subject, 'tokens', p_tokens, 'mean', schedctl.mean_of(v_before.tokens)));
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION schedctl.note_cost_of_step() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM schedctl.note_cost('schedule ' || schedule_id, NEW.tokens, schedule_id, run_id)
       FROM schedctl.leg JOIN schedctl.run USING (run_id) WHERE leg_id = NEW.leg_id AND schedule_id IS NOT NULL;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER steps_cost_what_they_say
    AFTER UPDATE OF tokens ON schedctl.step FOR EACH ROW
    WHEN (NEW.tokens IS NOT NULL AND OLD.tokens IS NULL) EXECUTE FUNCTION schedctl.note_cost_of_step();

CREATE OR REPLACE FUNCTION schedctl.note_cost_of_plan() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM schedctl.note_cost('planner', (NEW.document #>> '{origin,tokens}')::bigint, NULL, NULL);
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER plans_cost_what_the_model_said
    AFTER INSERT ON schedctl.plan FOR EACH ROW
    WHEN (NEW.document #>> '{origin,tokens}' IS NOT NULL) EXECUTE FUNCTION schedctl.note_cost_of_plan();

-- ---------------------------------------------------------------- judging

-- How long an agent may be silent before so many beats count as missed: their intervals, and for the way a tenth of one (at
-- least 5 s).
CREATE OR REPLACE FUNCTION schedctl.patience(p_every interval, p_beats int) RETURNS interval
LANGUAGE sql IMMUTABLE AS $$
    SELECT p_every * p_beats + greatest(p_every / 10, interval '5 seconds')
$$;

-- The state that an agent's silence, or its restart (whether it goes on, and when it ended), leads to. An agent that is still
-- starting after a cooldown is as unwell as one that is silent: whatever starts it may start it for ever.
CREATE OR REPLACE FUNCTION schedctl.judgement(
    p_agent schedctl.agent, p_now timestamptz, p_restart_goes_on boolean, p_restart_ended timestamptz) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN p_agent.state IN ('escalated', 'stopped') THEN p_agent.state
        WHEN p_agent.state = 'stopping' THEN CASE WHEN p_now >= p_agent.stop_by THEN 'stopped' ELSE 'stopping' END
        WHEN p_agent.state IN ('restarting', 'cooling') THEN CASE
            WHEN p_restart_goes_on THEN 'restarting'
            WHEN p_now < greatest(p_agent.restarted_at, p_restart_ended) + p_agent.cooldown THEN 'cooling'
            WHEN p_agent.attempts_made >= p_agent.attempts THEN 'escalated'
            ELSE 'unhealthy' END
        WHEN p_agent.state = 'unhealthy' THEN
            CASE WHEN p_agent.attempts_made >= p_agent.attempts AND p_agent.restart_plan IS NOT NULL
                 THEN 'escalated' ELSE 'unhealthy' END
        WHEN p_agent.status = 'error' THEN 'unhealthy'
        WHEN p_now - greatest(p_agent.beat_at, p_agent.watched_since)
             > schedctl.patience(p_agent.every, p_agent.missed_beats) THEN 'unhealthy'
        WHEN p_agent.state = 'starting' AND p_now - greatest(p_agent.state_since, p_agent.watched_since)
             > greatest(p_agent.cooldown, schedctl.patience(p_agent.every, p_agent.missed_beats)) THEN 'unhealthy'
        WHEN p_now - greatest(p_agent.beat_at, p_agent.watched_since) > schedctl.patience(p_agent.every, 1) THEN 'late'
        ELSE p_agent.state
    END
$$;

-- Whether an agent has been seen to be `ok` for a cooldown, after which it has all its attempts again.
CREATE OR REPLACE FUNCTION schedctl.is_proven(p_agent schedctl.agent) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p_agent.attempts_made > 0 AND p_agent.state = 'ok' AND p_agent.beat_at >= p_agent.ok_since + p_agent.cooldown
$$;

-- Judge every watched agent: one statement for the states, then a restart for each that needs one. Returns how many changed.
-- A row that is locked is skipped: its agent is beating at this moment, or will be judged at the next tick.
CREATE OR REPLACE FUNCTION schedctl.judge_agents() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_now       timestamptz := schedctl.now();
    v_changed   bigint;
    v_unhealthy text[];
BEGIN
    WITH judged AS (
        SELECT agent.name, agent.state AS was, verdict.becomes
          FROM schedctl.agent
          LEFT JOIN schedctl.run ON run.run_id = agent.restart_run AND agent.state IN ('restarting', 'cooling')
         CROSS JOIN LATERAL (SELECT schedctl.judgement(
                    agent, v_now, run.run_id IS NOT NULL AND run.finished_at IS NULL,
                    CASE WHEN run.started_at IS NOT NULL THEN run.finished_at END) AS becomes) AS verdict
         WHERE agent.watched
           AND (verdict.becomes <> agent.state OR agent.state = 'unhealthy' OR schedctl.is_proven(agent))
           FOR UPDATE OF agent SKIP LOCKED),
    changed AS (
        UPDATE schedctl.agent
           SET state = becomes, state_since = CASE WHEN becomes = was THEN state_since ELSE v_now END,
               ok_since = CASE WHEN becomes = 'ok' THEN ok_since END,
               unwell_since = CASE WHEN becomes = 'unhealthy' THEN coalesce(unwell_since, v_now) ELSE unwell_since END,
               attempts_made = CASE WHEN schedctl.is_proven(agent) THEN 0 ELSE attempts_made END
          FROM judged WHERE judged.name = agent.name
        RETURNING agent.*, was),
    told AS (
        INSERT INTO schedctl.event (type, actor, detail)
        SELECT CASE state WHEN 'unhealthy' THEN 'agent_unhealthy' ELSE 'agent_escalated' END, 'schedctl',
               jsonb_build_object('agent', name, 'was', was, 'silent_since', beat_at, 'status', status, 'detail', detail,
                                  'attempts', attempts_made, 'restarts', restart_plan IS NOT NULL)
          FROM changed
         WHERE state <> was AND (state = 'escalated' OR (state = 'unhealthy' AND was IN ('starting', 'ok', 'late')))
         ORDER BY name
        RETURNING 1)
    SELECT count(*) FILTER (WHERE state <> was), array_agg(name) FILTER (WHERE state = 'unhealthy')
      INTO v_changed, v_unhealthy FROM changed;
    IF v_unhealthy IS NOT NULL AND (SELECT armed FROM schedctl.installation) THEN
        PERFORM schedctl.restart_agent(agent) FROM schedctl.agent
          WHERE name = ANY (v_unhealthy) AND restart_plan IS NOT NULL AND attempts_made < attempts;
    END IF;
    RETURN v_changed;
END
$$;

-- Queue a restart of an agent by its catalog action: a run like any other, with the trigger `restart`.
CREATE OR REPLACE FUNCTION schedctl.restart_agent(p_agent schedctl.agent) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_run bigint;
BEGIN
    INSERT INTO schedctl.run (plan_id, trigger, state, created_by)
    VALUES (p_agent.restart_plan, 'restart', 'queued', 'agent ' || p_agent.name) RETURNING run_id INTO v_run;
    INSERT INTO schedctl.leg (run_id, position, stage, node, host, changes, waits, due_at, claimable_until)
    SELECT v_run, position, stage, node, host, changes, stage > 0, schedctl.now(), schedctl.now() + p_agent.cooldown
      FROM schedctl.plan_leg WHERE plan_id = p_agent.restart_plan;
    UPDATE schedctl.agent
       SET state = 'restarting', state_since = schedctl.now(), attempts_made = attempts_made + 1,
           restarted_at = schedctl.now(), restart_run = v_run
     WHERE name = p_agent.name;
    INSERT INTO schedctl.event (type, actor, run_id, detail)
    VALUES ('agent_restarted', 'schedctl', v_run, jsonb_build_object(
            'agent', p_agent.name, 'attempt', p_agent.attempts_made + 1, 'of', p_agent.attempts));
    RETURN v_run;
END
$$;

-- ---------------------------------------------------------------- who is told

-- The channels that agents.toml names for an agent, beside those of the routes.
CREATE OR REPLACE FUNCTION schedctl.tell_of_agents() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO schedctl.outbox (event_id, channel)
    SELECT DISTINCT told.event_id, channel
      FROM told JOIN schedctl.agent ON agent.name = told.detail ->> 'agent' AND agent.watched
     CROSS JOIN LATERAL unnest(agent.tell) AS channel
     ORDER BY told.event_id
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER events_of_agents_are_told
    AFTER INSERT ON schedctl.event REFERENCING NEW TABLE AS told
    FOR EACH STATEMENT EXECUTE FUNCTION schedctl.tell_of_agents();

-- What `watch` asks of the events, once a minute.
CREATE INDEX IF NOT EXISTS event_of_watching ON schedctl.event (type, at) WHERE type IN ('tick_silent', 'queue_stuck');

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
    watched_since  timestamptz NOT NULL DEFAULT schedctl.now(),
    -- what its beats say
    status         text,
    detail         text,
    beat_at        timestamptz,
    tokens         bigint[] NOT NULL DEFAULT '{}',
    -- how it is judged
    state          text NOT NULL DEFAULT 'starting',
    state_since    timestamptz NOT NULL DEFAULT schedctl.now(),
    ok_since       timestamptz,
    attempts_made  int NOT NULL DEFAULT 0,
    restarted_at   timestamptz,
    restart_run    bigint,
    cost_alarm     boolean NOT NULL DEFAULT false,
    CONSTRAINT agent_states_are_known CHECK (state IN (
        'starting', 'ok', 'late', 'unhealthy', 'restarting', 'cooling', 'escalated', 'stopping', 'stopped')),
    CONSTRAINT beats_say_a_known_status CHECK (status IN ('starting', 'ok', 'stopping', 'error')),
    CONSTRAINT an_ok_agent_knows_since_when CHECK (state <> 'ok' OR ok_since IS NOT NULL),
    CONSTRAINT no_more_restarts_than_allowed CHECK (attempts_made <= attempts)
) WITH (fillfactor = 50);

-- One beat: one statement from any language, one update of one row. Status `ok` means that the agent has verified its own
-- state: only that is recovered. The tokens are those spent since the beat before.
CREATE OR REPLACE FUNCTION schedctl.beat(
    p_name text, p_status text DEFAULT 'ok', p_tokens bigint DEFAULT NULL, p_detail text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_before schedctl.agent;
    v_now    timestamptz := schedctl.now();
    v_alarm  boolean;
    v_state  text;
BEGIN
    IF p_tokens < 0 THEN
        RAISE EXCEPTION 'tokens are not negative' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO v_before FROM schedctl.agent WHERE name = p_name FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO schedctl.agent (name) VALUES (p_name) ON CONFLICT DO NOTHING;
        SELECT * INTO v_before FROM schedctl.agent WHERE name = p_name FOR UPDATE;
    END IF;
    v_alarm := schedctl.costs_too_much(v_before, p_status, p_tokens);
    v_state := schedctl.state_after_beat(v_before.state, p_status);
    UPDATE schedctl.agent
       SET status = p_status, detail = left(p_detail, 1000), beat_at = v_now,
           tokens = CASE WHEN p_tokens IS NULL OR p_status = 'stopping' THEN tokens
                         ELSE (tokens || p_tokens)[greatest(1, cardinality(tokens) + 2 - cost_window):] END,
           state = v_state,
           state_since = CASE WHEN state = v_state THEN state_since ELSE v_now END,
           ok_since = CASE WHEN v_state <> 'ok' THEN NULL WHEN state = 'ok' THEN ok_since ELSE v_now END,
           cost_alarm = v_alarm
     WHERE name = p_name;
    IF v_alarm AND NOT v_before.cost_alarm THEN
        INSERT INTO schedctl.event (type, actor, detail)
        VALUES ('cost_alarm', p_name, jsonb_build_object('agent', p_name, 'tokens', p_tokens,
                'mean', (SELECT round(avg(one), 1) FROM unnest(v_before.tokens) AS one)));
    END IF;
    IF p_status = 'ok' AND v_before.state IN ('unhealthy', 'restarting', 'cooling', 'escalated') THEN
        INSERT INTO schedctl.event (type, actor, detail)
        VALUES ('agent_recovered', p_name, jsonb_build_object('agent', p_name, 'was', v_before.state,
                'by', CASE WHEN v_before.attempts_made > 0 THEN 'restart' ELSE 'itself' END,
                'silent_since', v_before.beat_at));
    END IF;
END
$$;

-- What a beat makes of a state. While a restart is under way only `ok` ends it.
CREATE OR REPLACE FUNCTION schedctl.state_after_beat(p_state text, p_status text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN p_status = 'ok' THEN 'ok'
        WHEN p_status = 'stopping' THEN 'stopping'
        WHEN p_state IN ('unhealthy', 'restarting', 'cooling', 'escalated') THEN p_state
        WHEN p_status = 'error' THEN CASE WHEN p_state = 'late' THEN 'ok' ELSE p_state END
        ELSE 'starting'
    END
$$;

-- Tokens far above the mean of the beats before: not before ten of them, not while stopping. A mean under one counts as one.
CREATE OR REPLACE FUNCTION schedctl.costs_too_much(p_agent schedctl.agent, p_status text, p_tokens bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN p_status = 'stopping' THEN false
        WHEN p_tokens IS NULL OR cardinality(p_agent.tokens) < 10 OR NOT p_agent.watched THEN p_agent.cost_alarm
        ELSE p_tokens > p_agent.cost_factor * greatest(1, (SELECT avg(one) FROM unnest(p_agent.tokens) AS one))
    END
$$;

-- How long an agent may be silent before a beat counts as missed: its interval, and a tenth (at least 5 s) for the way.
CREATE OR REPLACE FUNCTION schedctl.patience(p_every interval, p_beats int) RETURNS interval
LANGUAGE sql IMMUTABLE AS $$
    SELECT p_every * p_beats + greatest(p_every / 10, interval '5 seconds')
$$;

-- Judge every watched agent: one statement for the states, then a restart for each that needs one. Returns how many changed.
CREATE OR REPLACE FUNCTION schedctl.judge_agents() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_now     timestamptz := schedctl.now();
    v_changed bigint;
BEGIN
    WITH judged AS (
        SELECT agent.name, agent.state AS was, schedctl.judgement(agent, v_now) AS becomes
          FROM schedctl.agent WHERE watched
           FOR UPDATE SKIP LOCKED),
    changed AS (
        UPDATE schedctl.agent SET state = becomes, state_since = v_now,
               ok_since = CASE WHEN becomes = 'ok' THEN coalesce(ok_since, v_now) END
          FROM judged WHERE judged.name = agent.name AND becomes <> was
        RETURNING agent.*, was),
    told AS (
        INSERT INTO schedctl.event (type, actor, detail)
        SELECT CASE state WHEN 'unhealthy' THEN 'agent_unhealthy' ELSE 'agent_escalated' END, 'schedctl',
               jsonb_build_object('agent', name, 'silent_since', beat_at, 'status', status, 'detail', detail,
                                  'attempts', attempts_made)
          FROM changed WHERE state = 'escalated' OR (state = 'unhealthy' AND was IN ('starting', 'ok', 'late'))
        RETURNING 1)
    SELECT count(*) INTO v_changed FROM changed;
    UPDATE schedctl.agent SET attempts_made = 0
     WHERE watched AND attempts_made > 0 AND state = 'ok' AND ok_since <= v_now - cooldown;
    IF (SELECT armed FROM schedctl.installation) THEN
        PERFORM schedctl.restart_agent(name)
           FROM schedctl.agent WHERE watched AND state = 'unhealthy' AND restart_plan IS NOT NULL AND attempts_made < attempts;
    END IF;
    RETURN v_changed;
END
$$;

-- The state that an agent's silence, or its restart, leads to.
CREATE OR REPLACE FUNCTION schedctl.judgement(p_agent schedctl.agent, p_now timestamptz) RETURNS text
LANGUAGE sql STABLE AS $$
    WITH seen AS (SELECT p_now - coalesce(p_agent.beat_at, p_agent.watched_since) AS silence)
    SELECT CASE
        WHEN p_agent.state IN ('escalated', 'stopped') THEN p_agent.state
        WHEN p_agent.state = 'stopping' THEN
            CASE WHEN p_now - p_agent.state_since >= p_agent.stopping_for THEN 'stopped' ELSE 'stopping' END
        WHEN p_agent.state IN ('restarting', 'cooling') THEN CASE
            WHEN p_now - p_agent.restarted_at < p_agent.cooldown THEN
                CASE WHEN EXISTS (SELECT FROM schedctl.run WHERE run_id = p_agent.restart_run AND finished_at IS NULL)
                     THEN 'restarting' ELSE 'cooling' END
            WHEN p_agent.attempts_made >= p_agent.attempts THEN 'escalated'
            ELSE 'unhealthy' END
        WHEN p_agent.state = 'unhealthy' THEN
            CASE WHEN p_agent.attempts_made >= p_agent.attempts AND p_agent.restart_plan IS NOT NULL
                 THEN 'escalated' ELSE 'unhealthy' END
        WHEN p_agent.status = 'error' THEN 'unhealthy'
        WHEN silence > schedctl.patience(p_agent.every, p_agent.missed_beats) THEN 'unhealthy'
        WHEN silence > schedctl.patience(p_agent.every, 1) THEN 'late'
        ELSE p_agent.state
    END FROM seen
$$;

-- Queue a restart of an agent by its catalog action: a run like any other, with the trigger `restart`.
CREATE OR REPLACE FUNCTION schedctl.restart_agent(p_name text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_agent schedctl.agent;
    v_run   bigint;
BEGIN
    UPDATE schedctl.agent
       SET state = 'restarting', state_since = schedctl.now(), attempts_made = attempts_made + 1, restarted_at = schedctl.now()
     WHERE name = p_name RETURNING * INTO v_agent;
    INSERT INTO schedctl.run (plan_id, trigger, state, created_by)
    VALUES (v_agent.restart_plan, 'restart', 'queued', 'agent ' || p_name) RETURNING run_id INTO v_run;
    INSERT INTO schedctl.leg (run_id, position, stage, node, host, changes, waits, due_at, claimable_until)
    SELECT v_run, position, stage, node, host, changes, stage > 0, schedctl.now(), schedctl.now() + v_agent.cooldown
      FROM schedctl.plan_leg WHERE plan_id = v_agent.restart_plan;
    UPDATE schedctl.agent SET restart_run = v_run WHERE name = p_name;
    INSERT INTO schedctl.event (type, actor, run_id, detail)
    VALUES ('agent_restarted', 'schedctl', v_run,
            jsonb_build_object('agent', p_name, 'attempt', v_agent.attempts_made, 'of', v_agent.attempts));
    RETURN v_run;
END
$$;

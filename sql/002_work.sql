-- What a worker may do: claim a leg, begin and finish its steps, renew its lease, finish it. Each function guards itself by
-- the leg's token, so that a worker that was overtaken changes nothing. They are SECURITY DEFINER: a worker's own role needs
-- EXECUTE on them and no right to any table (sql/roles.sql).

-- Which legs a role may work on. Members of the owner's role need no row: they may work on all.
CREATE TABLE IF NOT EXISTS schedctl.worker_node (
    role  name NOT NULL,
    node  text NOT NULL,
    host  text NOT NULL DEFAULT '',  -- of a local node: the host on which it was registered
    PRIMARY KEY (role, node, host)
);
CREATE OR REPLACE FUNCTION schedctl.may_work_on(p_node text, p_host text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN schedctl.is_owner() OR EXISTS (
        SELECT FROM schedctl.worker_node WHERE role = session_user AND node = p_node AND host = p_host);
END
$$;

-- Whether changing work may start on a node now, by hand-made holds and by other legs.
CREATE OR REPLACE FUNCTION schedctl.node_is_free(p_node text, p_host text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN NOT EXISTS (SELECT FROM schedctl.node_hold WHERE node = p_node)
       AND NOT EXISTS (SELECT FROM schedctl.leg WHERE holds_node AND node = p_node AND host = p_host);
END
$$;

-- Whether the rules let a queued leg start now. Manual runs may always start; others only within their limit, while the
-- installation is armed, the schedule neither paused nor archived, its turn come (overlap "queue") and no freeze on.
CREATE OR REPLACE FUNCTION schedctl.may_start(p_run schedctl.run, p_claimable_until timestamptz) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN p_run.trigger = 'manual' OR (
            p_claimable_until >= schedctl.now()
        AND (SELECT armed FROM schedctl.installation)
        AND (p_run.schedule_id IS NULL OR EXISTS (
                SELECT FROM schedctl.schedule
                 WHERE schedule.schedule_id = p_run.schedule_id AND schedule.state IN ('active', 'finished')
                   AND (schedule.overlap <> 'queue' OR NOT EXISTS (
                        SELECT FROM schedctl.run earlier
                         WHERE earlier.schedule_id = p_run.schedule_id AND earlier.finished_at IS NULL
                           AND earlier.trigger = 'timer' AND earlier.run_id < p_run.run_id))))
        AND (p_run.trigger = 'restart' OR NOT EXISTS (
                SELECT FROM schedctl.freeze JOIN schedctl.plan ON plan.plan_id = p_run.plan_id
                 WHERE plan.risk = ANY (risks) AND schedctl.now() >= starts_at AND schedctl.now() < ends_at)));
END
$$;

-- Take the oldest leg that may start: no row where there is none. Nothing is waited for, so workers cannot block each other;
-- two that meet on one node are settled by the index one_changing_leg_a_node, and the loser tries the next leg.
CREATE OR REPLACE FUNCTION schedctl.claim(p_worker text, p_host text, p_nodes text[] DEFAULT NULL, p_run bigint DEFAULT NULL)
RETURNS TABLE (leg_id bigint, run_id bigint, schedule_id bigint, trigger text, scheduled_for timestamptz, timezone text,
               node text, token uuid, steps jsonb, lease interval, only_step int, budget jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_leg    schedctl.leg;
    v_token  uuid := gen_random_uuid();
    v_lease  interval := (SELECT installation.lease FROM schedctl.installation);
    v_passed bigint[] := '{}';
    v_all    boolean := schedctl.is_owner();
BEGIN
    LOOP
        SELECT l.* INTO v_leg
          FROM schedctl.leg l JOIN schedctl.run r ON r.run_id = l.run_id
         WHERE l.state = 'queued' AND NOT l.waits
           AND l.leg_id <> ALL (v_passed)
           AND l.host IN ('', p_host)
           AND (v_all OR schedctl.may_work_on(l.node, l.host))
           AND (p_nodes IS NULL OR l.node = ANY (p_nodes))
           AND (p_run IS NULL OR l.run_id = p_run)
           AND (NOT l.changes OR schedctl.node_is_free(l.node, l.host))
           AND schedctl.may_start(r, l.claimable_until)
         ORDER BY l.due_at, l.leg_id LIMIT 1
           FOR UPDATE OF l, r SKIP LOCKED;
        EXIT WHEN NOT FOUND;
        BEGIN
            UPDATE schedctl.leg l
               SET state = 'running', token = v_token, worker = p_worker, holds_node = l.changes,
                   claimed_at = schedctl.now(), lease_until = clock_timestamp() + v_lease
             WHERE l.leg_id = v_leg.leg_id;
            UPDATE schedctl.run r SET state = 'running', started_at = coalesce(r.started_at, schedctl.now())
             WHERE r.run_id = v_leg.run_id;
            RETURN QUERY
                SELECT v_leg.leg_id, r.run_id, r.schedule_id, r.trigger, r.scheduled_for, s.timezone,
                       v_leg.node, v_token, p.steps, v_lease, v_leg.only_step, r.budget
                  FROM schedctl.run r
                  JOIN schedctl.plan_leg p ON p.plan_id = r.plan_id AND p.position = v_leg.position
                  LEFT JOIN schedctl.schedule s ON s.schedule_id = r.schedule_id
                 WHERE r.run_id = v_leg.run_id;
            EXIT;
        EXCEPTION WHEN unique_violation THEN
            v_passed := v_passed || v_leg.leg_id;
        END;
    END LOOP;
END
$$;

-- What of a run's budget is used up, so that no step may begin any more ('tokens', 'time', 'steps', 'output'); NULL: nothing.
-- Time counts for a leg, from its first step on and by the real clock; the rest for the run, whoever carries out its legs.
CREATE OR REPLACE FUNCTION schedctl.used_up(p_leg bigint, p_position int) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_run    bigint;
    v_budget jsonb;
    v_used   record;
BEGIN
    SELECT run.run_id, run.budget INTO v_run, v_budget FROM schedctl.leg JOIN schedctl.run USING (run_id) WHERE leg_id = p_leg;
    IF v_budget IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT sum(tokens) AS tokens,
           clock_timestamp() - min(started_at) FILTER (WHERE step.leg_id = p_leg) AS time,
           count(*) FILTER (WHERE attempt = 1 AND (step.leg_id, step.position) <> (p_leg, p_position)) AS steps,
           sum(stdout_length + stderr_length) AS output_bytes
      INTO v_used
      FROM schedctl.leg JOIN schedctl.step USING (leg_id) WHERE run_id = v_run;
    RETURN CASE
        WHEN v_used.tokens >= (v_budget ->> 'tokens')::bigint THEN 'tokens'
        WHEN v_used.time >= make_interval(secs => (v_budget ->> 'time_s')::float) THEN 'time'
        WHEN v_used.steps >= (v_budget ->> 'steps')::bigint THEN 'steps'
        WHEN v_used.output_bytes >= (v_budget ->> 'output_bytes')::bigint THEN 'output'
    END;
END
$$;

-- Record that a step's command is about to begin: 'begun'. Else what of the budget is used up, or 'refused': this worker may
-- not begin it (overtaken, cancelled, or begun already).
CREATE OR REPLACE FUNCTION schedctl.begin_step(p_leg bigint, p_token uuid, p_position int, p_attempt int) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_used_up text;
BEGIN
    PERFORM FROM schedctl.leg
      WHERE leg_id = p_leg AND token = p_token AND state = 'running' AND cancel_reason IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 'refused';
    END IF;
    v_used_up := schedctl.used_up(p_leg, p_position);
    IF v_used_up IS NOT NULL THEN
        RETURN v_used_up;
    END IF;
    INSERT INTO schedctl.step (leg_id, position, attempt) VALUES (p_leg, p_position, p_attempt) ON CONFLICT DO NOTHING;
    RETURN CASE WHEN FOUND THEN 'begun' ELSE 'refused' END;
END
$$;

-- 'go_on', or why the worker has to stop: 'cancelled', 'overtaken'. With a step, what it has written so far is kept for
-- those who look on; how it ended takes its place.
CREATE OR REPLACE FUNCTION schedctl.renew(
    p_leg bigint, p_token uuid, p_position int DEFAULT NULL, p_attempt int DEFAULT NULL,
    p_stdout_head bytea DEFAULT NULL, p_stdout_tail bytea DEFAULT NULL, p_stdout_length bigint DEFAULT NULL,
    p_stderr_head bytea DEFAULT NULL, p_stderr_tail bytea DEFAULT NULL, p_stderr_length bigint DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_cancel text;
BEGIN
    UPDATE schedctl.leg SET lease_until = clock_timestamp() + (SELECT lease FROM schedctl.installation)
     WHERE leg_id = p_leg AND token = p_token AND state = 'running'
    RETURNING cancel_reason INTO v_cancel;
    IF NOT FOUND THEN
        RETURN 'overtaken';
    END IF;
    UPDATE schedctl.step
       SET stdout_head = p_stdout_head, stdout_tail = p_stdout_tail, stdout_length = p_stdout_length,
           stderr_head = p_stderr_head, stderr_tail = p_stderr_tail, stderr_length = p_stderr_length
     WHERE leg_id = p_leg AND position = p_position AND attempt = p_attempt AND state = 'running';
    RETURN CASE WHEN v_cancel IS NOT NULL THEN 'cancelled' ELSE 'go_on' END;
END
$$;

-- Record how a step ended: 'kept', or 'overspent' when the tokens that its answer reports exceed the run's budget. What arrives
-- after the leg was taken away is kept as an event, and changes nothing: 'late'.
CREATE OR REPLACE FUNCTION schedctl.finish_step(
    p_leg bigint, p_token uuid, p_position int, p_attempt int, p_state text, p_exit_code int, p_error jsonb,
    p_stdout_head bytea, p_stdout_tail bytea, p_stdout_length bigint, p_stdout_sha256 text,
    p_stderr_head bytea, p_stderr_tail bytea, p_stderr_length bigint, p_stderr_sha256 text,
    p_external_id text, p_tokens bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE schedctl.step
       SET state = p_state, exit_code = p_exit_code, error = p_error, finished_at = clock_timestamp(),
           stdout_head = p_stdout_head, stdout_tail = p_stdout_tail,
           stdout_length = p_stdout_length, stdout_sha256 = p_stdout_sha256,
           stderr_head = p_stderr_head, stderr_tail = p_stderr_tail,
           stderr_length = p_stderr_length, stderr_sha256 = p_stderr_sha256,
           external_id = p_external_id, tokens = p_tokens
     WHERE leg_id = p_leg AND position = p_position AND attempt = p_attempt AND state = 'running'
       AND EXISTS (SELECT FROM schedctl.leg WHERE leg_id = p_leg AND token = p_token AND state = 'running');
    IF NOT FOUND THEN
        INSERT INTO schedctl.event (type, actor, run_id, schedule_id, detail)
        SELECT 'late_result', leg.worker, run_id, run.schedule_id,
               jsonb_build_object('leg', p_leg, 'step', p_position, 'state', p_state, 'exit_code', p_exit_code)
          FROM schedctl.leg JOIN schedctl.run USING (run_id)
         WHERE leg_id = p_leg AND schedctl.may_work_on(node, leg.host);
        RETURN 'late';
    END IF;
    RETURN CASE WHEN p_tokens IS NOT NULL AND EXISTS (
            SELECT FROM schedctl.leg JOIN schedctl.run USING (run_id)
             WHERE leg_id = p_leg AND (budget ->> 'tokens')::bigint < (
                   SELECT sum(tokens) FROM schedctl.step JOIN schedctl.leg AS every USING (leg_id)
                    WHERE every.run_id = run.run_id))
        THEN 'overspent' ELSE 'kept' END;
END
$$;

-- A run's state, derived from its legs: the first row that applies.
CREATE OR REPLACE FUNCTION schedctl.state_of_run(p_run bigint) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT CASE
        WHEN bool_and(state = 'queued') THEN 'queued'
        WHEN bool_or(state IN ('queued', 'running')) THEN 'running'
        WHEN bool_or(state = 'lost') THEN 'lost'
        WHEN bool_or(state = 'timed_out') THEN 'timed_out'
        WHEN bool_or(state = 'failed') THEN 'failed'
        WHEN bool_or(state = 'cancelled') THEN 'cancelled'
        WHEN bool_and(state = 'not_run') THEN 'missed'
        WHEN bool_or(state = 'not_run') THEN 'failed'
        ELSE 'succeeded'
    END FROM schedctl.leg WHERE run_id = p_run);
END
$$;

-- After a leg ended: open the next stage or close the later ones, derive the run's state, count failures, pause by itself.
CREATE OR REPLACE FUNCTION schedctl.settle_run(p_run bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_run   schedctl.run;
    v_state text;
    v_bad   schedctl.leg;
BEGIN
    SELECT * INTO v_run FROM schedctl.run WHERE run_id = p_run FOR UPDATE;
    SELECT * INTO v_bad FROM schedctl.leg
      WHERE run_id = p_run AND state IN ('failed', 'timed_out', 'lost', 'cancelled', 'not_run') ORDER BY position LIMIT 1;
    IF FOUND THEN
        UPDATE schedctl.leg SET state = 'not_run', waits = false, finished_at = schedctl.now(), reason = 'earlier_stage_failed'
         WHERE run_id = p_run AND waits
           AND stage > (SELECT min(stage) FROM schedctl.leg
                         WHERE run_id = p_run AND state IN ('failed', 'timed_out', 'lost', 'cancelled', 'not_run'));
    ELSE
        UPDATE schedctl.leg
           SET waits = false, due_at = schedctl.now(),
               claimable_until = CASE WHEN claimable_until = 'infinity' THEN claimable_until
                                      ELSE schedctl.now() + (SELECT catch_up FROM schedctl.installation) END
         WHERE run_id = p_run AND waits AND stage = (
               SELECT min(stage) FROM schedctl.leg WHERE run_id = p_run AND state <> 'succeeded');
    END IF;
    v_state := schedctl.state_of_run(p_run);
    IF v_state IN ('queued', 'running') THEN
        UPDATE schedctl.run SET state = v_state WHERE run_id = p_run AND state <> v_state;
        RETURN v_state;
    END IF;
    UPDATE schedctl.run
       SET state = v_state, finished_at = schedctl.now(), error = v_bad.error,
           reason = coalesce(v_bad.reason, CASE WHEN v_state = 'missed' THEN 'not_claimed' END)
     WHERE run_id = p_run;
    -- A service that asks to wait has nothing wrong with it: such a run neither pauses its schedule nor clears its failures.
    IF v_run.trigger = 'timer' AND v_state IN ('succeeded', 'failed', 'timed_out', 'lost')
       AND v_bad.error->>'type' IS DISTINCT FROM 'rate_limited' THEN
        PERFORM schedctl.count_outcome(v_run.schedule_id, v_state);
    END IF;
    RETURN v_state;
END
$$;

-- Failures in a row, and the pause that follows them; a plan that only reads never pauses.
CREATE OR REPLACE FUNCTION schedctl.count_outcome(p_schedule bigint, p_state text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_failures int;
BEGIN
    UPDATE schedctl.schedule
       SET failures_in_a_row = CASE WHEN p_state = 'succeeded' THEN 0 ELSE failures_in_a_row + 1 END
     WHERE schedule_id = p_schedule AND (p_state <> 'succeeded' OR failures_in_a_row > 0)
    RETURNING failures_in_a_row INTO v_failures;
    UPDATE schedctl.schedule SET state = 'paused', reason = 'auto_paused', next_fire_at = NULL
      FROM schedctl.plan
     WHERE schedule_id = p_schedule AND state = 'active' AND plan.plan_id = schedule.plan_id AND plan.risk <> 'reads'
       AND v_failures >= (SELECT auto_pause_after FROM schedctl.installation);
    IF FOUND THEN
        PERFORM schedctl.cancel_queued(p_schedule, 'auto_paused');
        INSERT INTO schedctl.event (type, actor, schedule_id, detail)
        VALUES ('auto_paused', 'schedctl', p_schedule, jsonb_build_object('failures_in_a_row', v_failures));
    END IF;
END
$$;

-- Queued legs of a schedule (NULL: of all that the timer started) become cancelled; running ones go on. Returns runs touched.
-- Whoever locks legs for longer than a glance locks their runs first, in the order of their ids: no two can deadlock.
CREATE OR REPLACE FUNCTION schedctl.cancel_queued(p_schedule bigint, p_reason text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_run   bigint;
    v_count bigint := 0;
BEGIN
    FOR v_run IN
        SELECT run_id FROM schedctl.run
         WHERE finished_at IS NULL AND trigger <> 'manual' AND (p_schedule IS NULL OR schedule_id = p_schedule)
         ORDER BY run_id FOR UPDATE
    LOOP
        UPDATE schedctl.leg SET state = 'cancelled', waits = false, finished_at = schedctl.now(), reason = p_reason
         WHERE run_id = v_run AND state = 'queued';
        IF FOUND THEN
            PERFORM schedctl.settle_run(v_run);
            v_count := v_count + 1;
        END IF;
    END LOOP;
    RETURN v_count;
END
$$;

-- End a claimed leg. False: it was not this worker's any more; nothing changed, and the late result is an event.
-- 'lost' is what a worker says that no longer reaches the node: the command may run on, so a changing leg keeps its node.
CREATE OR REPLACE FUNCTION schedctl.finish_leg(p_leg bigint, p_token uuid, p_state text, p_reason text, p_error jsonb)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_run bigint := (SELECT run_id FROM schedctl.leg WHERE leg_id = p_leg);
BEGIN
    IF p_state NOT IN ('succeeded', 'failed', 'timed_out', 'lost', 'cancelled') THEN
        RAISE EXCEPTION 'a leg does not end as %', p_state USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM FROM schedctl.run WHERE run_id = v_run FOR UPDATE;
    UPDATE schedctl.leg
       SET state = p_state, reason = p_reason, error = p_error, finished_at = schedctl.now(),
           holds_node = changes AND p_state = 'lost'
     WHERE leg_id = p_leg AND token = p_token AND state = 'running';
    IF NOT FOUND THEN
        INSERT INTO schedctl.event (type, actor, run_id, detail)
        SELECT 'late_result', leg.worker, v_run, jsonb_build_object('leg', p_leg, 'state', p_state)
          FROM schedctl.leg WHERE leg_id = p_leg AND schedctl.may_work_on(node, host);
        RETURN false;
    END IF;
    PERFORM schedctl.settle_run(v_run);
    IF p_state = 'lost' THEN
        PERFORM schedctl.record_lost(p_leg);
    END IF;
    RETURN true;
END
$$;

-- Keep as an event that a leg was lost; `lost` is the event of its run.
CREATE OR REPLACE FUNCTION schedctl.record_lost(p_leg bigint) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO schedctl.event (type, actor, run_id, schedule_id, detail)
    SELECT 'leg_lost', 'schedctl', run_id, schedule_id, jsonb_build_object('leg', leg_id, 'node', node, 'worker', worker)
      FROM schedctl.leg JOIN schedctl.run USING (run_id) WHERE leg_id = p_leg
$$;

-- ---------------------------------------------------------------- what became of lost legs

-- Lost legs that hold their node, and the last step that each began. A worker asks the node about that step; where none was
-- under way (attempt is null) there is nothing to ask about.
CREATE OR REPLACE FUNCTION schedctl.lost_holds(p_host text, p_nodes text[] DEFAULT NULL)
RETURNS TABLE (leg_id bigint, run_id bigint, token uuid, timezone text, step_position int, attempt int, definition jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT leg.leg_id, leg.run_id, leg.token, schedule.timezone, last.position, last.attempt, plan_leg.steps -> last.position
      FROM schedctl.leg
      JOIN schedctl.run ON run.run_id = leg.run_id
      JOIN schedctl.plan_leg ON plan_leg.plan_id = run.plan_id AND plan_leg.position = leg.position
      LEFT JOIN schedctl.schedule ON schedule.schedule_id = run.schedule_id
      LEFT JOIN LATERAL (
            SELECT position, attempt FROM schedctl.step
             WHERE step.leg_id = leg.leg_id AND step.state = 'lost' ORDER BY position DESC, attempt DESC LIMIT 1) last ON true
     WHERE leg.holds_node AND leg.state = 'lost' AND leg.host IN ('', p_host)
       AND (p_nodes IS NULL OR leg.node = ANY (p_nodes))
       AND schedctl.may_work_on(leg.node, leg.host)
     ORDER BY leg.leg_id
$$;

-- Give a lost leg's node free, now that its command is seen to have ended, and keep what was seen. The leg stays lost: nobody
-- waited for it. False: the node was free already.
CREATE OR REPLACE FUNCTION schedctl.lost_leg_ended(
    p_leg bigint, p_worker text, p_position int, p_attempt int, p_state text, p_exit_code int,
    p_stdout_head bytea, p_stdout_tail bytea, p_stdout_length bigint, p_stdout_sha256 text,
    p_stderr_head bytea, p_stderr_tail bytea, p_stderr_length bigint, p_stderr_sha256 text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE schedctl.leg SET holds_node = false
     WHERE leg_id = p_leg AND holds_node AND state = 'lost' AND schedctl.may_work_on(node, host);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE schedctl.step
       SET exit_code = p_exit_code,
           stdout_head = p_stdout_head, stdout_tail = p_stdout_tail,
           stdout_length = p_stdout_length, stdout_sha256 = p_stdout_sha256,
           stderr_head = p_stderr_head, stderr_tail = p_stderr_tail,
           stderr_length = p_stderr_length, stderr_sha256 = p_stderr_sha256
     WHERE leg_id = p_leg AND position = p_position AND attempt = p_attempt AND state = 'lost';
    INSERT INTO schedctl.event (type, actor, run_id, schedule_id, detail)
    SELECT 'lost_leg_ended', p_worker, run_id, schedule_id,
           jsonb_build_object('leg', leg_id, 'node', node, 'state', p_state, 'exit_code', p_exit_code)
      FROM schedctl.leg JOIN schedctl.run USING (run_id) WHERE leg_id = p_leg;
    RETURN true;
END
$$;

-- ---------------------------------------------------------------- what a tick finds

-- Legs whose worker missed its renewals: lost, and a changing one keeps its node held. Returns how many.
CREATE OR REPLACE FUNCTION schedctl.mark_lost() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_leg   record;
    v_count bigint := 0;
BEGIN
    IF (SELECT nothing_lost_until FROM schedctl.installation) > clock_timestamp() THEN
        RETURN 0;
    END IF;
    FOR v_leg IN
        SELECT leg_id, run_id
          FROM schedctl.leg JOIN schedctl.run USING (run_id)
         WHERE leg.state = 'running' AND lease_until < clock_timestamp()
         ORDER BY run_id, leg_id LIMIT 1000 FOR UPDATE OF run SKIP LOCKED
    LOOP
        UPDATE schedctl.leg SET state = 'lost', reason = 'worker_silent', finished_at = schedctl.now()
         WHERE leg_id = v_leg.leg_id AND state = 'running' AND lease_until < clock_timestamp();
        CONTINUE WHEN NOT FOUND;
        UPDATE schedctl.step SET state = 'lost', finished_at = clock_timestamp()
         WHERE leg_id = v_leg.leg_id AND state = 'running';
        PERFORM schedctl.settle_run(v_leg.run_id);
        PERFORM schedctl.record_lost(v_leg.leg_id);
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END
$$;

-- Legs that nobody claimed within their limit: never run. Returns how many runs ended as missed by it.
CREATE OR REPLACE FUNCTION schedctl.end_stale_queue() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_run    bigint;
    v_missed bigint := 0;
BEGIN
    FOR v_run IN
        SELECT run_id FROM schedctl.run
         WHERE run_id IN (SELECT run_id FROM schedctl.leg
                           WHERE state = 'queued' AND NOT waits AND claimable_until < schedctl.now()
                           ORDER BY due_at LIMIT 1000)
         ORDER BY run_id FOR UPDATE SKIP LOCKED
    LOOP
        UPDATE schedctl.leg SET state = 'not_run', reason = 'not_claimed', finished_at = schedctl.now()
         WHERE run_id = v_run AND state = 'queued' AND NOT waits AND claimable_until < schedctl.now();
        IF FOUND AND schedctl.settle_run(v_run) = 'missed' THEN
            v_missed := v_missed + 1;
        END IF;
    END LOOP;
    RETURN v_missed;
END
$$;

-- Remember this tick; after two minutes without any, nothing is called lost until one lease from now: the database may
-- have been away, and workers with it. Returns the latest instant that any tick acted for before (NULL: this is the first).
CREATE OR REPLACE FUNCTION schedctl.note_tick(p_host text) RETURNS timestamptz
LANGUAGE plpgsql AS $$
DECLARE
    v_latest timestamptz;
    v_beat   timestamptz;
BEGIN
    SELECT max(at), max(beat_at) INTO v_latest, v_beat FROM schedctl.tick_beat;
    IF v_beat < clock_timestamp() - interval '2 minutes' THEN
        UPDATE schedctl.installation SET nothing_lost_until = clock_timestamp() + lease;
    END IF;
    INSERT INTO schedctl.tick_beat (host, at, beat_at) VALUES (p_host, schedctl.now(), clock_timestamp())
    ON CONFLICT (host) DO UPDATE SET at = excluded.at, beat_at = excluded.beat_at;
    RETURN v_latest;
END
$$;

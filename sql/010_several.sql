-- Work in fewer exchanges: a worker takes as many legs as it has slots free, and each leg comes with its first step begun.
-- oldest code that goes on: 6

-- Take up to p_most of the oldest legs that may start, each with a token of its own: their ids, NULL where there is none.
-- Nothing is waited for, so workers cannot block each other; of changing legs only the first of each node is taken. Two workers
-- that meet on one node are settled by the index one_changing_leg_a_node: the loser goes on one leg at a time.
CREATE OR REPLACE FUNCTION schedctl.take_legs(p_worker text, p_host text, p_nodes text[], p_run bigint, p_most int)
RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    v_most   int := p_most;
    v_legs   bigint[];
    v_runs   bigint[];
    v_passed bigint[] := '{}';
    v_lease  interval := (SELECT lease FROM schedctl.installation);
    v_all    boolean := schedctl.is_owner();
BEGIN
    LOOP
        BEGIN
            WITH may AS MATERIALIZED (
                SELECT l.leg_id, l.run_id, l.node, l.host, l.changes, l.due_at
                  FROM schedctl.leg l JOIN schedctl.run r ON r.run_id = l.run_id
                 WHERE l.state = 'queued' AND NOT l.waits
                   AND l.leg_id <> ALL (v_passed)
                   AND l.host IN ('', p_host)
                   AND (v_all OR schedctl.may_work_on(l.node, l.host))
                   AND (p_nodes IS NULL OR l.node = ANY (p_nodes))
                   AND (p_run IS NULL OR l.run_id = p_run)
                   AND (NOT l.changes OR schedctl.node_is_free(l.node, l.host))
                   AND schedctl.may_start(r, l.claimable_until)
                 ORDER BY l.due_at, l.leg_id LIMIT v_most
                   FOR UPDATE OF l, r SKIP LOCKED)
            SELECT array_agg(leg_id), array_agg(DISTINCT run_id) INTO v_legs, v_runs FROM (
                SELECT *, row_number() OVER (PARTITION BY node, host, changes ORDER BY due_at, leg_id) AS turn FROM may) AS found
             WHERE NOT changes OR turn = 1;
            EXIT WHEN v_legs IS NULL;
            UPDATE schedctl.leg
               SET state = 'running', token = gen_random_uuid(), worker = p_worker, holds_node = changes,
                   claimed_at = schedctl.now(), lease_until = clock_timestamp() + v_lease
             WHERE leg_id = ANY (v_legs);
            UPDATE schedctl.run SET state = 'running', started_at = coalesce(started_at, schedctl.now())
             WHERE run_id = ANY (v_runs);
            EXIT;
        EXCEPTION WHEN unique_violation THEN
            IF v_most = 1 THEN
                v_passed := v_passed || v_legs;
            END IF;
            v_most := 1;
        END;
    END LOOP;
    RETURN v_legs;
END
$$;

-- The legs that were taken, oldest first, and of each the first step (or the one that a person chose) recorded as begun: see
-- begin_step for what `begun` says. Where the run has a budget, each step counts against it before the next is looked at.
CREATE OR REPLACE FUNCTION schedctl.claim_several(
    p_worker text, p_host text, p_most int, p_nodes text[] DEFAULT NULL, p_run bigint DEFAULT NULL)
RETURNS TABLE (leg_id bigint, run_id bigint, schedule_id bigint, trigger text, scheduled_for timestamptz, timezone text,
               node text, token uuid, steps jsonb, lease interval, only_step int, budget jsonb, begun text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_legs  bigint[] := schedctl.take_legs(p_worker, p_host, p_nodes, p_run, p_most);
    v_lease interval := (SELECT installation.lease FROM schedctl.installation);
BEGIN
    INSERT INTO schedctl.step (leg_id, position, attempt)
    SELECT l.leg_id, coalesce(l.only_step, 0), 1
      FROM schedctl.leg l JOIN schedctl.run r ON r.run_id = l.run_id
     WHERE l.leg_id = ANY (v_legs) AND r.budget IS NULL;
    RETURN QUERY
        SELECT l.leg_id, r.run_id, r.schedule_id, r.trigger, r.scheduled_for, s.timezone,
               l.node, l.token, p.steps, v_lease, l.only_step, r.budget,
               CASE WHEN r.budget IS NULL THEN 'begun'
                    ELSE schedctl.begin_step(l.leg_id, l.token, coalesce(l.only_step, 0), 1) END
          FROM schedctl.leg l
          JOIN schedctl.run r ON r.run_id = l.run_id
          JOIN schedctl.plan_leg p ON p.plan_id = r.plan_id AND p.position = l.position
          LEFT JOIN schedctl.schedule s ON s.schedule_id = r.schedule_id
         WHERE l.leg_id = ANY (v_legs)
         ORDER BY l.due_at, l.leg_id;
END
$$;

-- One leg with no step begun: for workers that are older than this file.
CREATE OR REPLACE FUNCTION schedctl.claim(p_worker text, p_host text, p_nodes text[] DEFAULT NULL, p_run bigint DEFAULT NULL)
RETURNS TABLE (leg_id bigint, run_id bigint, schedule_id bigint, trigger text, scheduled_for timestamptz, timezone text,
               node text, token uuid, steps jsonb, lease interval, only_step int, budget jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_legs bigint[] := schedctl.take_legs(p_worker, p_host, p_nodes, p_run, 1);
BEGIN
    RETURN QUERY
        SELECT l.leg_id, r.run_id, r.schedule_id, r.trigger, r.scheduled_for, s.timezone, l.node, l.token, p.steps,
               (SELECT i.lease FROM schedctl.installation i), l.only_step, r.budget
          FROM schedctl.leg l
          JOIN schedctl.run r ON r.run_id = l.run_id
          JOIN schedctl.plan_leg p ON p.plan_id = r.plan_id AND p.position = l.position
          LEFT JOIN schedctl.schedule s ON s.schedule_id = r.schedule_id
         WHERE l.leg_id = ANY (v_legs);
END
$$;

-- ---------------------------------------------------------------- a leg is found by its number
-- The functions below are those of 002_work.sql, and say `finished_at IS NULL` where those said `state = 'running'`: of a leg
-- with a token both mean the same. The latter also lets the planner walk through leg_running, every leg that runs and every one
-- that ran since the last vacuum, and small as that index is it prefers it to the primary key.

CREATE OR REPLACE FUNCTION schedctl.begin_step(p_leg bigint, p_token uuid, p_position int, p_attempt int) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_used_up text;
BEGIN
    PERFORM FROM schedctl.leg
      WHERE leg_id = p_leg AND token = p_token AND finished_at IS NULL AND cancel_reason IS NULL FOR UPDATE;
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

CREATE OR REPLACE FUNCTION schedctl.renew(
    p_leg bigint, p_token uuid, p_position int DEFAULT NULL, p_attempt int DEFAULT NULL,
    p_stdout_head bytea DEFAULT NULL, p_stdout_tail bytea DEFAULT NULL, p_stdout_length bigint DEFAULT NULL,
    p_stderr_head bytea DEFAULT NULL, p_stderr_tail bytea DEFAULT NULL, p_stderr_length bigint DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_cancel text;
BEGIN
    UPDATE schedctl.leg SET lease_until = clock_timestamp() + (SELECT lease FROM schedctl.installation)
     WHERE leg_id = p_leg AND token = p_token AND finished_at IS NULL
    RETURNING cancel_reason INTO v_cancel;
    IF NOT FOUND THEN
        RETURN 'overtaken';
    END IF;
    UPDATE schedctl.step
       SET stdout_head = p_stdout_head, stdout_tail = p_stdout_tail, stdout_length = p_stdout_length,
           stderr_head = p_stderr_head, stderr_tail = p_stderr_tail, stderr_length = p_stderr_length
     WHERE leg_id = p_leg AND position = p_position AND attempt = p_attempt AND finished_at IS NULL;
    RETURN CASE WHEN v_cancel IS NOT NULL THEN 'cancelled' ELSE 'go_on' END;
END
$$;

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
     WHERE leg_id = p_leg AND position = p_position AND attempt = p_attempt AND finished_at IS NULL
       AND EXISTS (SELECT FROM schedctl.leg WHERE leg_id = p_leg AND token = p_token AND finished_at IS NULL);
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
     WHERE leg_id = p_leg AND token = p_token AND finished_at IS NULL;
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

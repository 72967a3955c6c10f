-- A database that was restored from a backup, or copied, does not know what ran since: what it holds as due or queued may have
-- run already, or may be running where it was copied from. So it remembers where it lies, and in another place it is disarmed.
-- docs/decisions/restored-is-disarmed.md
-- oldest code that goes on: 6

-- cluster/database/table (which pg_restore --clean makes anew), and the timeline, which a promotion and a recovery to a point in time begin anew.
ALTER TABLE schedctl.installation ADD COLUMN IF NOT EXISTS place text;
ALTER TABLE schedctl.installation ADD COLUMN IF NOT EXISTS timeline bigint;

CREATE OR REPLACE FUNCTION schedctl.place() RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_table text := (SELECT oid FROM pg_database WHERE datname = current_database())
                    || '/' || 'schedctl.installation'::regclass::oid;
BEGIN
    RETURN (SELECT system_identifier FROM pg_control_system()) || '/' || v_table;
EXCEPTION WHEN insufficient_privilege OR feature_not_supported THEN
    RETURN '?/' || v_table;  -- a hosted server that does not tell
END
$$;

CREATE OR REPLACE FUNCTION schedctl.timeline() RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint;
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR object_not_in_prerequisite_state THEN
    RETURN NULL;
END
$$;

-- Called by each tick and each claim, and before arming. True: this is the database that it was at the last tick. False: it was
-- not, and is now disarmed, with whatever was queued cancelled. A promotion within ten minutes of the last tick is a failover: the
-- standby knew what the primary knew. (A recovery to an earlier point in time looks the same, but for that.)
CREATE OR REPLACE FUNCTION schedctl.settle_place() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_place    text := schedctl.place();
    v_timeline bigint := schedctl.timeline();
    v_was      schedctl.installation;
    v_run      bigint;
    v_count    bigint := 0;
BEGIN
    IF EXISTS (SELECT FROM schedctl.installation
                WHERE place = v_place AND timeline IS NOT DISTINCT FROM v_timeline) THEN
        RETURN true;
    END IF;
    SELECT * INTO v_was FROM schedctl.installation FOR UPDATE;
    UPDATE schedctl.installation SET place = v_place, timeline = v_timeline;
    IF v_was.place IS NULL OR (v_was.place = v_place AND (
            v_was.timeline IS NULL OR v_timeline IS NULL OR v_was.timeline = v_timeline
            OR (SELECT max(beat_at) FROM schedctl.tick_beat) > clock_timestamp() - interval '10 minutes')) THEN
        RETURN true;
    END IF;
    FOR v_run IN SELECT run_id FROM schedctl.run WHERE finished_at IS NULL ORDER BY run_id FOR UPDATE LOOP
        UPDATE schedctl.leg SET state = 'cancelled', waits = false, finished_at = schedctl.now(), reason = 'restored'
         WHERE run_id = v_run AND state = 'queued';
        IF FOUND THEN
            PERFORM schedctl.settle_run(v_run);
            v_count := v_count + 1;
        END IF;
    END LOOP;
    IF v_was.armed THEN
        UPDATE schedctl.installation
           SET armed = false, armed_since = NULL, changed_at = schedctl.now(), changed_by = 'schedctl', changed_reason = 'restored';
        INSERT INTO schedctl.event (type, actor, detail)
        VALUES ('disarmed', 'schedctl', jsonb_build_object('reason', 'restored', 'cancelled_runs', v_count));
    END IF;
    RETURN NOT v_was.armed;
END
$$;

-- What is armed when this file comes lies where it belongs.
UPDATE schedctl.installation SET place = schedctl.place(), timeline = schedctl.timeline() WHERE place IS NULL;

-- Replaces the function of sql/002_work.sql: before anything else, a tick looks where it is.
CREATE OR REPLACE FUNCTION schedctl.note_tick(p_host text) RETURNS timestamptz
LANGUAGE plpgsql AS $$
DECLARE
    v_latest timestamptz;
    v_beat   timestamptz;
BEGIN
    PERFORM schedctl.settle_place();
    SELECT max(at), max(beat_at) INTO v_latest, v_beat FROM schedctl.tick_beat;
    IF v_beat < clock_timestamp() - interval '2 minutes' THEN
        UPDATE schedctl.installation SET nothing_lost_until = clock_timestamp() + lease;
    END IF;
    INSERT INTO schedctl.tick_beat (host, at, beat_at) VALUES (p_host, schedctl.now(), clock_timestamp())
    ON CONFLICT (host) DO UPDATE SET at = excluded.at, beat_at = excluded.beat_at;
    RETURN v_latest;
END
$$;

-- Replaces the function of sql/009_report.sql: a database in another place is something that a tick has to say.
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
    IF NOT EXISTS (SELECT FROM schedctl.installation
                    WHERE place IS NULL OR place = schedctl.place() AND timeline IS NOT DISTINCT FROM schedctl.timeline())
       OR EXISTS (SELECT FROM schedctl.schedule WHERE next_fire_at <= schedctl.now())
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

-- Replaces the function of sql/010_several.sql: no worker takes what a backup holds as queued.
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
    PERFORM schedctl.settle_place();
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

-- ---------------------------------------------------------------- what other programs may read (docs/sql.md)
-- Three views whose columns keep their names and meanings; columns may be added. Tables are ours and change.

CREATE OR REPLACE VIEW schedctl.schedules AS
    SELECT schedule.schedule_id AS id, name, state, reason, instruction, task, timezone, plan.risk,
           (SELECT array_agg(DISTINCT node ORDER BY node) FROM schedctl.plan_leg WHERE plan_leg.plan_id = plan.plan_id) AS nodes,
           CASE WHEN state = 'active' THEN next_fire_at END AS next_at,
           failures_in_a_row, created_at, coalesce(created_identity, created_role) AS created_by,
           approved_at, coalesce(approved_identity, approved_by) AS approved_by
      FROM schedctl.schedule JOIN schedctl.plan USING (plan_id);

CREATE OR REPLACE VIEW schedctl.runs AS
    SELECT run_id AS id, run.schedule_id, schedule.name AS schedule_name, schedule.instruction, trigger, scheduled_for,
           run.state, run.reason, run.error ->> 'type' AS error_type, run.count,
           (SELECT array_agg(DISTINCT node ORDER BY node) FROM schedctl.leg WHERE leg.run_id = run.run_id) AS nodes,
           run.created_at, started_at, finished_at,
           started_at - scheduled_for AS late_by, finished_at - started_at AS took
      FROM schedctl.run LEFT JOIN schedctl.schedule USING (schedule_id);

-- One row, for a monitor: by the real clock, but for what fires.
CREATE OR REPLACE VIEW schedctl.health AS
    SELECT armed, armed_since,
           (SELECT max(beat_at) FROM schedctl.tick_beat) AS last_tick_at,
           (SELECT count(*) FROM schedctl.schedule WHERE state = 'active') AS active,
           (SELECT count(*) FROM schedctl.schedule WHERE state = 'pending') AS pending,
           (SELECT count(*) FROM schedctl.schedule WHERE state = 'paused') AS paused,
           (SELECT count(*) FROM schedctl.leg WHERE state = 'queued' AND NOT waits) AS legs_queued,
           (SELECT min(due_at) FROM schedctl.leg WHERE state = 'queued' AND NOT waits) AS oldest_queued_since,
           (SELECT count(*) FROM schedctl.leg WHERE state = 'running') AS legs_running,
           (SELECT coalesce(sum(count), 0)::bigint FROM schedctl.run
             WHERE finished_at > schedctl.now() - interval '24 hours'
               AND state IN ('failed', 'timed_out', 'lost', 'missed', 'refused')) AS went_wrong_24h,
           (SELECT count(*) FROM schedctl.outbox WHERE state = 'queued') AS notices_queued,
           (SELECT count(*) FROM schedctl.outbox
             WHERE state = 'dead' AND ended_at > clock_timestamp() - interval '24 hours') AS notices_given_up_24h
      FROM schedctl.installation;

-- Database roles: what each part of schedctl may do, and nothing else. docs/roles.md explains them.
--
-- Run by hand, as the owner of the schema (or a superuser), after the first command has made the schema and again after each
-- upgrade:   psql -v ON_ERROR_STOP=1 -f roles.sql          (`schedctl grant ROLE USER` runs it by itself)
-- Everything is granted anew each time, so a right that was taken out of this file is gone afterwards. The seven are groups without
-- LOGIN; login roles are made members of them, or of the owner's role for whatever may do everything.

BEGIN;
-- Two at once would meet on the same rows of PostgreSQL's own tables.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('schedctl.roles'));

DO $$
DECLARE
    v_role text;
BEGIN
    FOREACH v_role IN ARRAY ARRAY['viewer', 'operator', 'approver', 'ticker', 'worker', 'beater', 'gate'] LOOP
        v_role := 'schedctl_' || v_role;
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = v_role) THEN
            EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', v_role);
        END IF;
        EXECUTE pg_catalog.format('REVOKE ALL ON ALL TABLES IN SCHEMA schedctl FROM %I', v_role);
        EXECUTE pg_catalog.format('REVOKE ALL ON SCHEMA schedctl FROM %I', v_role);
        EXECUTE pg_catalog.format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA schedctl FROM %I', v_role);
        EXECUTE pg_catalog.format('GRANT USAGE ON SCHEMA schedctl TO %I', v_role);
    END LOOP;
END
$$;

-- A function is anybody's until that is taken away.
REVOKE ALL ON SCHEMA schedctl FROM PUBLIC;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA schedctl FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA schedctl FROM PUBLIC;

-- ---------------------------------------------------------------- what every command asks at its start
GRANT EXECUTE ON FUNCTION schedctl.now, schedctl.is_owner TO schedctl_worker, schedctl_beater;
GRANT SELECT ON schedctl.schema_version TO schedctl_worker, schedctl_beater;
GRANT SELECT (catalog_id) ON schedctl.installation TO schedctl_worker, schedctl_beater;

-- ---------------------------------------------------------------- worker, beater: functions, and no right to any other row
-- These functions run with the owner's rights and check themselves what the caller may touch: the leg's token, and the nodes that
-- schedctl.worker_node lists for the login role.
GRANT EXECUTE ON FUNCTION
    schedctl.glance_work, schedctl.claim, schedctl.claim_several, schedctl.begin_step, schedctl.renew,
    schedctl.finish_step, schedctl.finish_leg, schedctl.lost_holds, schedctl.lost_leg_ended
TO schedctl_worker;
GRANT SELECT (output_limit_bytes) ON schedctl.installation TO schedctl_worker;

GRANT EXECUTE ON FUNCTION schedctl.beat TO schedctl_beater;

-- ---------------------------------------------------------------- viewer: everything, to read
-- The other four may execute every function that has only its caller's rights: it gives them nothing that their tables do not.
GRANT SELECT ON ALL TABLES IN SCHEMA schedctl TO schedctl_viewer, schedctl_operator, schedctl_approver, schedctl_ticker;
DO $$
DECLARE
    v_function regprocedure;
BEGIN
    FOR v_function IN
        SELECT oid FROM pg_catalog.pg_proc
         WHERE pronamespace = 'schedctl'::regnamespace AND NOT prosecdef AND prorettype <> 'trigger'::regtype
    LOOP
        EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s '
                                  'TO schedctl_viewer, schedctl_operator, schedctl_approver, schedctl_ticker', v_function);
    END LOOP;
END
$$;

-- ---------------------------------------------------------------- operator: register, pause, resume, archive, runs, arm
-- Not who did it, by which login and when: those columns fill themselves.
GRANT INSERT (type, actor, host, schedule_id, run_id, detail) ON schedctl.event
TO schedctl_operator, schedctl_approver, schedctl_ticker;
GRANT INSERT (name, state, reason, instruction, task, rule, recurring, timezone, sameness, plan_id, overlap, catch_up, jitter, budget,
              settled_through, next_fire_at, computed_with, created_by, approved_at, approved_by, replaces)
ON schedctl.schedule TO schedctl_operator, schedctl_approver;
GRANT INSERT ON schedctl.plan, schedctl.plan_leg, schedctl.run, schedctl.leg TO schedctl_operator, schedctl_approver;
-- Not approved_at, not the plan, not the rule: what was registered is replaced, never edited.
GRANT UPDATE (state, reason, next_fire_at, settled_through, failures_in_a_row, computed_with, last_outcome)
ON schedctl.schedule TO schedctl_operator, schedctl_approver;
GRANT UPDATE (state, reason, error, started_at, finished_at) ON schedctl.run TO schedctl_operator, schedctl_approver;
GRANT UPDATE (state, reason, waits, due_at, claimable_until, holds_node, cancel_reason, finished_at)
ON schedctl.leg TO schedctl_operator, schedctl_approver;
GRANT INSERT, DELETE ON schedctl.node_hold TO schedctl_operator, schedctl_approver;
GRANT UPDATE (armed, armed_since, changed_at, changed_by, changed_reason)
ON schedctl.installation TO schedctl_operator, schedctl_approver;

-- ---------------------------------------------------------------- approver: an operator who may also approve and adopt
GRANT UPDATE (approved_at, approved_by) ON schedctl.schedule TO schedctl_approver;
GRANT INSERT ON schedctl.catalog TO schedctl_approver;
GRANT UPDATE (catalog_id, auto_pause_after, retention_days, retention_runs, output_limit_bytes, dead_man)
ON schedctl.installation TO schedctl_approver;
GRANT INSERT, DELETE ON schedctl.freeze, schedctl.route TO schedctl_approver;
GRANT INSERT, UPDATE ON schedctl.agent TO schedctl_approver;
GRANT UPDATE (hour, timezone, due_at) ON schedctl.reporting TO schedctl_approver;

-- ---------------------------------------------------------------- ticker: tick, deliver and watch
GRANT INSERT ON schedctl.run, schedctl.leg, schedctl.tick_beat TO schedctl_ticker;
GRANT UPDATE (state, reason, next_fire_at, settled_through, failures_in_a_row, computed_with, last_outcome)
ON schedctl.schedule TO schedctl_ticker;
GRANT UPDATE (state, reason, error, started_at, finished_at), DELETE ON schedctl.run TO schedctl_ticker;
GRANT UPDATE (state, reason, waits, due_at, claimable_until, finished_at) ON schedctl.leg TO schedctl_ticker;
GRANT UPDATE (state, finished_at) ON schedctl.step TO schedctl_ticker;
GRANT UPDATE (tidied_at, pruned_through, nothing_lost_until, computed_with) ON schedctl.installation TO schedctl_ticker;
GRANT UPDATE ON schedctl.tick_beat, schedctl.agent TO schedctl_ticker;
GRANT UPDATE, DELETE ON schedctl.outbox TO schedctl_ticker;
GRANT INSERT (day, timezone, host, event_id), DELETE ON schedctl.report TO schedctl_ticker;
GRANT UPDATE (due_at, not_before) ON schedctl.reporting TO schedctl_ticker;
GRANT DELETE ON schedctl.spent, schedctl.agent_silence TO schedctl_ticker;

-- Where the database lies is looked at before it fires and before it is armed; a worker's claim looks by itself.
GRANT EXECUTE ON FUNCTION schedctl.settle_place TO schedctl_operator, schedctl_approver, schedctl_ticker;
GRANT EXECUTE ON FUNCTION schedctl.place, schedctl.timeline
TO schedctl_viewer, schedctl_operator, schedctl_approver, schedctl_ticker;

-- ---------------------------------------------------------------- gate: whoever it lets in, as that person's role
-- Its login may do nothing by itself (NOINHERIT) and everything only within a transaction that has taken one of these roles; what
-- it says of the person is believed (schedctl.gate()).
ALTER ROLE schedctl_gate NOINHERIT;
GRANT schedctl_viewer, schedctl_operator, schedctl_approver, schedctl_beater TO schedctl_gate;

COMMIT;

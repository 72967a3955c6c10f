-- The tables. Every rule that must never be broken stands here, named as a sentence.
-- Re-runnable: each statement does nothing where its work is done already.

CREATE SCHEMA IF NOT EXISTS schedctl;

CREATE TABLE IF NOT EXISTS schedctl.schema_version (
    version     int PRIMARY KEY,
    applied_at  timestamptz NOT NULL DEFAULT pg_catalog.now()
);

-- Whether the session belongs to the role that owns the schema, or to a member of it.
CREATE OR REPLACE FUNCTION schedctl.is_owner() RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN pg_catalog.pg_has_role(
        session_user, (SELECT nspowner FROM pg_catalog.pg_namespace WHERE nspname = 'schedctl'), 'MEMBER');
END
$$;

-- "Now" is this database's clock. For rehearsals and tests a transaction may say SET LOCAL schedctl.now, which counts
-- for members of the role that owns the schema and for nobody else. Leases never use it.
-- (PL/pgSQL keeps its plans; a function in SQL would be planned anew by each statement that calls it.)
CREATE OR REPLACE FUNCTION schedctl.now() RETURNS timestamptz
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    v_said text := pg_catalog.current_setting('schedctl.now', true);
BEGIN
    IF v_said IS NULL OR v_said = '' OR NOT schedctl.is_owner() THEN
        RETURN pg_catalog.now();
    END IF;
    RETURN v_said::timestamptz;
END
$$;

-- ---------------------------------------------------------------- the adopted catalog
CREATE TABLE IF NOT EXISTS schedctl.catalog (
    catalog_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest      text NOT NULL,
    document    jsonb NOT NULL,
    adopted_at  timestamptz NOT NULL DEFAULT schedctl.now(),
    adopted_by  text NOT NULL
);

-- The adopted policy's freezes, where the claim can see them.
CREATE TABLE IF NOT EXISTS schedctl.freeze (
    starts_at   timestamptz NOT NULL,
    ends_at     timestamptz NOT NULL,
    risks       text[] NOT NULL,
    reason      text NOT NULL,
    CONSTRAINT a_freeze_ends_after_it_starts CHECK (starts_at < ends_at)
);

CREATE TABLE IF NOT EXISTS schedctl.installation (
    only_row          boolean PRIMARY KEY DEFAULT true,
    armed             boolean NOT NULL DEFAULT false,
    armed_since       timestamptz,
    changed_at        timestamptz NOT NULL DEFAULT schedctl.now(),
    changed_by        text NOT NULL DEFAULT session_user,
    changed_reason    text,
    catch_up          interval NOT NULL DEFAULT '1 hour',
    lease             interval NOT NULL DEFAULT '45 seconds',
    auto_pause_after  int NOT NULL DEFAULT 3,
    retention_days    int NOT NULL DEFAULT 400,
    retention_runs    int NOT NULL DEFAULT 10000,
    output_limit_bytes int NOT NULL DEFAULT 262144,
    pruned_through    bigint NOT NULL DEFAULT 0,
    tidied_at         timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    computed_with     text NOT NULL DEFAULT '',
    catalog_id        bigint REFERENCES schedctl.catalog,
    nothing_lost_until timestamptz NOT NULL DEFAULT '-infinity',
    CONSTRAINT one_installation_a_database CHECK (only_row),
    CONSTRAINT an_armed_installation_knows_since_when CHECK (armed = (armed_since IS NOT NULL)),
    CONSTRAINT catch_up_reaches_back CHECK (catch_up > '0')
);
INSERT INTO schedctl.installation DEFAULT VALUES ON CONFLICT DO NOTHING;

-- The last tick of each host: by the clock that fires (which can be moved) and by the real one (which says who is alive).
CREATE TABLE IF NOT EXISTS schedctl.tick_beat (
    host     text PRIMARY KEY,
    at       timestamptz NOT NULL,
    beat_at  timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
);

-- ---------------------------------------------------------------- plans: written once, never changed
CREATE TABLE IF NOT EXISTS schedctl.plan (
    plan_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest    text NOT NULL,
    risk      text NOT NULL CONSTRAINT plan_risks_are_known CHECK (risk IN ('reads', 'changes', 'disrupts')),
    document  jsonb NOT NULL
);

-- The part of a plan on one node: what a worker claims as a whole. `host` is the machine that a local node means.
CREATE TABLE IF NOT EXISTS schedctl.plan_leg (
    plan_id    bigint NOT NULL REFERENCES schedctl.plan ON DELETE CASCADE,
    position   int NOT NULL,
    stage      int NOT NULL,
    node       text NOT NULL,
    host       text NOT NULL DEFAULT '',
    transport  text NOT NULL,
    changes    boolean NOT NULL,
    steps      jsonb NOT NULL,
    PRIMARY KEY (plan_id, position),
    CONSTRAINT a_leg_has_steps CHECK (jsonb_typeof(steps) = 'array' AND jsonb_array_length(steps) > 0)
);

-- ---------------------------------------------------------------- schedules
CREATE TABLE IF NOT EXISTS schedctl.schedule (
    schedule_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name             text,
    state            text NOT NULL,
    reason           text,
    instruction      text NOT NULL,
    task             text NOT NULL,
    rule             text NOT NULL,
    recurring        boolean NOT NULL,
    timezone         text NOT NULL,
    sameness         text NOT NULL,
    plan_id          bigint NOT NULL REFERENCES schedctl.plan,
    overlap          text NOT NULL DEFAULT 'skip',
    catch_up         interval,
    jitter           interval,
    budget           jsonb,
    settled_through  timestamptz NOT NULL,
    next_fire_at     timestamptz,
    computed_with    text NOT NULL,
    failures_in_a_row int NOT NULL DEFAULT 0,
    created_at       timestamptz NOT NULL DEFAULT schedctl.now(),
    created_by       text NOT NULL,
    created_role     text NOT NULL DEFAULT session_user,
    approved_at      timestamptz,
    approved_by      text,
    replaces         bigint REFERENCES schedctl.schedule,
    CONSTRAINT schedule_states_are_known CHECK (state IN ('pending', 'active', 'paused', 'finished', 'archived')),
    CONSTRAINT overlaps_are_known CHECK (overlap IN ('skip', 'queue', 'allow')),
    CONSTRAINT active_schedules_have_a_next_instant CHECK (state <> 'active' OR next_fire_at IS NOT NULL),
    CONSTRAINT only_waiting_schedules_have_a_next_instant CHECK (state IN ('active', 'pending') OR next_fire_at IS NULL),
    CONSTRAINT jitter_stays_below_the_catch_up CHECK (jitter IS NULL OR catch_up IS NULL OR jitter < catch_up),
    CONSTRAINT paused_schedules_say_why CHECK (state <> 'paused' OR reason IS NOT NULL),
    CONSTRAINT active_schedules_are_approved CHECK (state NOT IN ('active', 'paused') OR approved_at IS NOT NULL)
);
CREATE UNIQUE INDEX IF NOT EXISTS names_of_living_schedules_are_unique
    ON schedctl.schedule (name) WHERE state IN ('pending', 'active', 'paused');
CREATE UNIQUE INDEX IF NOT EXISTS one_living_schedule_an_instruction_and_timing
    ON schedctl.schedule (sameness) WHERE state IN ('pending', 'active');
CREATE INDEX IF NOT EXISTS schedule_due ON schedctl.schedule (next_fire_at) WHERE next_fire_at IS NOT NULL;
-- What a clock that was ahead has settled is found by it.
CREATE INDEX IF NOT EXISTS schedule_settled ON schedctl.schedule (settled_through)
    WHERE state IN ('pending', 'active', 'paused');

-- ---------------------------------------------------------------- runs
-- The record of one occurrence, or of one manual start; exists for every attempt, also one that could not start.
-- A summary stands for several occurrences: then first_at, last_at (= scheduled_for) and count say which.
CREATE TABLE IF NOT EXISTS schedctl.run (
    run_id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    schedule_id    bigint REFERENCES schedctl.schedule,
    plan_id        bigint REFERENCES schedctl.plan,
    trigger        text NOT NULL,
    scheduled_for  timestamptz,
    state          text NOT NULL,
    reason         text,
    error          jsonb,
    budget         jsonb,  -- what it may use up at most: tokens, time_s, steps, output_bytes
    first_at       timestamptz,
    last_at        timestamptz,
    count          bigint NOT NULL DEFAULT 1,
    created_at     timestamptz NOT NULL DEFAULT schedctl.now(),
    created_by     text,
    started_at     timestamptz,
    finished_at    timestamptz,
    CONSTRAINT one_run_an_occurrence UNIQUE (schedule_id, scheduled_for),
    CONSTRAINT run_triggers_are_known CHECK (trigger IN ('timer', 'manual', 'restart')),
    CONSTRAINT run_states_are_known CHECK (state IN (
        'queued', 'running', 'succeeded', 'failed', 'timed_out', 'lost', 'cancelled',
        'missed', 'skipped', 'rehearsed', 'refused')),
    CONSTRAINT runs_of_the_timer_have_an_occurrence CHECK ((trigger = 'timer') = (scheduled_for IS NOT NULL)),
    CONSTRAINT ended_runs_have_an_end CHECK ((state IN ('queued', 'running')) = (finished_at IS NULL)),
    CONSTRAINT missed_and_skipped_runs_say_why CHECK (state NOT IN ('missed', 'skipped') OR reason IS NOT NULL),
    CONSTRAINT what_never_ran_has_no_start CHECK (
        state NOT IN ('missed', 'skipped', 'rehearsed', 'refused') OR started_at IS NULL),
    CONSTRAINT a_summary_counts CHECK (count >= 1)
);
CREATE INDEX IF NOT EXISTS run_by_schedule ON schedctl.run (schedule_id, run_id DESC);
CREATE INDEX IF NOT EXISTS run_unfinished ON schedctl.run (schedule_id) WHERE finished_at IS NULL;
CREATE INDEX IF NOT EXISTS run_not_as_wished ON schedctl.run (run_id DESC)
    WHERE state IN ('failed', 'timed_out', 'lost', 'missed', 'refused');

CREATE TABLE IF NOT EXISTS schedctl.leg (
    leg_id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id           bigint NOT NULL REFERENCES schedctl.run ON DELETE CASCADE,
    position         int NOT NULL,
    stage            int NOT NULL,
    node             text NOT NULL,
    host             text NOT NULL DEFAULT '',
    changes          boolean NOT NULL,
    state            text NOT NULL DEFAULT 'queued',
    waits            boolean NOT NULL DEFAULT false,
    holds_node       boolean NOT NULL DEFAULT false,
    due_at           timestamptz NOT NULL,
    claimable_until  timestamptz NOT NULL DEFAULT 'infinity',
    only_step        int,
    cancel_reason    text,
    token            uuid,
    worker           text,
    lease_until      timestamptz,
    claimed_at       timestamptz,
    finished_at      timestamptz,
    reason           text,
    error            jsonb,
    UNIQUE (run_id, position),
    CONSTRAINT leg_states_are_known CHECK (state IN (
        'queued', 'running', 'succeeded', 'failed', 'timed_out', 'lost', 'cancelled', 'not_run')),
    CONSTRAINT ended_legs_have_an_end CHECK ((state IN ('queued', 'running')) = (finished_at IS NULL)),
    CONSTRAINT running_legs_have_a_worker CHECK (
        state <> 'running' OR (token IS NOT NULL AND worker IS NOT NULL AND lease_until IS NOT NULL)),
    CONSTRAINT only_changing_legs_hold_their_node CHECK (NOT holds_node OR changes),
    CONSTRAINT running_changing_legs_hold_their_node CHECK (state <> 'running' OR holds_node = changes),
    CONSTRAINT only_queued_legs_wait CHECK (NOT waits OR state = 'queued')
);
CREATE UNIQUE INDEX IF NOT EXISTS one_changing_leg_a_node ON schedctl.leg (node, host) WHERE holds_node;
CREATE INDEX IF NOT EXISTS leg_claimable ON schedctl.leg (due_at, leg_id) WHERE state = 'queued' AND NOT waits;
CREATE INDEX IF NOT EXISTS leg_running ON schedctl.leg (lease_until) WHERE state = 'running';

-- One attempt of one step: its row is committed before its command begins.
CREATE TABLE IF NOT EXISTS schedctl.step (
    leg_id         bigint NOT NULL REFERENCES schedctl.leg ON DELETE CASCADE,
    position       int NOT NULL,
    attempt        int NOT NULL DEFAULT 1,
    state          text NOT NULL DEFAULT 'running',
    exit_code      int,
    error          jsonb,
    started_at     timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    finished_at    timestamptz,
    stdout_head    bytea, stdout_tail bytea, stdout_length bigint, stdout_sha256 text,
    stderr_head    bytea, stderr_tail bytea, stderr_length bigint, stderr_sha256 text,
    external_id    text,    -- what an HTTP answer calls the thing that it started
    tokens         bigint,  -- what an HTTP answer says it used
    PRIMARY KEY (leg_id, position, attempt),
    CONSTRAINT step_states_are_known CHECK (state IN (
        'running', 'succeeded', 'failed', 'timed_out', 'lost', 'cancelled')),
    CONSTRAINT ended_steps_have_an_end CHECK ((state = 'running') = (finished_at IS NULL))
);

-- A node that an operator keeps free of changing work by hand.
CREATE TABLE IF NOT EXISTS schedctl.node_hold (
    node     text PRIMARY KEY,
    held_at  timestamptz NOT NULL DEFAULT schedctl.now(),
    held_by  text NOT NULL,
    reason   text NOT NULL
);

-- ---------------------------------------------------------------- what happened, append-only
CREATE TABLE IF NOT EXISTS schedctl.event (
    event_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL DEFAULT schedctl.now(),
    type         text NOT NULL,
    actor        text NOT NULL,
    role         text NOT NULL DEFAULT session_user,
    host         text NOT NULL DEFAULT '',
    schedule_id  bigint,
    run_id       bigint,
    detail       jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS event_by_schedule ON schedctl.event (schedule_id, event_id);

CREATE OR REPLACE FUNCTION schedctl.refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'schedctl.% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
CREATE OR REPLACE TRIGGER events_are_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON schedctl.event
    FOR EACH STATEMENT EXECUTE FUNCTION schedctl.refuse_change();
CREATE OR REPLACE TRIGGER plans_never_change
    BEFORE UPDATE ON schedctl.plan FOR EACH STATEMENT EXECUTE FUNCTION schedctl.refuse_change();
CREATE OR REPLACE TRIGGER plan_legs_never_change
    BEFORE UPDATE ON schedctl.plan_leg FOR EACH STATEMENT EXECUTE FUNCTION schedctl.refuse_change();

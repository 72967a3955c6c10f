-- Who acts, as the database knows it: the login role, or the person for whom the gate speaks (docs/gate.md). What the
-- program calls an actor is a label; an identity cannot be chosen. That another person approves is held here.
-- oldest code that goes on: 6

-- What the gate said of the person whom it let in, NULL where nobody believable said anything. Only logins that are members of
-- schedctl_gate, or of the owner's role, are believed: everybody else can set the variable and nothing comes of it.
CREATE OR REPLACE FUNCTION schedctl.gate() RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    v_said text := pg_catalog.current_setting('schedctl.gate', true);
BEGIN
    IF v_said IS NULL OR v_said = '' THEN
        RETURN NULL;
    END IF;
    IF schedctl.is_owner()
       OR pg_catalog.pg_has_role(session_user, pg_catalog.to_regrole('schedctl_gate')::oid, 'MEMBER') THEN
        RETURN v_said::jsonb;
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION schedctl.identity() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce(schedctl.gate() ->> 'actor', session_user);
END
$$;

-- ---------------------------------------------------------------- what is remembered of it
-- Both are filled by their defaults. sql/roles.sql lets no role write them, nor `role`, nor `at`.
ALTER TABLE schedctl.event ADD COLUMN IF NOT EXISTS gate jsonb;
ALTER TABLE schedctl.event ALTER COLUMN gate SET DEFAULT schedctl.gate();

-- NULL in schedules that are older than the column: then created_role says it.
ALTER TABLE schedctl.schedule ADD COLUMN IF NOT EXISTS created_identity text;
ALTER TABLE schedctl.schedule ALTER COLUMN created_identity SET DEFAULT schedctl.identity();
ALTER TABLE schedctl.schedule ADD COLUMN IF NOT EXISTS approved_identity text;

-- ---------------------------------------------------------------- another person approves

-- Whether the adopted policy wants another person than the registering one for a plan of this risk.
CREATE OR REPLACE FUNCTION schedctl.needs_another_person(p_risk text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_policy jsonb := (SELECT document #> '{files,policy.toml}'
                         FROM schedctl.catalog JOIN schedctl.installation USING (catalog_id));
BEGIN
    RETURN coalesce((v_policy ->> 'second_person')::boolean, false)
       AND coalesce(v_policy -> 'approval', '["changes", "disrupts"]') ? p_risk;
END
$$;

CREATE OR REPLACE FUNCTION schedctl.approve_as_another() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    NEW.approved_identity := schedctl.identity();
    IF pg_catalog.lower(NEW.approved_identity) = pg_catalog.lower(coalesce(NEW.created_identity, NEW.created_role))
       AND schedctl.needs_another_person((SELECT risk FROM schedctl.plan WHERE plan_id = NEW.plan_id)) THEN
        RAISE EXCEPTION 'another person than the one who registered it has to approve'
            USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'another_person_approves';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER another_person_approves
    BEFORE INSERT OR UPDATE OF approved_at, approved_by, created_identity, created_role ON schedctl.schedule
    FOR EACH ROW WHEN (NEW.approved_at IS NOT NULL) EXECUTE FUNCTION schedctl.approve_as_another();

-- ---------------------------------------------------------------- nothing is carried out that was not approved

-- A run that changes something is of its schedule's own plan, and the schedule is approved; without a schedule it is the plan by
-- which agents.toml restarts an agent, or was queued as such before. Looked at once a statement: a tick queues thousands.
CREATE OR REPLACE FUNCTION schedctl.refuse_unapproved() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM recorded
          JOIN schedctl.plan ON plan.plan_id = recorded.plan_id AND plan.risk <> 'reads'
          LEFT JOIN schedctl.schedule ON schedule.schedule_id = recorded.schedule_id
         WHERE recorded.state IN ('queued', 'running')
           AND CASE WHEN recorded.schedule_id IS NOT NULL
                    THEN schedule.approved_at IS NULL OR schedule.plan_id <> recorded.plan_id
                    ELSE recorded.trigger = 'manual'
                     AND NOT EXISTS (SELECT FROM schedctl.agent WHERE restart_plan = recorded.plan_id)
                     AND NOT EXISTS (SELECT FROM schedctl.run AS before
                                      WHERE before.plan_id = recorded.plan_id AND before.trigger = 'restart') END) THEN
        RAISE EXCEPTION 'a run that changes something needs an approved schedule'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'only_approved_plans_are_queued';
    END IF;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER only_approved_plans_are_queued
    AFTER INSERT ON schedctl.run REFERENCING NEW TABLE AS recorded
    FOR EACH STATEMENT EXECUTE FUNCTION schedctl.refuse_unapproved();

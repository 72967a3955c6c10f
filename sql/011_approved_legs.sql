-- What is carried out is a leg, so that is where approval is looked at: a run of any state and trigger gets queued legs only
-- when its plan may be carried out. (008 looked at the runs; a run that says it has ended could still have been given legs.)
-- oldest code that goes on: 6

DROP TRIGGER IF EXISTS only_approved_plans_are_queued ON schedctl.run;

-- A plan that changes something is its schedule's own, and the schedule is approved; without a schedule it is the plan by which
-- agents.toml restarts an agent, or once did. Looked at once a statement: a tick queues thousands.
CREATE OR REPLACE FUNCTION schedctl.refuse_unapproved() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM recorded
          JOIN schedctl.run USING (run_id)
          LEFT JOIN schedctl.plan ON plan.plan_id = run.plan_id
          LEFT JOIN schedctl.schedule ON schedule.schedule_id = run.schedule_id
         WHERE recorded.state IN ('queued', 'running')
           AND plan.risk IS DISTINCT FROM 'reads'
           AND CASE WHEN run.schedule_id IS NOT NULL
                    THEN schedule.approved_at IS NULL OR schedule.plan_id <> run.plan_id
                    ELSE NOT EXISTS (SELECT FROM schedctl.agent WHERE restart_plan = run.plan_id)
                     AND NOT EXISTS (SELECT FROM schedctl.run AS before JOIN schedctl.leg ON leg.run_id = before.run_id
                                      WHERE before.plan_id = run.plan_id AND before.trigger = 'restart'
                                        AND leg.leg_id NOT IN (SELECT leg_id FROM recorded)) END) THEN
        RAISE EXCEPTION 'a run that changes something needs an approved schedule'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'only_approved_plans_are_queued';
    END IF;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER only_approved_plans_are_queued
    AFTER INSERT ON schedctl.leg REFERENCING NEW TABLE AS recorded
    FOR EACH STATEMENT EXECUTE FUNCTION schedctl.refuse_unapproved();

-- One question for a program that starts each minute: is there anything to do? A tick's glance also remembers that it ticked.
-- 'busy': look properly. 'idle', 'idle disarmed': nothing to do now. The caller names its schema version, so that an older or
-- newer program always looks properly. Agents are judged here too: that is one statement, whatever their number.
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
    IF EXISTS (SELECT FROM schedctl.schedule WHERE next_fire_at <= schedctl.now())
       OR EXISTS (SELECT FROM schedctl.schedule
                   WHERE settled_through > schedctl.now() + interval '1 day' AND state IN ('pending', 'active', 'paused'))
       OR EXISTS (SELECT FROM schedctl.leg WHERE state = 'running' AND lease_until < clock_timestamp())
       OR EXISTS (SELECT FROM schedctl.leg WHERE state = 'queued' AND NOT waits AND claimable_until < schedctl.now())
       OR (SELECT max(at) FROM schedctl.tick_beat) > schedctl.now()
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

-- Whether a worker has to look properly, asked each minute before anything heavy is imported: also by a worker whose role may
-- read no table. 'busy': something is queued for it; 'idle': nothing is. As in glance, another schema version is 'busy'.
-- oldest code that goes on: 6
CREATE OR REPLACE FUNCTION schedctl.glance_work(p_host text, p_nodes text[], p_version int) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_all boolean := schedctl.is_owner();
BEGIN
    IF (SELECT max(version) FROM schedctl.schema_version) <> p_version THEN
        RETURN 'busy';
    END IF;
    RETURN CASE WHEN EXISTS (
        SELECT FROM schedctl.leg
         WHERE state = 'queued' AND NOT waits AND host IN ('', p_host)
           AND (p_nodes IS NULL OR node = ANY (p_nodes))
           AND (v_all OR schedctl.may_work_on(node, host))) THEN 'busy' ELSE 'idle' END;
END
$$;

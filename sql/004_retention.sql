-- Retention, a little at each tick: by age from the oldest run on, and by number for a few schedules in turn.
-- What has not ended is never removed; neither is an event. Returns how many runs went.
CREATE OR REPLACE FUNCTION schedctl.prune(p_runs int DEFAULT 500, p_schedules int DEFAULT 50) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_days  int;
    v_keep  int;
    v_after bigint;
    v_turn  bigint[];
    v_one   bigint;
    v_gone  bigint := 0;
    v_count bigint;
BEGIN
    SELECT retention_days, retention_runs, pruned_through INTO v_days, v_keep, v_after FROM schedctl.installation;
    WITH oldest AS (SELECT run_id, finished_at FROM schedctl.run ORDER BY run_id LIMIT p_runs)
    DELETE FROM schedctl.run USING oldest
     WHERE run.run_id = oldest.run_id AND oldest.finished_at < schedctl.now() - make_interval(days => v_days);
    GET DIAGNOSTICS v_gone = ROW_COUNT;

    SELECT array_agg(schedule_id ORDER BY schedule_id) INTO v_turn FROM (
        SELECT schedule_id FROM schedctl.schedule WHERE schedule_id > v_after ORDER BY schedule_id LIMIT p_schedules) AS turn;
    FOREACH v_one IN ARRAY coalesce(v_turn, '{}') LOOP
        DELETE FROM schedctl.run
         WHERE run_id IN (
               SELECT run_id FROM schedctl.run
                WHERE schedule_id = v_one AND finished_at IS NOT NULL AND run_id < (
                      SELECT run_id FROM schedctl.run WHERE schedule_id = v_one
                       ORDER BY run_id DESC OFFSET v_keep - 1 LIMIT 1)
                ORDER BY run_id LIMIT p_runs);
        GET DIAGNOSTICS v_count = ROW_COUNT;
        v_gone := v_gone + v_count;
    END LOOP;
    -- One host at a time moves the turn on; the others skip it.
    UPDATE schedctl.installation SET pruned_through = coalesce(v_turn[cardinality(v_turn)], 0)
     WHERE only_row AND pruned_through = v_after AND coalesce(v_turn[cardinality(v_turn)], 0) <> v_after;
    RETURN v_gone;
END
$$;

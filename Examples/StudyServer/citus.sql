-- Distributes a study's warehouse over the nodes of Citus (https://github.com/citusdata/citus), by participant. Run it once,
-- after the first consumer has made the tables, as the role that owns them and the database:
--
--     psql "$STORE" -v ON_ERROR_STOP=1 -f citus.sql
--
-- The queue, the table of samples and what is small stay on the coordinator.
DO $$ BEGIN
    -- Exports join visits with the ids of them.
    EXECUTE format('ALTER DATABASE %I SET citus.enable_repartition_joins = on', current_database());
END $$;
SELECT create_distributed_table('observation_fact', 'patient_num', colocate_with => 'none');
SELECT create_distributed_table('visit_dimension', 'patient_num', colocate_with => 'observation_fact');
SELECT create_distributed_table('study_resource', 'patient_num', colocate_with => 'observation_fact');
SELECT create_distributed_table('encounter_mapping', 'patient_ide', colocate_with => 'none');
SELECT create_distributed_table('study_message', 'id', colocate_with => 'none');
SELECT create_reference_table('study_participant');
SELECT create_reference_table('study_consent');

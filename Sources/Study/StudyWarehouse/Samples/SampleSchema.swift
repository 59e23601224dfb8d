extension WarehouseSchema {
    /// The samples of phones and watches, and what many of them have in common.
    ///
    /// Times are microseconds since 1970. A set is the samples of one message with the same kind, source and
    /// zone. Sets and sources are numbered per participant, so that the numbers do not run out.
    static let samples = """
        CREATE TABLE study_setting (name text PRIMARY KEY, value text NOT NULL);
        CREATE TABLE study_sample_source (
            patient_num integer NOT NULL,
            source_num integer NOT NULL,
            digest text NOT NULL,
            json text NOT NULL,
            PRIMARY KEY (patient_num, source_num),
            UNIQUE (patient_num, digest)
        );
        CREATE TABLE study_sample_set (
            patient_num integer NOT NULL,
            set_num integer NOT NULL,
            type_num integer NOT NULL,
            source_num integer NOT NULL,
            utc_offset integer NOT NULL,
            received timestamp NOT NULL,
            upload_id integer,
            PRIMARY KEY (patient_num, set_num)
        );
        CREATE TABLE study_sample_visit (
            patient_num integer NOT NULL,
            id bigint NOT NULL,
            PRIMARY KEY (patient_num, id)
        );
        """

    private static let sampleColumns = """
        start_us bigint NOT NULL,
        id bigint NOT NULL,
        value double precision NOT NULL,
        end_us bigint,
        patient_num integer NOT NULL,
        set_num integer NOT NULL,
        PRIMARY KEY (patient_num, start_us, id)
        """

    private static let typeColumns = "concept text NOT NULL, concept_key text NOT NULL, unit text NOT NULL"

    static let sqliteSamples =
        samples + """
            CREATE TABLE study_sample_type (
                type_num INTEGER PRIMARY KEY, \(typeColumns), UNIQUE (concept, unit)
            );
            CREATE TABLE study_sample (\(sampleColumns)) WITHOUT ROWID
            """

    /// On PostgreSQL the samples of a month are a partition. One without a month, since nobody could make
    /// it, is in the one that takes the others.
    ///
    /// A role that writes need not own the table: the function makes partitions with its owner's rights, of
    /// months from 2000 to the next one alone.
    static let postgreSQLSamples =
        samples + """
            CREATE TABLE study_sample_type (
                type_num integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                \(typeColumns),
                UNIQUE (concept, unit)
            );
            CREATE TABLE study_sample (\(sampleColumns)) PARTITION BY RANGE (start_us);
            CREATE TABLE study_sample_other PARTITION OF study_sample DEFAULT;
            DO $make$ BEGIN EXECUTE format($text$
                CREATE FUNCTION study_sample_month(number integer) RETURNS boolean
                LANGUAGE plpgsql SECURITY DEFINER
                SET search_path = %I, pg_temp SET lock_timeout = '2s'
                AS $body$
                DECLARE
                    beginning timestamp := timestamp '2000-01-01' + make_interval(months => number);
                    following timestamp := timestamp '2000-01-01' + make_interval(months => number + 1);
                    name text := 'study_sample_' || to_char(beginning, 'YYYY_MM');
                BEGIN
                    IF to_regclass(name) IS NOT NULL THEN RETURN true; END IF;
                    IF number < 0 OR beginning > (now() AT TIME ZONE 'UTC') + interval '1 month' THEN
                        RETURN false;
                    END IF;
                    EXECUTE format(
                        'CREATE TABLE %%I PARTITION OF study_sample FOR VALUES FROM (%%s) TO (%%s)',
                        name,
                        extract(epoch FROM beginning)::bigint * 1000000,
                        extract(epoch FROM following)::bigint * 1000000
                    );
                    RETURN true;
                EXCEPTION
                    WHEN lock_not_available OR deadlock_detected OR check_violation
                        OR insufficient_privilege OR duplicate_table THEN
                    RETURN false;
                END $body$
                $text$, current_schema()); END $make$
            """
}

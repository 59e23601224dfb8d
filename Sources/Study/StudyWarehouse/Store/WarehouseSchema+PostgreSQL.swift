extension WarehouseSchema {
    private static let loads = """
        update_date timestamp,
        download_date timestamp,
        import_date timestamp,
        sourcesystem_cd varchar(50),
        upload_id integer
        """
    private static let counts = """
        source_cd varchar(50) NOT NULL,
        no_of_record bigint,
        loaded_record bigint,
        deleted_record bigint,
        load_date timestamp NOT NULL,
        end_date timestamp,
        load_status varchar(100),
        message text,
        input_file_name text,
        log_file_name text,
        transform_name varchar(500)
        """
    private static let metadata = """
        c_columnname varchar(50) NOT NULL,
        c_columndatatype varchar(50) NOT NULL,
        c_operator varchar(10) NOT NULL,
        c_dimcode varchar(700) NOT NULL,
        c_comment text,
        c_tooltip varchar(900)
        """

    /// The same tables with the types that i2b2's scripts (release 1.8) give them on PostgreSQL, in the first
    /// schema of the search path. Moments are in UTC, without a zone.
    ///
    /// The columns of facts have an order that needs no padding: those of 8 bytes first, then those of 4,
    /// then texts.
    ///
    /// Two numbers have 64 bits instead of i2b2's 32: `encounter_num`, since each answer and measurement is a
    /// visit, and `text_search_index`, since each fact has one.
    static let postgreSQL = """
        CREATE TABLE observation_fact (
            encounter_num bigint NOT NULL,
            start_date timestamp NOT NULL,
            end_date timestamp,
            update_date timestamp,
            download_date timestamp,
            import_date timestamp,
            text_search_index bigserial NOT NULL,
            patient_num integer NOT NULL,
            instance_num integer NOT NULL DEFAULT 1,
            upload_id integer,
            concept_cd varchar(50) NOT NULL,
            modifier_cd varchar(100) NOT NULL DEFAULT '@',
            provider_id varchar(50) NOT NULL,
            valtype_cd varchar(50),
            tval_char varchar(255),
            nval_num numeric(18,5),
            valueflag_cd varchar(50),
            quantity_num numeric(18,5),
            units_cd varchar(50),
            location_cd varchar(50),
            observation_blob text,
            confidence_num numeric(18,5),
            sourcesystem_cd varchar(50)
        );
        \(factIndex);
        CREATE INDEX of_concept ON observation_fact (concept_cd);
        \(lightIndexes);
        CREATE TABLE archive_observation_fact (
            encounter_num bigint,
            start_date timestamp,
            end_date timestamp,
            update_date timestamp,
            download_date timestamp,
            import_date timestamp,
            text_search_index bigint,
            patient_num integer,
            instance_num integer,
            upload_id integer,
            concept_cd varchar(50),
            modifier_cd varchar(100),
            provider_id varchar(50),
            valtype_cd varchar(50),
            tval_char varchar(255),
            nval_num numeric(18,5),
            valueflag_cd varchar(50),
            quantity_num numeric(18,5),
            units_cd varchar(50),
            location_cd varchar(50),
            observation_blob text,
            confidence_num numeric(18,5),
            sourcesystem_cd varchar(50),
            archive_upload_id integer
        );
        CREATE TABLE patient_dimension (
            patient_num integer PRIMARY KEY,
            vital_status_cd varchar(50),
            birth_date timestamp,
            death_date timestamp,
            sex_cd varchar(50),
            age_in_years_num integer,
            language_cd varchar(50),
            race_cd varchar(50),
            marital_status_cd varchar(50),
            religion_cd varchar(50),
            zip_cd varchar(10),
            statecityzip_path varchar(700),
            income_cd varchar(50),
            patient_blob text,
            \(loads)
        );
        CREATE TABLE visit_dimension (
            encounter_num bigint NOT NULL,
            patient_num integer NOT NULL,
            active_status_cd varchar(50),
            start_date timestamp,
            end_date timestamp,
            inout_cd varchar(50),
            location_cd varchar(50),
            location_path varchar(900),
            length_of_stay integer,
            visit_blob text,
            \(loads),
            PRIMARY KEY (encounter_num, patient_num)
        );
        CREATE INDEX vd_patient ON visit_dimension (patient_num);
        CREATE TABLE concept_dimension (
            concept_path varchar(700) PRIMARY KEY,
            concept_cd varchar(50),
            name_char varchar(2000),
            concept_blob text,
            \(loads)
        );
        CREATE INDEX cd_code ON concept_dimension (concept_cd);
        CREATE TABLE modifier_dimension (
            modifier_path varchar(700) PRIMARY KEY,
            modifier_cd varchar(50),
            name_char varchar(2000),
            modifier_blob text,
            \(loads)
        );
        CREATE TABLE provider_dimension (
            provider_id varchar(50),
            provider_path varchar(700),
            name_char varchar(850),
            provider_blob text,
            \(loads),
            PRIMARY KEY (provider_path, provider_id)
        );
        CREATE TABLE code_lookup (
            table_cd varchar(100),
            column_cd varchar(100),
            code_cd varchar(50),
            name_char varchar(650),
            lookup_blob text,
            upload_date timestamp,
            \(loads),
            PRIMARY KEY (table_cd, column_cd, code_cd)
        );
        CREATE TABLE patient_mapping (
            patient_ide varchar(200) NOT NULL,
            patient_ide_source varchar(50) NOT NULL,
            patient_num integer NOT NULL,
            patient_ide_status varchar(50),
            project_id varchar(50) NOT NULL,
            upload_date timestamp,
            \(loads),
            PRIMARY KEY (patient_ide, patient_ide_source, project_id)
        );
        CREATE INDEX pm_number ON patient_mapping (patient_num);
        CREATE TABLE encounter_mapping (
            encounter_ide varchar(200) NOT NULL,
            encounter_ide_source varchar(50) NOT NULL,
            project_id varchar(50) NOT NULL,
            encounter_num bigint NOT NULL,
            patient_ide varchar(200) NOT NULL,
            patient_ide_source varchar(50) NOT NULL,
            encounter_ide_status varchar(50),
            upload_date timestamp,
            \(loads),
            PRIMARY KEY (encounter_ide, encounter_ide_source, project_id, patient_ide, patient_ide_source)
        );
        CREATE INDEX em_number ON encounter_mapping (encounter_num);
        CREATE INDEX em_patient ON encounter_mapping (patient_ide, patient_ide_source);
        CREATE TABLE upload_status (
            upload_id serial PRIMARY KEY,
            upload_label varchar(500) NOT NULL,
            user_id varchar(100) NOT NULL,
            \(counts)
        );
        CREATE TABLE set_type (id integer PRIMARY KEY, name varchar(500), create_date timestamp);
        INSERT INTO set_type (id, name)
        VALUES (1, 'event_set'), (2, 'patient_set'), (3, 'concept_set'), (4, 'observer_set'),
            (5, 'observation_set'), (6, 'pid_set'), (7, 'eid_set'), (8, 'modifier_set');
        CREATE TABLE set_upload_status (
            upload_id integer,
            set_type_id integer REFERENCES set_type (id),
            \(counts),
            PRIMARY KEY (upload_id, set_type_id)
        );
        CREATE TABLE source_master (
            source_cd varchar(50) PRIMARY KEY,
            description varchar(300),
            create_date timestamp
        );
        CREATE TABLE study_metadata (
            c_hlevel integer NOT NULL,
            c_fullname varchar(700) PRIMARY KEY,
            c_name varchar(2000) NOT NULL,
            c_synonym_cd char(1) NOT NULL,
            c_visualattributes char(3) NOT NULL,
            c_totalnum integer,
            c_basecode varchar(50),
            c_metadataxml text,
            c_facttablecolumn varchar(50) NOT NULL,
            c_tablename varchar(50) NOT NULL,
            \(metadata),
            m_applied_path varchar(700) NOT NULL,
            update_date timestamp NOT NULL,
            download_date timestamp,
            import_date timestamp,
            sourcesystem_cd varchar(50),
            valuetype_cd varchar(50),
            m_exclusion_cd varchar(25),
            c_path varchar(700),
            c_symbol varchar(50)
        );
        CREATE TABLE table_access (
            c_table_cd varchar(50) NOT NULL,
            c_table_name varchar(50) NOT NULL,
            c_protected_access char(1),
            c_ontology_protection text,
            c_hlevel integer NOT NULL,
            c_fullname varchar(700) NOT NULL,
            c_name varchar(2000) NOT NULL,
            c_synonym_cd char(1) NOT NULL,
            c_visualattributes char(3) NOT NULL,
            c_totalnum integer,
            c_basecode varchar(50),
            c_metadataxml text,
            c_facttablecolumn varchar(50) NOT NULL,
            c_dimtablename varchar(50) NOT NULL,
            \(metadata),
            c_entry_date timestamp,
            c_change_date timestamp,
            c_status_cd char(1),
            valuetype_cd varchar(50)
        );
        CREATE TABLE schemes (
            c_key varchar(50) PRIMARY KEY,
            c_name varchar(50) NOT NULL,
            c_description varchar(100)
        );
        CREATE SEQUENCE study_visit;
        CREATE TABLE study_participant (
            patient_num integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            participant text NOT NULL UNIQUE,
            pseudonym text NOT NULL UNIQUE,
            created timestamp NOT NULL
        );
        CREATE TABLE study_consent (
            participant text NOT NULL,
            message text NOT NULL,
            signed timestamp NOT NULL,
            version text,
            shares integer,
            number integer NOT NULL DEFAULT 0,
            PRIMARY KEY (participant, message, number)
        );
        CREATE TABLE study_withdrawal (
            participant text PRIMARY KEY,
            at timestamp NOT NULL,
            facts integer NOT NULL,
            messages integer NOT NULL
        );
        CREATE TABLE study_message (
            id text PRIMARY KEY,
            kind text NOT NULL,
            body bytea,
            received text NOT NULL,
            state text NOT NULL,
            reason text,
            participant text,
            upload_id integer,
            client text
        );
        ALTER TABLE study_message ALTER body SET STORAGE EXTERNAL;
        CREATE INDEX message_waiting ON study_message (participant) WHERE state = 'waiting';
        CREATE INDEX message_failed ON study_message (received, id) WHERE state = 'failed';
        CREATE INDEX message_again ON study_message (received, id) WHERE state = 'again';
        CREATE INDEX message_participant ON study_message (participant);
        CREATE TABLE study_resource (
            patient_num integer NOT NULL,
            type text NOT NULL,
            visit text NOT NULL,
            json bytea NOT NULL CONSTRAINT resource_is_packed CHECK (get_byte(json, 0) = 1),
            updated timestamp NOT NULL,
            upload_id integer,
            PRIMARY KEY (patient_num, type, visit)
        );
        ALTER TABLE study_resource ALTER json SET STORAGE EXTERNAL
        """

    /// Indexes of i2b2's: those whose columns grow with the rows need a few bytes for many of them.
    private static let lightIndexes = """
        CREATE INDEX of_patient ON observation_fact (patient_num);
        CREATE INDEX of_upload ON observation_fact USING brin (upload_id);
        CREATE INDEX of_text_search ON observation_fact USING brin (text_search_index)
        """

    /// Keeps a fact from being there twice: of i2b2's key visit and participant, by whom a database may be
    /// distributed, and the rest as a number, which takes a third of what its texts do.
    /// That two facts of one visit have the same 64 bits is as likely as one in 10^17, and one of them is
    /// refused then.
    private static let factIndex = """
        CREATE UNIQUE INDEX observation_fact_pk ON observation_fact (
            encounter_num,
            patient_num,
            hashtextextended(
                concept_cd,
                hashtextextended(
                    modifier_cd,
                    hashtextextended(
                        provider_id,
                        timestamp_hash_extended(start_date, instance_num)
                    )
                )
            )
        )
        """

    /// Those of modifiers: most facts have none.
    static let modifierIndex = """
        CREATE INDEX IF NOT EXISTS of_modifier ON observation_fact (modifier_cd) WHERE modifier_cd <> '@'
        """

    /// Gives an earlier version's facts their present key and indexes. It makes the indexes anew.
    static let lighterFacts = """
        ALTER TABLE observation_fact DROP CONSTRAINT observation_fact_pk;
        DROP INDEX IF EXISTS of_encounter, of_patient, of_upload, of_text_search, of_modifier;
        \(factIndex);
        \(lightIndexes);
        \(modifierIndex)
        """

    /// Packs nothing of what an earlier version stored: that is done when it is written again. An earlier
    /// version's consumer that still runs is refused: its text would be read as an escaped form of bytes.
    static let resourceBytes = """
        ALTER TABLE study_resource ALTER json TYPE bytea USING convert_to(json, 'UTF8');
        ALTER TABLE study_resource ADD CONSTRAINT resource_is_packed
            CHECK (get_byte(json, 0) = 1) NOT VALID;
        ALTER TABLE study_resource ALTER json SET STORAGE EXTERNAL
        """

    /// Gives 64 bits to the numbers that an earlier version gave 32. It writes four tables anew.
    static let wideNumbers = """
        ALTER TABLE observation_fact
            ALTER encounter_num TYPE bigint, ALTER text_search_index TYPE bigint;
        ALTER TABLE archive_observation_fact
            ALTER encounter_num TYPE bigint, ALTER text_search_index TYPE bigint;
        ALTER TABLE visit_dimension ALTER encounter_num TYPE bigint;
        ALTER TABLE encounter_mapping ALTER encounter_num TYPE bigint;
        ALTER SEQUENCE study_visit AS bigint;
        ALTER SEQUENCE observation_fact_text_search_index_seq AS bigint
        """
}

/// The tables of a warehouse: i2b2's own, with its names, keys and columns, and those of the study beside
/// them.
enum WarehouseSchema {
    /// The columns with which every table of i2b2 ends.
    private static let bookkeeping =
        "update_date TEXT, download_date TEXT, import_date TEXT, sourcesystem_cd TEXT, upload_id INTEGER"

    /// The columns of i2b2's key of a fact in a file, the visit first: new facts follow each other in the
    /// index, which finds those of a visit, too.
    static let factKey =
        "encounter_num, patient_num, concept_cd, modifier_cd, start_date, instance_num, provider_id"

    /// The facts, with the indexes that the study's own queries have a use for.
    private static let facts = """
        CREATE TABLE observation_fact (
            encounter_num INTEGER NOT NULL,
            patient_num INTEGER NOT NULL,
            concept_cd TEXT NOT NULL,
            provider_id TEXT NOT NULL,
            start_date TEXT NOT NULL,
            modifier_cd TEXT NOT NULL DEFAULT '@',
            instance_num INTEGER NOT NULL DEFAULT 1,
            valtype_cd TEXT,
            tval_char TEXT,
            nval_num NUMERIC,
            valueflag_cd TEXT,
            quantity_num NUMERIC,
            units_cd TEXT,
            end_date TEXT,
            location_cd TEXT,
            observation_blob TEXT,
            confidence_num NUMERIC,
            \(bookkeeping),
            PRIMARY KEY (\(factKey)),
            CHECK (length(concept_cd) <= 50),
            CHECK (length(modifier_cd) <= 100),
            CHECK (length(tval_char) <= 255)
        );
        CREATE INDEX of_patient ON observation_fact (patient_num);
        CREATE INDEX of_concept ON observation_fact (concept_cd)
        """

    /// Gives an earlier version's facts their present key and indexes. It writes the table anew.
    static let factsInNewOrder = """
        ALTER TABLE observation_fact RENAME TO observation_fact_before;
        DROP INDEX of_concept;
        \(facts);
        INSERT INTO observation_fact SELECT * FROM observation_fact_before;
        DROP TABLE observation_fact_before
        """

    /// i2b2's tables (release 1.8). Moments are texts in UTC, as ``WarehouseTime`` writes them.
    static let i2b2 = """
        \(facts);
        CREATE TABLE archive_observation_fact (
            encounter_num INTEGER,
            patient_num INTEGER,
            concept_cd TEXT,
            provider_id TEXT,
            start_date TEXT,
            modifier_cd TEXT,
            instance_num INTEGER,
            valtype_cd TEXT,
            tval_char TEXT,
            nval_num NUMERIC,
            valueflag_cd TEXT,
            quantity_num NUMERIC,
            units_cd TEXT,
            end_date TEXT,
            location_cd TEXT,
            observation_blob TEXT,
            confidence_num NUMERIC,
            \(bookkeeping),
            text_search_index INTEGER,
            archive_upload_id INTEGER
        );
        CREATE TABLE patient_dimension (
            patient_num INTEGER PRIMARY KEY,
            vital_status_cd TEXT,
            birth_date TEXT,
            death_date TEXT,
            sex_cd TEXT,
            age_in_years_num INTEGER,
            language_cd TEXT,
            race_cd TEXT,
            marital_status_cd TEXT,
            religion_cd TEXT,
            zip_cd TEXT,
            statecityzip_path TEXT,
            income_cd TEXT,
            patient_blob TEXT,
            \(bookkeeping)
        );
        CREATE TABLE visit_dimension (
            encounter_num INTEGER NOT NULL,
            patient_num INTEGER NOT NULL,
            active_status_cd TEXT,
            start_date TEXT,
            end_date TEXT,
            inout_cd TEXT,
            location_cd TEXT,
            location_path TEXT,
            length_of_stay INTEGER,
            visit_blob TEXT,
            \(bookkeeping),
            PRIMARY KEY (encounter_num, patient_num)
        );
        CREATE TABLE concept_dimension (
            concept_path TEXT PRIMARY KEY,
            concept_cd TEXT,
            name_char TEXT,
            concept_blob TEXT,
            \(bookkeeping)
        );
        CREATE INDEX cd_code ON concept_dimension (concept_cd);
        CREATE TABLE modifier_dimension (
            modifier_path TEXT PRIMARY KEY,
            modifier_cd TEXT,
            name_char TEXT,
            modifier_blob TEXT,
            \(bookkeeping)
        );
        CREATE TABLE provider_dimension (
            provider_id TEXT,
            provider_path TEXT,
            name_char TEXT,
            provider_blob TEXT,
            \(bookkeeping),
            PRIMARY KEY (provider_path, provider_id)
        );
        CREATE TABLE code_lookup (
            table_cd TEXT,
            column_cd TEXT,
            code_cd TEXT,
            name_char TEXT,
            lookup_blob TEXT,
            upload_date TEXT,
            \(bookkeeping),
            PRIMARY KEY (table_cd, column_cd, code_cd)
        );
        CREATE TABLE patient_mapping (
            patient_ide TEXT NOT NULL,
            patient_ide_source TEXT NOT NULL,
            patient_num INTEGER NOT NULL,
            patient_ide_status TEXT,
            project_id TEXT NOT NULL,
            upload_date TEXT,
            \(bookkeeping),
            PRIMARY KEY (patient_ide, patient_ide_source, project_id)
        );
        CREATE INDEX pm_number ON patient_mapping (patient_num);
        CREATE TABLE encounter_mapping (
            encounter_ide TEXT NOT NULL,
            encounter_ide_source TEXT NOT NULL,
            project_id TEXT NOT NULL,
            encounter_num INTEGER NOT NULL,
            patient_ide TEXT NOT NULL,
            patient_ide_source TEXT NOT NULL,
            encounter_ide_status TEXT,
            upload_date TEXT,
            \(bookkeeping),
            PRIMARY KEY (encounter_ide, encounter_ide_source, project_id, patient_ide, patient_ide_source)
        );
        CREATE INDEX em_number ON encounter_mapping (encounter_num);
        CREATE INDEX em_patient ON encounter_mapping (patient_ide, patient_ide_source);
        CREATE TABLE upload_status (
            upload_id INTEGER PRIMARY KEY AUTOINCREMENT,
            upload_label TEXT NOT NULL,
            user_id TEXT NOT NULL,
            source_cd TEXT NOT NULL,
            no_of_record INTEGER,
            loaded_record INTEGER,
            deleted_record INTEGER,
            load_date TEXT NOT NULL,
            end_date TEXT,
            load_status TEXT,
            message TEXT,
            input_file_name TEXT,
            log_file_name TEXT,
            transform_name TEXT
        );
        CREATE TABLE set_type (id INTEGER PRIMARY KEY, name TEXT, create_date TEXT);
        INSERT INTO set_type (id, name)
        VALUES (1, 'event_set'), (2, 'patient_set'), (3, 'concept_set'), (4, 'observer_set'),
            (5, 'observation_set'), (6, 'pid_set'), (7, 'eid_set'), (8, 'modifier_set');
        CREATE TABLE set_upload_status (
            upload_id INTEGER,
            set_type_id INTEGER REFERENCES set_type (id),
            source_cd TEXT NOT NULL,
            no_of_record INTEGER,
            loaded_record INTEGER,
            deleted_record INTEGER,
            load_date TEXT NOT NULL,
            end_date TEXT,
            load_status TEXT,
            message TEXT,
            input_file_name TEXT,
            log_file_name TEXT,
            transform_name TEXT,
            PRIMARY KEY (upload_id, set_type_id)
        );
        CREATE TABLE source_master (source_cd TEXT PRIMARY KEY, description TEXT, create_date TEXT);
        CREATE TABLE study_metadata (
            c_hlevel INTEGER NOT NULL,
            c_fullname TEXT PRIMARY KEY,
            c_name TEXT NOT NULL,
            c_synonym_cd TEXT NOT NULL,
            c_visualattributes TEXT NOT NULL,
            c_totalnum INTEGER,
            c_basecode TEXT,
            c_metadataxml TEXT,
            c_facttablecolumn TEXT NOT NULL,
            c_tablename TEXT NOT NULL,
            c_columnname TEXT NOT NULL,
            c_columndatatype TEXT NOT NULL,
            c_operator TEXT NOT NULL,
            c_dimcode TEXT NOT NULL,
            c_comment TEXT,
            c_tooltip TEXT,
            m_applied_path TEXT NOT NULL,
            update_date TEXT NOT NULL,
            download_date TEXT,
            import_date TEXT,
            sourcesystem_cd TEXT,
            valuetype_cd TEXT,
            m_exclusion_cd TEXT,
            c_path TEXT,
            c_symbol TEXT
        );
        CREATE TABLE table_access (
            c_table_cd TEXT NOT NULL,
            c_table_name TEXT NOT NULL,
            c_protected_access TEXT,
            c_ontology_protection TEXT,
            c_hlevel INTEGER NOT NULL,
            c_fullname TEXT NOT NULL,
            c_name TEXT NOT NULL,
            c_synonym_cd TEXT NOT NULL,
            c_visualattributes TEXT NOT NULL,
            c_totalnum INTEGER,
            c_basecode TEXT,
            c_metadataxml TEXT,
            c_facttablecolumn TEXT NOT NULL,
            c_dimtablename TEXT NOT NULL,
            c_columnname TEXT NOT NULL,
            c_columndatatype TEXT NOT NULL,
            c_operator TEXT NOT NULL,
            c_dimcode TEXT NOT NULL,
            c_comment TEXT,
            c_tooltip TEXT,
            c_entry_date TEXT,
            c_change_date TEXT,
            c_status_cd TEXT,
            valuetype_cd TEXT
        );
        CREATE TABLE schemes (c_key TEXT PRIMARY KEY, c_name TEXT NOT NULL, c_description TEXT);
        """

    /// The participants whom a message is about besides the one that it is filed under.
    static let subjects = """
        CREATE TABLE IF NOT EXISTS study_message_subject (
            participant text NOT NULL, message text NOT NULL, PRIMARY KEY (participant, message))
        """

    /// The apps that may speak for a participant: digests of their ids.
    static let clients = """
        CREATE TABLE IF NOT EXISTS study_client (
            participant text NOT NULL, client text NOT NULL, PRIMARY KEY (participant, client))
        """

    /// An earlier version's table of the apps that delivered messages.
    static let messageClients = """
        CREATE TABLE IF NOT EXISTS study_message_client (message text PRIMARY KEY, client text NOT NULL)
        """

    /// Adds the app that delivered a message to its row. Where the earlier table exists, the rows of its
    /// messages are rewritten.
    static let clientsOfMessages = """
        ALTER TABLE study_message ADD COLUMN client text;
        \(messageClients);
        UPDATE study_message
        SET client = (SELECT c.client FROM study_message_client c WHERE c.message = study_message.id)
        WHERE id IN (SELECT message FROM study_message_client);
        DROP TABLE study_message_client
        """

    /// What the pages show of a source, and what each participant had given when it was counted.
    static let published = """
        CREATE TABLE IF NOT EXISTS study_published (
            source text PRIMARY KEY,
            content text NOT NULL,
            marks text NOT NULL
        )
        """

    /// The units of numbers by the codes that they were given with, and the concepts that numbers of a unit
    /// have; and the withdrawals of those who enrolled again.
    static let units = """
        CREATE TABLE IF NOT EXISTS study_unit (
            code text NOT NULL,
            unit text NOT NULL,
            concept text NOT NULL,
            PRIMARY KEY (code, unit)
        );
        CREATE TABLE IF NOT EXISTS study_earlier_withdrawal (
            participant text NOT NULL,
            at timestamp NOT NULL,
            facts integer NOT NULL,
            messages integer NOT NULL,
            PRIMARY KEY (participant, at)
        )
        """

    /// Whether what somebody gave was erased when they withdrew, or stays.
    static let keptData = ["study_withdrawal", "study_earlier_withdrawal"].map { table in
        "ALTER TABLE \(table) ADD COLUMN erased integer NOT NULL DEFAULT 1"
    }.joined(separator: ";")

    /// Numbers the consents of one message, for an earlier version's tables.
    static let consentNumbers = """
        ALTER TABLE study_consent RENAME TO study_consent_before;
        CREATE TABLE study_consent (
            participant TEXT NOT NULL,
            message TEXT NOT NULL,
            signed TEXT NOT NULL,
            version TEXT,
            shares INTEGER,
            number INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (participant, message, number)
        );
        INSERT INTO study_consent
        SELECT participant, message, signed, version, shares, 0 FROM study_consent_before;
        DROP TABLE study_consent_before
        """

    /// The study's tables. Participants are in them by digests of their ids, which is all that is kept of the
    /// ids.
    static let study = """
        CREATE TABLE study_participant (
            patient_num INTEGER PRIMARY KEY AUTOINCREMENT,
            participant TEXT NOT NULL UNIQUE,
            pseudonym TEXT NOT NULL UNIQUE,
            created TEXT NOT NULL
        );
        CREATE TABLE study_consent (
            participant TEXT NOT NULL,
            message TEXT NOT NULL,
            signed TEXT NOT NULL,
            version TEXT,
            shares INTEGER,
            PRIMARY KEY (participant, message)
        );
        CREATE TABLE study_withdrawal (
            participant TEXT PRIMARY KEY,
            at TEXT NOT NULL,
            facts INTEGER NOT NULL,
            messages INTEGER NOT NULL
        );
        CREATE TABLE study_message (
            id TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            body BLOB,
            received TEXT NOT NULL,
            state TEXT NOT NULL,
            reason TEXT,
            participant TEXT,
            upload_id INTEGER
        );
        CREATE INDEX message_state ON study_message (state);
        CREATE INDEX message_participant ON study_message (participant);
        CREATE TABLE study_resource (
            patient_num INTEGER NOT NULL,
            type TEXT NOT NULL,
            visit TEXT NOT NULL,
            json TEXT NOT NULL,
            updated TEXT NOT NULL,
            upload_id INTEGER,
            PRIMARY KEY (patient_num, type, visit)
        );
        """
}

extension I2B2Project {
    /// The tables in which i2b2's CRC cell (release 1.8) keeps queries and what they found.
    static let queryTables = [
        """
        CREATE TABLE IF NOT EXISTS qt_query_master (
            query_master_id serial PRIMARY KEY,
            name varchar(250) NOT NULL,
            user_id varchar(50) NOT NULL,
            group_id varchar(50) NOT NULL,
            master_type_cd varchar(2000),
            plugin_id integer,
            create_date timestamp NOT NULL,
            delete_date timestamp,
            delete_flag varchar(3),
            request_xml text,
            generated_sql text,
            i2b2_request_xml text,
            pm_xml text
        )
        """,
        """
        CREATE INDEX IF NOT EXISTS qt_idx_qm_ugid ON qt_query_master (user_id, group_id, master_type_cd)
        """,
        """
        CREATE TABLE IF NOT EXISTS qt_query_result_type (
            result_type_id integer PRIMARY KEY,
            name varchar(100),
            description varchar(200),
            display_type_id varchar(500),
            visual_attribute_type_id varchar(3),
            user_role_cd varchar(255),
            classname varchar(200)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS qt_query_status_type (
            status_type_id integer PRIMARY KEY,
            name varchar(100),
            description varchar(200)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS qt_query_instance (
            query_instance_id serial PRIMARY KEY,
            query_master_id integer REFERENCES qt_query_master (query_master_id),
            user_id varchar(50) NOT NULL,
            group_id varchar(50) NOT NULL,
            batch_mode varchar(50),
            start_date timestamp NOT NULL,
            end_date timestamp,
            delete_flag varchar(3),
            status_type_id integer REFERENCES qt_query_status_type (status_type_id),
            message text
        )
        """,
        "CREATE INDEX IF NOT EXISTS qt_idx_qi_ugid ON qt_query_instance (user_id, group_id)",
        "CREATE INDEX IF NOT EXISTS qt_idx_qi_mstartid ON qt_query_instance (query_master_id, start_date)",
        """
        CREATE TABLE IF NOT EXISTS qt_query_result_instance (
            result_instance_id serial PRIMARY KEY,
            query_instance_id integer REFERENCES qt_query_instance (query_instance_id),
            result_type_id integer NOT NULL REFERENCES qt_query_result_type (result_type_id),
            set_size integer,
            start_date timestamp NOT NULL,
            end_date timestamp,
            status_type_id integer NOT NULL REFERENCES qt_query_status_type (status_type_id),
            delete_flag varchar(3),
            message text,
            description varchar(200),
            real_set_size integer,
            obfusc_method varchar(500)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS qt_patient_set_collection (
            patient_set_coll_id bigserial PRIMARY KEY,
            result_instance_id integer REFERENCES qt_query_result_instance (result_instance_id),
            set_index integer,
            patient_num integer
        )
        """,
        "CREATE INDEX IF NOT EXISTS qt_idx_qpsc_riid ON qt_patient_set_collection (result_instance_id)",
        """
        CREATE TABLE IF NOT EXISTS qt_patient_enc_collection (
            patient_enc_coll_id bigserial PRIMARY KEY,
            result_instance_id integer REFERENCES qt_query_result_instance (result_instance_id),
            set_index integer,
            patient_num integer,
            encounter_num bigint
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS qt_xml_result (
            xml_result_id serial PRIMARY KEY,
            result_instance_id integer REFERENCES qt_query_result_instance (result_instance_id),
            xml_value text
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS qt_analysis_plugin (
            plugin_id integer PRIMARY KEY,
            plugin_name varchar(2000),
            description varchar(2000),
            version_cd varchar(50),
            parameter_info text,
            parameter_info_xsd text,
            command_line text,
            working_folder text,
            commandoption_cd text,
            plugin_icon text,
            status_cd varchar(50),
            user_id varchar(50),
            group_id varchar(50),
            create_date timestamp,
            update_date timestamp
        )
        """,
        """
        CREATE INDEX IF NOT EXISTS qt_apnamevergrp_idx
        ON qt_analysis_plugin (plugin_name, version_cd, group_id)
        """,
        """
        CREATE TABLE IF NOT EXISTS qt_analysis_plugin_result_type (
            plugin_id integer,
            result_type_id integer,
            PRIMARY KEY (plugin_id, result_type_id)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS qt_privilege (
            protection_label_cd varchar(1500) PRIMARY KEY,
            dataprot_cd varchar(1000),
            hivemgmt_cd varchar(1000),
            plugin_id integer
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS qt_breakdown_path (
            name varchar(100),
            value text,
            create_date timestamp,
            update_date timestamp,
            user_id varchar(50)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS qt_pdo_query_master (
            query_master_id serial PRIMARY KEY,
            user_id varchar(50) NOT NULL,
            group_id varchar(50) NOT NULL,
            create_date timestamp NOT NULL,
            request_xml text,
            i2b2_request_xml text
        )
        """,
        "CREATE INDEX IF NOT EXISTS qt_idx_pqm_ugid ON qt_pdo_query_master (user_id, group_id)",
    ]

    /// The tables of the ontology cell beside the tree, and those in which i2b2 counts participants.
    static let ontologyTables = [
        """
        CREATE TABLE IF NOT EXISTS datamart_report (
            total_patient integer,
            total_observationfact integer,
            total_event integer,
            report_date timestamp
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS ont_process_status (
            process_id serial PRIMARY KEY,
            process_type_cd varchar(50),
            start_date timestamp,
            end_date timestamp,
            process_step_cd varchar(50),
            process_status_cd varchar(50),
            crc_upload_id integer,
            status_cd varchar(50),
            message text,
            entry_date timestamp,
            change_date timestamp,
            changedby_char char(50)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS totalnum (
            c_fullname varchar(850),
            agg_date date,
            agg_count integer,
            typeflag_cd varchar(3)
        )
        """,
        "CREATE INDEX IF NOT EXISTS totalnum_idx ON totalnum (c_fullname, agg_date, typeflag_cd)",
        """
        CREATE TABLE IF NOT EXISTS totalnum_report (
            c_fullname varchar(850),
            agg_date varchar(50),
            agg_count integer
        )
        """,
        "CREATE INDEX IF NOT EXISTS totalnum_report_idx ON totalnum_report (c_fullname)",
    ]

    private static let generators = "edu.harvard.i2b2.crc.dao.setfinder."

    /// The kinds of results that i2b2's query tool offers for the study's data.
    private static let resultTypes = [
        (1, "PATIENTSET", "Patient set", "LIST", "LA", "QueryResultPatientSetGenerator"),
        (2, "PATIENT_ENCOUNTER_SET", "Encounter set", "LIST", "LA", "QueryResultEncounterSetGenerator"),
        (3, "XML", "Generic query result", "CATNUM", "LH", ""),
        (4, "PATIENT_COUNT_XML", "Number of patients", "CATNUM", "LA", "QueryResultPatientCountGenerator"),
        (5, "PATIENT_GENDER_COUNT_XML", "Gender patient breakdown", "CATNUM", "LA", "QueryResultGenerator"),
        (8, "PATIENT_AGE_COUNT_XML", "Age patient breakdown", "CATNUM", "LA", "QueryResultGenerator"),
        (9, "PATIENTSET", "Timeline", "LIST", "LA", "QueryResultPatientSetGenerator"),
    ]
    private static let states = [
        "QUEUED", "PROCESSING", "FINISHED", "ERROR", "INCOMPLETE", "COMPLETED", "MEDIUM_QUEUE",
        "LARGE_QUEUE", "CANCELLED", "TIMEDOUT",
    ]
    private static let privileges = [
        ("PDO_WITHOUT_BLOB", "DATA_LDS", "USER"), ("PDO_WITH_BLOB", "DATA_DEID", "USER"),
        ("SETFINDER_QRY_WITH_DATAOBFSC", "DATA_OBFSC", "USER"),
        ("SETFINDER_QRY_WITHOUT_DATAOBFSC", "DATA_AGG", "USER"), ("UPLOAD", "DATA_OBFSC", "MANAGER"),
        ("SETFINDER_QRY_WITH_LGTEXT", "DATA_DEID", "USER"),
        ("SETFINDER_QRY_PROTECTED", "DATA_PROT", "USER"),
    ]
    /// The folders whose children a breakdown counts, as keys of the ontology.
    private static let breakdowns = [
        ("PATIENT_GENDER_COUNT_XML", #"\\STUDY\Study\Demographics\Sex\"#),
        ("PATIENT_AGE_COUNT_XML", #"\\STUDY\Study\Demographics\Age\"#),
    ]

    /// What the tables of the CRC cell have to have before the first query.
    static let queryRows =
        states.enumerated().map { index, name in
            """
            INSERT INTO qt_query_status_type (status_type_id, name, description)
            VALUES (\(index + 1), '\(name)', '\(name)')
            ON CONFLICT DO NOTHING
            """
        }
        + resultTypes.map { id, name, description, display, visual, generator in
            """
            INSERT INTO qt_query_result_type (
                result_type_id, name, description, display_type_id, visual_attribute_type_id, classname
            )
            VALUES (
                \(id), '\(name)', '\(description)', '\(display)', '\(visual)',
                \(generator.isEmpty ? "NULL" : "'\(generators)\(generator)'")
            )
            ON CONFLICT DO NOTHING
            """
        }
        + privileges.map { label, data, management in
            """
            INSERT INTO qt_privilege (protection_label_cd, dataprot_cd, hivemgmt_cd)
            VALUES ('\(label)', '\(data)', '\(management)')
            ON CONFLICT DO NOTHING
            """
        }
        + breakdowns.map { name, path in
            """
            INSERT INTO qt_breakdown_path (name, value, create_date)
            SELECT '\(name)', '\(path)', now()
            WHERE NOT EXISTS (SELECT 1 FROM qt_breakdown_path WHERE name = '\(name)')
            """
        }
}

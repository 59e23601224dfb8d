extension Ontology {
    /// The columns of i2b2's metadata tables that have values.
    public static let columns = [
        "c_hlevel", "c_fullname", "c_name", "c_synonym_cd", "c_visualattributes", "c_basecode",
        "c_metadataxml",
        "c_facttablecolumn",
        "c_tablename", "c_columnname", "c_columndatatype", "c_operator", "c_dimcode", "c_tooltip",
        "m_applied_path", "update_date",
        "sourcesystem_cd",
    ]

    /// The rows of a metadata table, in the order of ``columns``; `nil` for nothing.
    ///
    /// - Parameter source: The study's code.
    public func rows(source: String, now: WarehouseTime) -> [[String?]] {
        nodes.map { node in
            [
                String(node.level), node.path, String(node.name.unicodeScalars.prefix(2000)), "N",
                node.isLeaf ? "LA " : "FA ",
                node.code,
                node.valueMetadata, "concept_cd", "concept_dimension", "concept_path", "T", "LIKE", node.path,
                String(node.name.unicodeScalars.prefix(900)), "@", now.description, source,
            ]
        }
    }

    /// The tree as SQL for a database that has i2b2's tables: metadata, concepts and the entry of the root.
    public func sql(source: String, now: WarehouseTime) -> String {
        func literal(_ text: String?) -> String {
            text.map { "'" + $0.replacing("'", with: "''").replacing("\0", with: "") + "'" } ?? "NULL"
        }
        var text = "BEGIN;\n"
        for row in rows(source: source, now: now) {
            text += "DELETE FROM study_metadata WHERE c_fullname = \(literal(row[1]));\n"
            text +=
                """
                INSERT INTO study_metadata (\(Self.columns.joined(separator: ", "))) VALUES \
                (\(row.map(literal).joined(separator: ", ")));\n
                """
        }
        for node in nodes {
            guard let code = node.code else { continue }
            text += "DELETE FROM concept_dimension WHERE concept_path = \(literal(node.path));\n"
            let values = [node.path, code, node.name, node.key, now.description, source].map(literal).joined(
                separator: ", "
            )
            text +=
                """
                INSERT INTO concept_dimension (concept_path, concept_cd, name_char, concept_blob, \
                update_date, sourcesystem_cd) VALUES (\(values));\n
                """
        }
        return text + "COMMIT;\n"
    }
}

extension WarehouseTransaction {
    /// Writes a tree: metadata, concepts with their names, and the root's entry.
    public func store(_ ontology: Ontology, now: WarehouseTime) throws {
        // One at a time: its rows are those of all consumers.
        try db.lock("ontology")
        let marks = Ontology.columns.map { _ in "?" }.joined(separator: ", ")
        for row in ontology.rows(source: source, now: now) {
            try db.execute(sql: "DELETE FROM study_metadata WHERE c_fullname = ?", arguments: [row[1]])
            try db.execute(
                sql:
                    """
                    INSERT INTO study_metadata (\(Ontology.columns.joined(separator: ", ")))
                    VALUES (\(marks))
                    """,
                arguments: row
            )
        }
        for node in ontology.nodes {
            guard let code = node.code, let key = node.key else { continue }
            let concept = Concept(path: node.path, code: code, name: node.name, key: key)
            try store(concept, now: now, upload: nil)
            try db.execute(
                sql: "UPDATE concept_dimension SET name_char = ? WHERE concept_path = ?",
                arguments: [String(node.name.unicodeScalars.prefix(2000)), node.path]
            )
        }
        try db.execute(sql: "DELETE FROM table_access WHERE c_table_cd = 'STUDY'")
        try db.execute(
            sql: """
                INSERT INTO table_access (
                    c_table_cd, c_table_name, c_protected_access, c_hlevel, c_fullname, c_name, c_synonym_cd,
                    c_visualattributes, c_facttablecolumn, c_dimtablename, c_columnname,
                    c_columndatatype, c_operator, c_dimcode
                )
                VALUES (
                    'STUDY', 'study_metadata', 'N', 0, '\\Study\\', 'Study', 'N',
                    'CA ', 'concept_cd', 'concept_dimension', 'concept_path',
                    'T', 'LIKE', '\\Study\\'
                )
                """
        )
    }
}

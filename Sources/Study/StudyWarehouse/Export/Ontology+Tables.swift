extension Ontology {
    /// The columns of i2b2's metadata tables that have values.
    public static let columns = [
        "c_hlevel", "c_fullname", "c_name", "c_synonym_cd", "c_visualattributes", "c_basecode",
        "c_metadataxml", "c_facttablecolumn", "c_tablename", "c_columnname", "c_columndatatype", "c_operator",
        "c_dimcode", "c_tooltip", "m_applied_path", "update_date", "sourcesystem_cd", "c_comment", "c_path",
        "c_symbol",
    ]

    /// The comment of nodes that no questionnaire has, but facts do: what they are called is a phone's word.
    static let untrusted = "from a delivery"

    /// The rows of a metadata table, in the order of ``columns``; `nil` for nothing. Those of the modifiers
    /// are behind the others.
    ///
    /// - Parameter source: The study's code.
    public func rows(source: String, now: WarehouseTime) -> [[String?]] {
        nodes.map { Self.row($0, source: source, now: now) }
            + FactModifier.all.map { Self.row($0, source: source, now: now) }
    }

    static func row(_ node: Node, source: String, now: WarehouseTime, comment: String? = nil) -> [String?] {
        let column = node.column
        return [
            String(node.level), node.path, shown(node.name, 2000), "N", attributes(of: node), node.code,
            node.valueMetadata,
            column == nil ? "concept_cd" : "patient_num",
            column == nil ? "concept_dimension" : "patient_dimension",
            column?.name ?? "concept_path",
            column == nil ? "T" : "N",
            column?.comparison ?? "LIKE",
            column?.value ?? node.path,
            shown(node.name, 900), "@", now.description, source, comment,
        ] + position(of: node.path)
    }

    private static func attributes(of node: Node) -> String {
        if node.isLeaf { return "LA " }
        return node.isContainer ? "CA " : "FA "
    }

    private static func row(_ modifier: FactModifier, source: String, now: WarehouseTime) -> [String?] {
        let path = modifier.path
        let values = modifier.values?.xml(modifier.code, modifier.name)
        return [
            "1", path, modifier.name, "N", "RA ", modifier.code, values, "modifier_cd", "modifier_dimension",
            "modifier_path", "T", "LIKE", path, modifier.name, modifier.root + "%", now.description, source,
            nil,
        ] + position(of: path)
    }

    /// The path of what a node is in, and the node's own part of its path.
    private static func position(of path: String) -> [String?] {
        let parent = ConceptNames.parent(of: path)
        let symbol = String(path.dropFirst(parent.count))
        // The column has 50 characters; nothing depends on it.
        return [parent, symbol.count <= 50 ? symbol : nil]
    }

    private static func shown(_ name: String, _ limit: Int) -> String {
        String(name.unicodeScalars.prefix(limit))
    }

    /// The prefixes of codes, with their names.
    static let schemes = [
        ("LOINC:", "LOINC", "Logical Observation Identifiers Names and Codes"),
        ("SNOMED:", "SNOMED CT", "Systematized Nomenclature of Medicine"),
        ("RXNORM:", "RxNorm", "Normalized names of clinical drugs"),
        ("ICD10CM:", "ICD-10-CM", "Diagnoses, USA"), ("ICD10:", "ICD-10", "Diagnoses, WHO"),
        ("ICD9CM:", "ICD-9-CM", "Diagnoses, USA, before 2015"), ("NDC:", "NDC", "National Drug Codes"),
        ("CPT4:", "CPT", "Current Procedural Terminology"),
        ("HEALTHKIT:", "HealthKit", "Apple’s types of samples"),
        ("DEM|SEX:", "Sex", "Demographics: sex"),
        ("SURVEY:", "Surveys", "Questions and answers of the study’s questionnaires"),
        ("OBSERVATION:", "Measurements", "Modifiers of measurements"),
        ("CODE:", "Other codes", "Codes of other systems, behind a digest of the system’s URL"),
    ]

    /// Codes of dimensions' columns, with their names.
    static let lookups =
        PatientMapper.sexes.map { ("PATIENT_DIMENSION", "SEX_CD", $0.0, $0.1) } + [
            ("OBSERVATION_FACT", "VALUEFLAG_CD", "H", "High"),
            ("OBSERVATION_FACT", "VALUEFLAG_CD", "L", "Low"),
            ("OBSERVATION_FACT", "VALUEFLAG_CD", "A", "Abnormal"),
            ("OBSERVATION_FACT", "VALUEFLAG_CD", "N", "Normal"),
            ("VISIT_DIMENSION", "INOUT_CD", "@", "Not recorded"),
            ("VISIT_DIMENSION", "ACTIVE_STATUS_CD", "@", "Not recorded"),
            ("VISIT_DIMENSION", "LOCATION_CD", "@", "Not recorded"),
        ]

    /// The root in `table_access`.
    static let access: [(column: String, value: String)] = [
        ("c_table_cd", "STUDY"), ("c_table_name", "study_metadata"), ("c_protected_access", "N"),
        ("c_hlevel", "0"), ("c_fullname", root), ("c_name", "Study"), ("c_synonym_cd", "N"),
        ("c_visualattributes", "CA "), ("c_facttablecolumn", "concept_cd"),
        ("c_dimtablename", "concept_dimension"), ("c_columnname", "concept_path"), ("c_columndatatype", "T"),
        ("c_operator", "LIKE"), ("c_dimcode", root), ("c_tooltip", "Study"),
    ]

    /// The tree as SQL for a database that has i2b2's tables: metadata, concepts, modifiers, and the entry of
    /// the root.
    public func sql(source: String, now: WarehouseTime) -> String {
        var text = "BEGIN;\n"
        func replace(_ table: String, _ keys: [String], _ columns: [String], _ values: [String?]) {
            let found = zip(columns, values).filter { keys.contains($0.0) }
            let condition = found.map { "\($0) = \(Self.literal($1))" }.joined(separator: " AND ")
            text += "DELETE FROM \(table) WHERE \(condition);\n"
            let literals = values.map(Self.literal).joined(separator: ", ")
            text +=
                "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(literals));\n"
        }
        for row in rows(source: source, now: now) {
            replace("study_metadata", ["c_fullname"], Self.columns, row)
        }
        let bookkeeping = ["update_date", "sourcesystem_cd"]
        let load: [String?] = [now.description, source]
        for node in nodes {
            guard let code = node.code else { continue }
            replace(
                "concept_dimension",
                ["concept_path"],
                ["concept_path", "concept_cd", "name_char", "concept_blob"] + bookkeeping,
                [node.path, code, Self.shown(node.name, 2000), node.key] + load
            )
        }
        for modifier in FactModifier.all {
            replace(
                "modifier_dimension",
                ["modifier_path"],
                ["modifier_path", "modifier_cd", "name_char"] + bookkeeping,
                [modifier.path, modifier.code, modifier.name] + load
            )
        }
        replace("table_access", ["c_table_cd"], Self.access.map(\.column), Self.access.map(\.value))
        for scheme in Self.schemes {
            replace(
                "schemes",
                ["c_key"],
                ["c_key", "c_name", "c_description"],
                [scheme.0, scheme.1, scheme.2]
            )
        }
        return text + "COMMIT;\n"
    }

    private static func literal(_ text: String?) -> String {
        text.map { "'" + $0.replacing("'", with: "''").replacing("\0", with: "") + "'" } ?? "NULL"
    }
}

extension WarehouseTransaction {
    /// Writes a tree: metadata, concepts with their names, and the root's entry. What facts have beside it
    /// stays in the tree.
    ///
    /// A question has the unit that its code has already, if any.
    public func store(_ ontology: Ontology, now: WarehouseTime) throws {
        // One at a time: its rows are those of all consumers.
        try db.lock("ontology")
        var ontology = ontology
        try ontology.eachNumber { code, unit in try declare(unit, of: code) ?? unit }
        for row in ontology.rows(source: source, now: now) { try writeMetadata(row) }
        for node in ontology.nodes {
            guard let code = node.code, let key = node.key else { continue }
            let concept = Concept(path: node.path, code: code, name: node.name, key: key)
            try store(concept, now: now, upload: nil)
            try db.execute(
                "UPDATE concept_dimension SET name_char = ? WHERE concept_path = ?",
                [String(node.name.unicodeScalars.prefix(2000)), node.path]
            )
        }
        try db.execute("DELETE FROM table_access WHERE c_table_cd = 'STUDY'")
        let access = Ontology.access
        try db.execute(
            """
            INSERT INTO table_access (\(access.map(\.column).joined(separator: ", ")))
            VALUES (\(access.map { _ in "?" }.joined(separator: ", ")))
            """,
            access.map { $0.column == "c_hlevel" ? 0 : $0.value }
        )
        try showConcepts(now: now)
    }

    /// Writes a row of metadata, instead of the one of the same path.
    private func writeMetadata(_ row: [String?]) throws {
        try db.execute("DELETE FROM study_metadata WHERE c_fullname = ?", [row[1]])
        let marks = row.map { _ in "?" }.joined(separator: ", ")
        try db.execute(
            """
            INSERT INTO study_metadata (\(Ontology.columns.joined(separator: ", "))) VALUES (\(marks))
            ON CONFLICT (c_fullname) DO NOTHING
            """,
            row
        )
    }

    /// Puts concepts into the tree that have facts and no node: i2b2's tools find nothing else.
    func showConcepts(now: WarehouseTime) throws {
        let rows = try db.rows(
            """
            SELECT concept_path, concept_cd, name_char, concept_blob
            FROM concept_dimension
            WHERE NOT EXISTS (SELECT 1 FROM study_metadata WHERE c_fullname = concept_path)
            ORDER BY concept_path
            """
        )
        for row in rows {
            let concept = Concept(
                path: row.text(0) ?? "",
                code: row.text(1) ?? "",
                name: row.text(2) ?? "",
                key: row.text(3) ?? ""
            )
            try show(concept, values: try storedValues(of: concept), now: now)
        }
    }

    /// What the facts of a concept show of its values.
    private func storedValues(of concept: Concept) throws -> ValueMetadata? {
        let fact = try db.row(
            """
            SELECT valtype_cd, units_cd FROM observation_fact
            WHERE concept_cd = ? AND modifier_cd = '@' AND valtype_cd <> '@'
            LIMIT 1
            """,
            [concept.code]
        )
        switch fact?.text(0) {
        case "N":
            var values = ValueMetadata(.decimal)
            values.unit = fact?.text(1)
            return values
        case "T": return ValueMetadata(.text)
        case "B": return ValueMetadata(.longText)
        default: return nil
        }
    }

    /// Puts a concept into the tree, with the folders that it is in, unless it is there.
    ///
    /// - Parameter values: What its facts show of its values.
    func show(_ concept: Concept, values: ValueMetadata?, now: WarehouseTime) throws {
        let isKnown = try db.finds("SELECT 1 FROM study_metadata WHERE c_fullname = ?", [concept.path])
        guard !isKnown, concept.path.hasPrefix(Ontology.root) else { return }
        // Consumers that load at once write the same folders.
        try db.lock("ontology")
        try showFolders(above: concept.path, now: now)
        let measurement = KnownMeasurements[concept.code]
        let isTrusted = measurement != nil || concept.path.hasPrefix(ConceptNames.demographics)
        let node = Ontology.Node(
            path: concept.path,
            level: Self.level(of: concept.path),
            name: concept.name,
            code: concept.code,
            key: concept.key,
            isLeaf: true,
            values: measurement.flatMap { ValueMetadata($0) } ?? values
        )
        try writeMetadata(
            Ontology.row(node, source: source, now: now, comment: isTrusted ? nil : Ontology.untrusted)
        )
    }

    private func showFolders(above path: String, now: WarehouseTime) throws {
        var parents: [String] = []
        var parent = ConceptNames.parent(of: path)
        while parent.count > Ontology.root.count {
            parents.append(parent)
            parent = ConceptNames.parent(of: parent)
        }
        for folder in parents.reversed() {
            let updated = try db.execute(
                """
                UPDATE study_metadata
                SET c_visualattributes = CASE WHEN c_visualattributes LIKE 'L%' THEN 'FA '
                    ELSE c_visualattributes END
                WHERE c_fullname = ?
                """,
                [folder]
            )
            guard updated == 0 else { continue }
            let above = ConceptNames.parent(of: folder)
            let component = ConceptNames.components(of: folder, below: above)?.first
            let node = Ontology.Node(
                path: folder,
                level: Self.level(of: folder),
                name: component.flatMap(ConceptNames.linkID) ?? component ?? folder,
                code: nil,
                key: nil,
                isLeaf: false
            )
            try writeMetadata(Ontology.row(node, source: source, now: now, comment: Ontology.untrusted))
        }
    }

    private static func level(of path: String) -> Int { path.count { $0 == "\\" } - 2 }
}

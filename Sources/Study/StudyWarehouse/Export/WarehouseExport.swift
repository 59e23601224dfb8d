import Foundation
import OrderedJSON

extension WarehouseTransaction {
    /// The columns of exported facts, and what they mean.
    public static let factColumns: [(name: String, meaning: String)] = [
        ("participant", "The pseudonym."), ("visit", "The number of the delivery that the fact is from."),
        ("concept", "The code of what was asked or measured; dictionary.csv has its name and path."),
        ("name", "The name of the concept."),
        ("modifier", "What the row says of the fact; @ for the fact itself."),
        (
            "instance",
            "Distinguishes facts of one concept in one visit; a fact and its modifiers have the same."
        ),
        ("start", "When it was observed, in UTC."), ("end", "When that ended, in UTC."),
        ("type", "N: a number; T: a text; B: a long text; @: no value."),
        (
            "text",
            "The text. Of a number: E, equal; L, less; LE, at most; G, more; GE, at least. "
                + "Here, in name and unit, and in dictionary.csv, a text that begins with =, +, -, @, a tab, "
                + "a line end or ', also behind spaces, characters that nobody sees or |, has a ' before it, "
                + "so that no spreadsheet runs it as a formula; without that ' it is as it was given."
        ),
        ("number", "The number, as it was given, negative ones too."), ("unit", "The unit of the number."),
        ("flag", "H, L or A: above, below or outside of what is normal."),
    ]

    /// Gives all facts, ordered, one after the other, with pseudonyms instead of numbers. No spreadsheet runs
    /// a text of them.
    public func eachFact(of audience: ExportAudience = .study, _ body: (_ cells: [String]) throws -> Void)
        throws
    {
        // Of a code at several places the first name counts. Codes are compared by their bytes.
        let names = try db.rows(
            "SELECT concept_cd, name_char FROM concept_dimension ORDER BY concept_path"
        )
        .reduce(into: [[UInt8]: String]()) { names, row in
            guard let code = row.text(0).map({ Array($0.utf8) }), names[code] == nil else { return }
            names[code] = row.text(1) ?? ""
        }
        try db.eachRow(
            """
            SELECT p.pseudonym, f.encounter_num, f.concept_cd, f.modifier_cd, f.instance_num,
                f.start_date, f.end_date, f.valtype_cd, f.tval_char, f.nval_num,
                f.observation_blob, f.units_cd, f.valueflag_cd
            FROM observation_fact f
            JOIN study_participant p USING (patient_num)
            WHERE \(audience.condition("f"))
            ORDER BY p.pseudonym, f.start_date, f.encounter_num, f.concept_cd, f.instance_num,
                f.modifier_cd
            """,
            []
        ) { row in
            let type = row.text("valtype_cd")
            // Of a text that is compared as a whole the column has the beginning.
            let whole = type == "B" || type == "T" ? row.text("observation_blob") : nil
            let text = whole ?? row.text("tval_char")
            let cells: [String?] = [
                row.text(0), row.text(1), row.text(2),
                row.text(2).flatMap { names[Array($0.utf8)] }.map(SpreadsheetText.guarded),
                row.text(3), row.text(4), row.text(5), row.text(6), type, text.map(SpreadsheetText.guarded),
                type == "N" ? row.text("observation_blob") ?? row.decimal("nval_num") : nil,
                row.text("units_cd").map(SpreadsheetText.guarded), row.text("valueflag_cd"),
            ]
            try body(cells.map { $0 ?? "" })
        }
    }

    /// Code, name, path and what it stands for, of each concept and modifier. No spreadsheet runs a text of
    /// them.
    public func dictionary(of audience: ExportAudience = .study) throws -> [[String]] {
        try db.rows(
            """
            SELECT concept_cd, name_char, concept_path, concept_blob FROM concept_dimension c
            WHERE \(audience.conceptCondition("c"))
            UNION ALL SELECT modifier_cd, name_char, modifier_path, '' FROM modifier_dimension
            ORDER BY 1, 3
            """
        ).map { row in (0..<4).map { SpreadsheetText.guarded(row.text($0) ?? "") } }
    }

    /// The types of the resources.
    public func resourceTypes() throws -> [String] {
        try db.rows("SELECT DISTINCT type FROM study_resource ORDER BY type").compactMap { $0.text(0) }
    }

    /// Gives the resources of a type, as JSON.
    ///
    /// - Parameter disclosure: What is left out, also of what an earlier version has stored with it. Patients
    ///   are de-identified already.
    public func eachResource(
        _ type: String,
        _ disclosure: Disclosure = Disclosure(),
        of audience: ExportAudience = .study,
        _ body: (_ json: String) throws -> Void
    ) throws {
        try db.eachRow(
            """
            SELECT r.json, p.pseudonym FROM study_resource r JOIN study_participant p USING (patient_num)
            WHERE r.type = ? AND \(audience.condition("r")) ORDER BY r.patient_num, r.visit
            """,
            [type]
        ) { row in
            let text = try StoredResource.json(row.values[0]) ?? ""
            guard type != "Patient", let json = try? JSONValue(parsing: text) else { return try body(text) }
            try body(disclosure.released(json, of: row.text(1).flatMap { ParticipantID($0) }).text())
        }
    }

    /// The patient data object of i2b2's cells (PDO 1.1) with everything in the warehouse, piece by piece.
    ///
    /// Patients have their consent, JSON, in their blob.
    ///
    /// - Throws: ``WarehouseError`` for an export without facts: none of the object's sets may be empty.
    public func writePDO(of audience: ExportAudience = .study, _ write: (String) throws -> Void) throws {
        let facts = "SELECT 1 FROM observation_fact f WHERE \(audience.condition("f")) LIMIT 1"
        guard try db.finds(facts, []) else {
            throw WarehouseError.badInput(
                "the export has no facts, and a patient data object without any is not valid"
            )
        }
        let consents = Dictionary(firstOf: try self.consents(of: audience).map { ($0.participant, $0) })
        try write(
            #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
                + #"<p:patient_data xmlns:p="http://www.i2b2.org/xsd/hive/pdo/1.1/">"#
                + "\n"
        )
        try set(
            "event_set",
            write,
            """
            SELECT v.*, e.encounter_ide, e.patient_ide
            FROM visit_dimension v
            JOIN encounter_mapping e USING (encounter_num)
            WHERE e.encounter_ide_source = ? AND \(audience.condition("v"))
            ORDER BY v.encounter_num
            """
        ) { row in
            var event =
                "<event\(attributes(row))>" + id("event_id", eventID(row))
                + id("patient_id", text(row, "patient_ide"))
            event += moment("start_date", text(row, "start_date"))
            event += moment("end_date", text(row, "end_date") ?? text(row, "start_date"))
            return event + "</event>"
        }
        try set(
            "concept_set",
            write,
            """
            SELECT * FROM concept_dimension c
            WHERE ? <> '' AND \(audience.conceptCondition("c"))
            ORDER BY concept_path
            """
        ) { row in
            "<concept\(attributes(row))>" + element("concept_path", text(row, "concept_path"))
                + element("concept_cd", text(row, "concept_cd"))
                + element("name_char", text(row, "name_char")) + "</concept>"
        }
        try set(
            "modifier_set",
            write,
            "SELECT * FROM modifier_dimension WHERE ? <> '' ORDER BY modifier_path"
        ) { row in
            "<modifier\(attributes(row))>" + element("modifier_path", text(row, "modifier_path"))
                + element("modifier_cd", text(row, "modifier_cd"))
                + element("name_char", text(row, "name_char")) + "</modifier>"
        }
        try write(
            "<p:observer_set><observer><observer_path>\\@\\</observer_path><observer_cd>@</observer_cd>"
                + "<name_char>unknown</name_char></observer></p:observer_set>\n"
        )
        try set(
            "pid_set",
            write,
            """
            SELECT * FROM patient_mapping m
            WHERE patient_ide_source = ? AND \(audience.condition("m"))
            ORDER BY patient_num
            """
        ) { row in
            "<pid>" + id("patient_id", text(row, "patient_ide"), " status=\"A\"" + attributes(row)) + "</pid>"
        }
        try set(
            "eid_set",
            write,
            """
            SELECT e.* FROM encounter_mapping e
            JOIN visit_dimension v USING (encounter_num)
            WHERE encounter_ide_source = ? AND \(audience.condition("v"))
            ORDER BY encounter_num
            """
        ) { row in
            let name = escapedXML(text(row, "patient_ide") ?? "")
            let patient = #" patient_id="\#(name)" patient_id_source="\#(escapedXML(source))" status="A""#
            return "<eid>" + id("event_id", eventID(row), patient + attributes(row)) + "</eid>"
        }
        try set(
            "patient_set",
            write,
            """
            SELECT d.*, m.patient_ide FROM patient_dimension d JOIN patient_mapping m USING (patient_num)
            WHERE m.patient_ide_source = ? AND \(audience.condition("d")) ORDER BY d.patient_num
            """
        ) { row in
            let consent = text(row, "patient_ide").flatMap { consents[$0] }?.json.text()
            let columns = ["sex_cd", "birth_date", "zip_cd", "statecityzip_path"]
            return "<patient\(attributes(row))>" + id("patient_id", text(row, "patient_ide"))
                + columns.map { name in
                    guard let value = text(row, name) else { return "" }
                    let shown = name == "birth_date" ? value.replacing(" ", with: "T") + "Z" : value
                    return #"<param column="\#(name)">\#(escapedXML(shown))</param>"#
                }.joined() + (consent.map { element("patient_blob", $0) } ?? "") + "</patient>"
        }
        try set(
            "observation_set",
            write,
            """
            SELECT f.*, e.encounter_ide, e.patient_ide
            FROM observation_fact f
            JOIN encounter_mapping e USING (encounter_num)
            WHERE e.encounter_ide_source = ? AND \(audience.condition("f"))
            ORDER BY f.encounter_num, f.concept_cd, f.instance_num, f.modifier_cd
            """,
            observation
        )
        try write("</p:patient_data>\n")
    }

    private func set(
        _ name: String,
        _ write: (String) throws -> Void,
        _ sql: String,
        _ element: (SQLRow) throws -> String
    ) throws {
        try write("<p:\(name)>\n")
        try db.eachRow(sql, [source]) { try write(element($0) + "\n") }
        try write("</p:\(name)>\n")
    }

    private func observation(_ row: SQLRow) -> String {
        let concept = text(row, "concept_cd") ?? ""
        let modifier = text(row, "modifier_cd") ?? "@"
        let unit = text(row, "units_cd") ?? "@"
        var xml =
            "<observation\(attributes(row))>" + id("event_id", eventID(row))
            + id("patient_id", text(row, "patient_ide"))
        xml += #"<concept_cd name="\#(escapedXML(concept))">\#(escapedXML(concept))</concept_cd>"#
        xml += #"<observer_cd name="@">@</observer_cd>"#
        xml += moment("start_date", text(row, "start_date"))
        xml += #"<modifier_cd name="\#(escapedXML(modifier))">\#(escapedXML(modifier))</modifier_cd>"#
        xml +=
            "<instance_num>\(text(row, "instance_num") ?? "1")</instance_num>"
            + element("valuetype_cd", text(row, "valtype_cd"))
        xml += element("tval_char", text(row, "tval_char") ?? "")
        xml += #"<nval_num units="\#(escapedXML(unit))">\#(row.decimal("nval_num") ?? "0")</nval_num>"#
        xml += #"<valueflag_cd name="@">\#(escapedXML(text(row, "valueflag_cd") ?? "@"))</valueflag_cd>"#
        xml += "<quantity_num>1</quantity_num>"
        xml +=
            element("units_cd", unit) + moment("end_date", text(row, "end_date") ?? text(row, "start_date"))
        xml += #"<location_cd name="@">@</location_cd><confidence_num>1</confidence_num>"#
        if let blob = text(row, "observation_blob") { xml += element("observation_blob", blob) }
        return xml + "</observation>"
    }

    /// A digest: an app may make identifiers of names.
    private func eventID(_ row: SQLRow) -> String {
        let parts = [text(row, "patient_ide") ?? "", text(row, "encounter_ide") ?? ""]
        return String(ConceptNames.digest("study event\n" + parts.joined(separator: "\n")).prefix(32))
    }

    private func text(_ row: SQLRow, _ column: String) -> String? { row.text(column) }

    private func attributes(_ row: SQLRow) -> String {
        guard let date = text(row, "update_date") else { return "" }
        return #" update_date="\#(date.replacing(" ", with: "T"))Z" sourcesystem_cd="\#(escapedXML(source))""#
    }

    private func id(_ name: String, _ value: String?, _ more: String = "") -> String {
        #"<\#(name) source="\#(escapedXML(source))"\#(more)>\#(escapedXML(value ?? ""))</\#(name)>"#
    }

    private func element(_ name: String, _ value: String?) -> String {
        "<\(name)>\(escapedXML(value ?? ""))</\(name)>"
    }

    private func moment(_ name: String, _ value: String?) -> String {
        value.map { "<\(name)>\($0.replacing(" ", with: "T"))Z</\(name)>" } ?? ""
    }
}

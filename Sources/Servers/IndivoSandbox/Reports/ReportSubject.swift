import IndivoModel

/// What a report can be asked about: the fields with their types, and where their values are.
struct ReportSubject: Sendable {
    struct Field: Sendable {
        var type: DataModel.FieldType
        /// The SQL expression of its value.
        var expression: String
        /// Whether it is an instant as a number of microseconds; those of facts are texts.
        var isStamp = false
        /// Whether no two rows of the real server have the same value.
        var isUnique = false

        static func fact(_ name: String, _ type: DataModel.FieldType) -> Field {
            Field(type: type, expression: "json_extract(fact.body, '$.\"\(name)\"')")
        }

        /// The type in the words of sentences.
        var kind: String { type.isDate ? "date" : type == .number ? "number" : "string" }
    }

    /// The name in sentences: `Invalid filter for fact type LabResult: …`.
    let name: String
    let fields: [String: Field]
    /// The SQL expression by which rows are ordered unless asked otherwise.
    var serial = "fact.serial"
    /// The SQL expression of the id, by which the real server orders rows that are equal.
    var id = "fact.id"

    private static func facts(_ model: String, _ fields: [String: Field]) -> ReportSubject {
        let createdAt = Field(type: .dateTime, expression: "fact.createdAt", isStamp: true, isUnique: true)
        return ReportSubject(name: model, fields: fields.merging(["created_at": createdAt]) { $1 })
    }

    /// A data model, asked about by the names of its own fields.
    static func model(_ shape: ModelShape) -> ReportSubject {
        facts(shape.name, shape.fieldTypes.reduce(into: [:]) { $0[$1.key] = .fact($1.key, $1.value) })
    }

    // Models asked about by names of the minimal reports' own, from the days before the data models.
    static let equipment = facts(
        "Equipment",
        [
            "date_started": .fact("date_started", .date), "date_stopped": .fact("date_stopped", .date),
            "equipment_name": .fact("name", .string), "equipment_vendor": .fact("vendor", .string),
        ]
    )
    static let procedure = facts(
        "Procedure",
        ["procedure_name": .fact("name", .string), "date_performed": .fact("date_performed", .dateTime)]
    )
    static let simpleClinicalNote = facts(
        "SimpleClinicalNote",
        [
            "specialty": .fact("specialty", .string), "provider_name": .fact("provider_name", .string),
            "date_of_visit": .fact("date_of_visit", .dateTime),
        ]
    )
    static let measurement = facts(
        "Measurement",
        [
            "lab_code": .fact("type", .string), "value": .fact("value", .number),
            "date_measured": .fact("datetime", .dateTime),
        ]
    )

    static let audit: ReportSubject = {
        let columns = [
            "document_id": "document", "external_id": "externalId", "function_name": "function",
            "principal_email": "principal",
            "proxied_by_email": "proxiedBy", "record_id": "record",
        ]
        var fields = columns.mapValues { Field(type: .string, expression: "audit." + $0) }
        // Its times are whole seconds.
        let at = Field(type: .dateTime, expression: "(audit.at / 1000000 * 1000000)", isStamp: true)
        for name in ["request_date", "created_at"] { fields[name] = at }
        return ReportSubject(name: "Audit", fields: fields, serial: "audit.serial", id: "audit.serial")
    }()
}

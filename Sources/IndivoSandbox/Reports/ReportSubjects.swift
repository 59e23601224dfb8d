import IndivoModel

extension ReportSubject {
    /// A data model, asked about by the names of its own fields.
    static func model(_ shape: ModelShape) -> ReportSubject {
        var fields = Dictionary(
            shape.fields.map { ($0.name, Field.fact($0.name, $0.type)) }, uniquingKeysWith: { first, _ in first })
        fields["created_at"] = .createdAt
        return ReportSubject(name: shape.name, fields: fields)
    }

    /// A model asked about by names of the minimal report's own, from the days before the data models.
    private static func minimal(_ name: String, _ fields: [String: Field]) -> ReportSubject {
        ReportSubject(name: name, fields: fields.merging(["created_at": .createdAt]) { first, _ in first })
    }

    static let equipment = minimal(
        "Equipment",
        [
            "date_started": .fact("date_started", .date), "date_stopped": .fact("date_stopped", .date),
            "equipment_name": .fact("name", .string), "equipment_vendor": .fact("vendor", .string),
        ])
    static let procedure = minimal(
        "Procedure", ["procedure_name": .fact("name", .string), "date_performed": .fact("date_performed", .dateTime)])
    static let simpleClinicalNote = minimal(
        "SimpleClinicalNote",
        [
            "specialty": .fact("specialty", .string), "provider_name": .fact("provider_name", .string),
            "date_of_visit": .fact("date_of_visit", .dateTime),
        ])
    static let measurement = minimal(
        "Measurement",
        ["lab_code": .fact("type", .string), "value": .fact("value", .number), "date_measured": .fact("datetime", .dateTime)])

    static let audit: ReportSubject = {
        let columns = [
            "document_id": "document", "external_id": "externalId", "function_name": "function", "principal_email": "principal",
            "proxied_by_email": "proxiedBy", "record_id": "record",
        ]
        var fields = columns.mapValues { Field(type: .string, expression: "audit." + $0) }
        for name in ["request_date", "created_at"] { fields[name] = Field(type: .dateTime, expression: "audit.at", isStamp: true) }
        return ReportSubject(name: "Audit", fields: fields, serial: "audit.serial")
    }()
}

extension ReportSubject.Field {
    static func fact(_ name: String, _ type: DataModel.FieldType) -> ReportSubject.Field {
        ReportSubject.Field(type: type, expression: "json_extract(fact.body, '$.\"\(name)\"')")
    }

    static let createdAt = ReportSubject.Field(type: .dateTime, expression: "fact.createdAt", isStamp: true)
}

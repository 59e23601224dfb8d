import IndivoModel

extension ReportSubject {
    /// A data model, asked about by the names of its own fields.
    static func model(_ shape: ModelShape) -> ReportSubject {
        var fields = Dictionary(
            shape.fields.map { ($0.name, Field.fact($0.name, $0.type)) }, uniquingKeysWith: { first, _ in first })
        fields["created_at"] = .createdAt
        return ReportSubject(name: shape.name, fields: fields)
    }

    // The minimal reports have field names of their own, from the days before the data models.

    static let equipment = ReportSubject(
        name: "Equipment",
        fields: [
            "date_started": .fact("date_started", .date), "date_stopped": .fact("date_stopped", .date),
            "equipment_name": .fact("name", .string), "equipment_vendor": .fact("vendor", .string),
            "created_at": .createdAt,
        ])

    static let procedure = ReportSubject(
        name: "Procedure",
        fields: [
            "procedure_name": .fact("name", .string), "date_performed": .fact("date_performed", .dateTime),
            "created_at": .createdAt,
        ])

    static let simpleClinicalNote = ReportSubject(
        name: "SimpleClinicalNote",
        fields: [
            "specialty": .fact("specialty", .string), "provider_name": .fact("provider_name", .string),
            "date_of_visit": .fact("date_of_visit", .dateTime), "created_at": .createdAt,
        ])

    static let measurement = ReportSubject(
        name: "Measurement",
        fields: [
            "lab_code": .fact("type", .string), "value": .fact("value", .number),
            "date_measured": .fact("datetime", .dateTime), "created_at": .createdAt,
        ])

    static let audit = ReportSubject(
        name: "Audit",
        fields: [
            "document_id": Field(kind: .string, expression: "audit.document"),
            "external_id": Field(kind: .string, expression: "audit.externalId"),
            "request_date": Field(kind: .timestamp, expression: "audit.at"),
            "function_name": Field(kind: .string, expression: "audit.function"),
            "principal_email": Field(kind: .string, expression: "audit.principal"),
            "proxied_by_email": Field(kind: .string, expression: "audit.proxiedBy"),
            "record_id": Field(kind: .string, expression: "audit.record"),
            "created_at": Field(kind: .timestamp, expression: "audit.at"),
        ],
        serial: "audit.serial")
}

extension ReportSubject.Field {
    static func fact(_ name: String, _ type: DataModel.FieldType) -> ReportSubject.Field {
        let kind: Kind =
            switch type {
            case .number: .number
            case .date: .day
            case .dateTime: .instant
            case .boolean: .boolean
            case .string: .string
            }
        return ReportSubject.Field(kind: kind, expression: "json_extract(fact.body, '$.\"\(name)\"')")
    }

    static let createdAt = ReportSubject.Field(kind: .timestamp, expression: "fact.createdAt")
}

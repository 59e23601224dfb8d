import IndivoModel

/// What a report is about, with the fields by which it can be filtered, ordered and grouped.
public struct ReportSource: Sendable {
    /// A field by which facts are selected, grouped or ordered.
    public struct Field: Sendable, Hashable {
        /// The server's name.
        public let name: String
        /// The name in Swift, parts of compound values after a dot.
        public let property: String
        /// What its values are.
        public let type: DataModel.FieldType

        init(_ name: String, _ type: DataModel.FieldType, property: String? = nil) {
            self.name = name
            self.type = type
            self.property = property ?? name
        }
    }

    /// A name for messages.
    let name: String
    let call: IndivoCall
    let path: [String: String]
    /// `nil` where the library does not know them; then the server alone checks.
    public let fields: [Field]?
    /// Whether a server answers with `Reports` and a total, and aggregates without groups.
    var isMinimal: Bool { call.response == .reports }
    /// Whether the facts have a status.
    var hasStatus: Bool { call != .auditQuery }

    private init(
        _ name: String, _ call: IndivoCall, path: [String: String] = [:], fields: [Field]?
    ) {
        self.name = name
        self.call = call
        self.path = path
        self.fields = fields.map { $0 + [Field("created_at", .dateTime, property: "createdAt")] }
    }

    /// The documents of a class's model.
    public static func model(_ type: IndivoDocument.Type) -> ReportSource {
        ReportSource(
            type.modelName, .genericList, path: ["model": type.modelName],
            fields: DataModel.leaves(of: type).map { Field($0.field.name, $0.field.type, property: $0.property) })
    }

    /// The documents of a model by its name. Its fields are known where a class is registered for it.
    public static func model(named name: String) -> ReportSource {
        ReportSource(
            name, .genericList, path: ["model": name],
            fields: DataModel.leaves(ofModel: name)?.map { Field($0.field.name, $0.field.type, property: $0.property) })
    }

    /// The minimal report on devices.
    public static let equipment = ReportSource(
        "equipment", .equipmentList,
        fields: [
            Field("date_started", .date, property: "dateStarted"),
            Field("date_stopped", .date, property: "dateStopped"),
            Field("equipment_name", .string, property: "name"), Field("equipment_vendor", .string, property: "vendor"),
        ])

    /// The minimal report on procedures.
    public static let procedures = ReportSource(
        "procedures", .procedureList,
        fields: [
            Field("procedure_name", .string, property: "name"),
            Field("date_performed", .dateTime, property: "datePerformed"),
        ])

    /// The minimal report on clinical notes.
    public static let simpleClinicalNotes = ReportSource(
        "clinical notes", .simpleClinicalNotesList,
        fields: [
            Field("specialty", .string), Field("provider_name", .string, property: "providerName"),
            Field("date_of_visit", .dateTime, property: "dateOfVisit"),
        ])

    /// The minimal report on measurements.
    /// - Parameter code: The type of measurement, as it was stored, such as `WEIGHT`.
    public static func measurements(_ code: String) -> ReportSource {
        ReportSource(
            "measurements", .measurementList, path: ["code": code],
            fields: [
                Field("lab_code", .string, property: "type"), Field("value", .number),
                Field("date_measured", .dateTime, property: "date"),
            ])
    }

    /// What the server remembers of requests on the record.
    public static let audit = ReportSource(
        "audits", .auditQuery,
        fields: [
            Field("document_id", .string, property: "documentID"),
            Field("external_id", .string, property: "externalID"),
            Field("request_date", .dateTime, property: "date"),
            Field("function_name", .string, property: "function"),
            Field("principal_email", .string, property: "effective"),
            Field("proxied_by_email", .string, property: "proxied"),
        ])

    /// The call for a scope.
    func call(in scope: any CallScope) -> IndivoCall { scope is IndivoCarenet ? Self.inCarenet[call.name] ?? call : call }

    /// Whether a carenet gives it too.
    var isShared: Bool { Self.inCarenet[call.name] != nil }

    /// The calls that give the same through a carenet.
    private static let inCarenet: [String: IndivoCall] = [
        IndivoCall.genericList.name: .carenetGenericList, IndivoCall.equipmentList.name: .carenetEquipmentList,
        IndivoCall.procedureList.name: .carenetProcedureList, IndivoCall.measurementList.name: .carenetMeasurementList,
        IndivoCall.simpleClinicalNotesList.name: .carenetSimpleClinicalNotesList,
    ]
}

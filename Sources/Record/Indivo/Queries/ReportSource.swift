extension ReportQuery {
    /// What a report is about, with the fields by which it can be filtered, ordered and grouped.
    public struct Source: Sendable {
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
        /// Whether a server responds with `Reports` and a total, and aggregates without groups.
        var isMinimal: Bool { call.response == .reports }
        /// Whether the facts have a status.
        var hasStatus: Bool { call != .auditQuery }

        private init(_ name: String, _ call: IndivoCall, path: [String: String] = [:], fields: [Field]?) {
            self.name = name
            self.call = call
            self.path = path
            self.fields = fields.map { $0 + [Field("created_at", .dateTime, property: "createdAt")] }
        }

        private init(model name: String, _ leaves: [(property: String, field: DataModel.Field)]?) {
            let fields = leaves?.map { Field($0.field.name, $0.field.type, property: $0.property) }
            self.init(name, .genericList, path: ["model": name], fields: fields)
        }

        /// The documents of a class's model.
        public static func model(_ type: IndivoDocument.Type) -> Source {
            Source(model: type.modelName, DataModel.leaves(of: type))
        }

        /// The documents of a model by its name. Its fields are known where a class is registered for it.
        public static func model(named name: String) -> Source {
            Source(model: name, DataModel.leaves(ofModel: name))
        }

        /// The minimal report on devices.
        public static let equipment = Source(
            "equipment",
            .equipmentList,
            fields: [
                Field("date_started", .date, property: "dateStarted"),
                Field("date_stopped", .date, property: "dateStopped"),
                Field("equipment_name", .string, property: "name"),
                Field("equipment_vendor", .string, property: "vendor"),
            ]
        )

        /// The minimal report on procedures.
        public static let procedures = Source(
            "procedures",
            .procedureList,
            fields: [
                Field("procedure_name", .string, property: "name"),
                Field("date_performed", .dateTime, property: "datePerformed"),
            ]
        )

        /// The minimal report on clinical notes.
        public static let simpleClinicalNotes = Source(
            "clinical notes",
            .simpleClinicalNotesList,
            fields: [
                Field("specialty", .string), Field("provider_name", .string, property: "providerName"),
                Field("date_of_visit", .dateTime, property: "dateOfVisit"),
            ]
        )

        /// The minimal report on measurements of a type, which is given as it was stored, such as `WEIGHT`.
        public static func measurements(_ code: String) -> Source {
            Source(
                "measurements",
                .measurementList,
                path: ["code": code],
                fields: [
                    Field("lab_code", .string, property: "type"), Field("value", .number),
                    Field("date_measured", .dateTime, property: "date"),
                ]
            )
        }

        /// The server's log of requests on the record.
        public static let audit = Source(
            "audits",
            .auditQuery,
            fields: [
                Field("document_id", .string, property: "documentID"),
                Field("external_id", .string, property: "externalID"),
                Field("request_date", .dateTime, property: "date"),
                Field("function_name", .string, property: "function"),
                Field("principal_email", .string, property: "effective"),
                Field("proxied_by_email", .string, property: "proxied"),
            ]
        )

        /// The call for a scope.
        func call(in scope: any CallScope) -> IndivoCall {
            scope is IndivoCarenet ? Self.inCarenet[call.name] ?? call : call
        }

        /// Whether a carenet has the same report.
        var isShared: Bool { Self.inCarenet[call.name] != nil }

        /// The carenet's calls, by the name of the record's call.
        private static let inCarenet: [String: IndivoCall] = [
            IndivoCall.genericList.name: .carenetGenericList,
            IndivoCall.equipmentList.name: .carenetEquipmentList,
            IndivoCall.procedureList.name: .carenetProcedureList,
            IndivoCall.measurementList.name: .carenetMeasurementList,
            IndivoCall.simpleClinicalNotesList.name: .carenetSimpleClinicalNotesList,
        ]
    }
}

extension CallScope {
    /// A generic report. Servers report no total.
    func modelReports<Document: IndivoDocument>(
        _ source: ReportQuery.Source,
        _ query: ReportQuery,
        _ read: @escaping @concurrent @Sendable (CallResponse) async throws -> sending [Document]
    ) -> PagedList<Document> {
        list(source, query) { response in
            let documents = try await read(response)
            for document in documents {
                document.isFromReport = true
                document.documentStage = stage
            }
            return FetchedPage(elements: documents, keys: documents.map { $0.id ?? "" }, total: nil)
        }
    }

    /// A minimal report or an audit.
    func reportList<Element>(
        _ source: ReportQuery.Source,
        _ query: ReportQuery,
        _ make: @escaping @Sendable (Report) -> Element?
    ) -> PagedList<Element> {
        list(source, query) { response in
            let reports = try await response.reports()
            return FetchedPage(
                elements: try response.elements(of: reports, make),
                keys: reports.reports.map(\.listKey),
                total: try response.total(reports.summary?.total)
            )
        }
    }

    private func list<Element>(
        _ source: ReportQuery.Source,
        _ query: ReportQuery,
        _ read: @escaping @Sendable (CallResponse) async throws -> FetchedPage<Element>
    ) -> PagedList<Element> {
        let call = source.call(in: self)
        return PagedList(
            scope: self,
            call: call,
            path: source.path,
            paging: query.paging,
            reportsTotal: source.isMinimal,
            parameters: { try QueryEncoder(source: source, call: call).parameters(query) },
            read: read
        )
    }

    func minimalReports<Document: IndivoDocument>(
        _ source: ReportQuery.Source,
        _ query: ReportQuery,
        _ item: @escaping @Sendable (ReportItem) -> Document?
    ) -> PagedList<Document> {
        reportList(source, query) { [stage] report in
            guard let document = report.item.flatMap(item) else { return nil }
            document.isFromReport = true
            if let metadata = report.meta?.document, !metadata.id.isEmpty {
                document.documentPlace = DocumentPlace(stage: stage, id: metadata.id, metadata: metadata)
            }
            return document
        }
    }

    /// All results of an aggregate.
    func aggregates(
        _ aggregate: AggregateQuery,
        over source: ReportQuery.Source,
        _ query: ReportQuery
    ) async throws -> [AggregateQuery.Result] {
        let call = source.call(in: self)
        try query.paging.check(call)
        var parameters = try QueryEncoder(source: source, call: call).parameters(query, aggregate: aggregate)
        parameters.append(name: "limit", value: String(query.limit ?? 0))
        parameters.append(name: "offset", value: String(query.offset))
        let response = try await send(call, path: source.path, query: parameters)
        if source.isMinimal {
            return try await response.elements(of: response.reports()) {
                $0.item?.aggregate.map(AggregateQuery.Result.init)
            }
        }
        // A server gives JSON or XML, whichever it likes.
        guard SDMJ.isLikely(response.body) else {
            return try response.value(AggregateReports.self).reports.map { .init($0) }
        }
        let rows = try response.reading { try SDMJ.rows(parsing: response.json()) }
        return rows.map { AggregateQuery.Result(group: $0["group"], value: $0["value"]) }
    }
}

extension CallResponse {
    /// The models of a report as documents of a class.
    @concurrent
    static func models<Document: IndivoDocument>(_ response: CallResponse, as _: Document.Type) async throws
        -> sending [Document]
    {
        let models = try response.modelElements()
        return try response.reading { try [Document](readingModels: models) }
    }

    /// The models of a report, each as a document of the class that is registered for it.
    @concurrent
    static func models(_ response: CallResponse) async throws -> sending [IndivoDocument] {
        let root = try response.modelsRoot()
        return try response.reading { try SDMXDocument(stored: root).models }
    }

    /// The `Model` elements of a report, in SDMX or SDMJ, whichever the server gave.
    func modelElements() throws -> [XMLNode] { Array(try modelsRoot().children(named: "Model")) }

    private func modelsRoot() throws -> XMLNode {
        SDMJ.isLikely(body) ? try reading { try SDMJ.models(parsing: json()) } : try xml(root: "Models")
    }

    /// A minimal report. Read away from the caller's actor.
    @concurrent
    fileprivate func reports() async throws -> sending Reports {
        let root = try xml()
        let reports = try reading { try Reports.read(response: root) }
        try check(placeOf: reports)
        return reports
    }

    fileprivate func elements<Element>(of reports: Reports, _ make: (Report) -> Element?) throws -> [Element]
    {
        try reports.reports.map { report in
            guard let element = make(report) else {
                throw malformed("a report's item is not what this call gives")
            }
            return element
        }
    }
}

extension AggregateQuery.Result {
    fileprivate init(_ report: AggregateReport) { self.init(group: report.group, value: report.value) }
}

extension Report {
    /// A key by which a result is recognised on another page: the id of the document, the id of the fact, or
    /// everything that an audit entry contains.
    fileprivate var listKey: String {
        if let id = meta?.document?.id, !id.isEmpty { return id }
        if let measurement = item?.measurement { return measurement.factID ?? "\(measurement)" }
        return item?.auditEntry.map { "\($0)" } ?? ""
    }
}

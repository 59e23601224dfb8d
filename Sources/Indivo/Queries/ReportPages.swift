import IndivoModel
import IndivoXML
import OAuth1

/// A generic report, in pages. Servers tell no total.
struct ModelPages<Document: IndivoDocument>: PageSource {
    let scope: any CallScope
    let record: IndivoRecord?
    let source: ReportSource
    let query: ReportQuery
    /// Reads an answer, away from the caller's actor.
    let read: @concurrent @Sendable (Answer) async throws -> sending [Document]

    var start: Int { query.offset }
    var limit: Int? { query.limit }
    var pageSize: Int { query.pageSize }

    var tellsTotal: Bool { false }
    var call: IndivoCall { source.call(in: scope) }

    func page(offset: Int, limit: Int) async throws -> FetchedPage<Document> {
        var parameters: FormParameters = ["response_format": query.format.rawValue]
        for parameter in try QueryEncoder(source: source, call: call).parameters(query) {
            parameters.append(name: parameter.name, value: parameter.value)
        }
        parameters.append(name: "limit", value: String(limit))
        parameters.append(name: "offset", value: String(offset))
        let documents = try await read(await scope.send(call, path: source.path, query: parameters))
        let stage = record.map { DocumentStage.inRecord($0) } ?? .inNoRecord
        for document in documents {
            document.isFromReport = true
            document.documentStage = stage
        }
        return FetchedPage(elements: documents, keys: documents.map { $0.id ?? "" }, total: nil)
    }
}

extension Answer {
    /// The models of a report as documents of a class.
    @concurrent
    static func models<Document: IndivoDocument>(
        _ answer: Answer, as type: Document.Type
    ) async throws -> sending [Document] {
        let models = try answer.modelElements()
        return try answer.reading { try [Document](readingModels: models) }
    }

    /// The models of a report, each as a document of the class that is registered for it.
    @concurrent
    static func models(_ answer: Answer) async throws -> sending [IndivoDocument] {
        let root = try answer.modelsRoot()
        return try answer.reading { try SDMXDocument(root).models }
    }

    /// The `Model` elements of a report, in SDMX or SDMJ, whichever the server gave.
    func modelElements() throws -> [XMLNode] { Array(try modelsRoot().children(named: "Model")) }

    private func modelsRoot() throws -> XMLNode {
        if SDMJ.isLikely(body) { return try reading { try SDMJ.models(parsing: bodyOfJSON()) } }
        let root = try xml()
        guard root.name == "Models" else { throw malformed("its root is <\(root.name)>, not <Models>") }
        return root
    }
}

/// A minimal report or an audit, in pages.
struct MinimalPages<Element>: PageSource {
    let scope: any CallScope
    let source: ReportSource
    let query: ReportQuery
    let make: @Sendable (Report) -> Element?

    var start: Int { query.offset }
    var limit: Int? { query.limit }
    var pageSize: Int { query.pageSize }

    var call: IndivoCall { source.call(in: scope) }

    init(
        scope: any CallScope, source: ReportSource, query: ReportQuery,
        make: @escaping @Sendable (Report) -> Element?
    ) {
        self.scope = scope
        self.source = source
        self.query = query
        self.make = make
    }

    func page(offset: Int, limit: Int) async throws -> FetchedPage<Element> {
        var parameters = try QueryEncoder(source: source, call: call).parameters(query)
        parameters.append(name: "limit", value: String(limit))
        parameters.append(name: "offset", value: String(offset))
        let answer = try await scope.send(call, path: source.path, query: parameters)
        let reports = try await answer.reports()
        return FetchedPage(
            elements: try answer.elements(of: reports, make), keys: reports.reports.map(\.listKey),
            total: try answer.total(reports.summary?.total))
    }
}

/// A deprecated audit, in pages.
struct AuditViewPages: PageSource {
    let scope: any CallScope
    let call: IndivoCall
    let path: [String: String]
    let paging: Paging

    var start: Int { paging.offset }
    var limit: Int? { paging.limit }
    var pageSize: Int { paging.pageSize }

    func page(offset: Int, limit: Int) async throws -> FetchedPage<AuditEntry> {
        try paging.check(call)
        let answer = try await scope.send(
            call, path: path, query: ["limit": String(limit), "offset": String(offset)])
        let reports = try await answer.reports()
        return FetchedPage(
            elements: try answer.elements(of: reports) { $0.item?.auditEntry }, keys: reports.reports.map(\.listKey),
            total: try answer.total(reports.summary?.total))
    }
}

extension Report {
    /// By what a result is known again on another page: the document's id, the fact's, or all that an audit says.
    fileprivate var listKey: String {
        if let id = meta?.document?.id, !id.isEmpty { return id }
        if let measurement = item?.measurement { return measurement.factID ?? "\(measurement)" }
        return item?.auditEntry.map { "\($0)" } ?? ""
    }
}

extension Answer {
    /// A minimal report. Read away from the caller's actor.
    @concurrent
    func reports() async throws -> sending Reports {
        let root = try xml()
        let reports = try reading { try Reports.read(from: root) }
        try check(placeOf: reports)
        return reports
    }

    func elements<Element>(of reports: Reports, _ make: (Report) -> Element?) throws -> [Element] {
        try reports.reports.map { report in
            guard let element = make(report) else {
                throw malformed("a report's item is not what this call gives")
            }
            return element
        }
    }
}

extension CallScope {
    func modelReports<Document: IndivoDocument>(
        of type: Document.Type, _ query: ReportQuery, in record: IndivoRecord?
    ) -> PagedList<Document> {
        PagedList(
            source: ModelPages(scope: self, record: record, source: .model(type), query: query) {
                try await Answer.models($0, as: type)
            })
    }

    func modelReports(
        ofModel name: String, _ query: ReportQuery, in record: IndivoRecord?
    ) -> PagedList<IndivoDocument> {
        PagedList(
            source: ModelPages(scope: self, record: record, source: .model(named: name), query: query) {
                try await Answer.models($0)
            })
    }

    func minimalReports<Document: IndivoDocument>(
        _ source: ReportSource, _ query: ReportQuery, in record: IndivoRecord?,
        _ item: @escaping @Sendable (ReportItem) -> Document?
    ) -> PagedList<Document> {
        PagedList(
            source: MinimalPages(scope: self, source: source, query: query) { report in
                guard let document = report.item.flatMap(item) else { return nil }
                document.isFromReport = true
                if let metadata = report.meta?.document, !metadata.id.isEmpty {
                    document.documentPlace = DocumentPlace(
                        record.map { .inRecord($0) } ?? .inNoRecord, id: metadata.id, metadata: metadata)
                }
                return document
            })
    }

    func measurementReports(_ code: String, _ query: ReportQuery) -> PagedList<MeasurementItem> {
        PagedList(
            source: MinimalPages(scope: self, source: .measurements(code), query: query) { $0.item?.measurement })
    }

    /// All results of an aggregate.
    func aggregates(
        _ aggregate: AggregateQuery, over source: ReportSource, _ query: ReportQuery
    ) async throws -> [AggregateResult] {
        let call = source.call(in: self)
        var parameters = try QueryEncoder(source: source, call: call).parameters(query, aggregate: aggregate)
        // JSON alone can say that a group has no name.
        if !source.isMinimal { parameters.append(name: "response_format", value: ReportFormat.json.rawValue) }
        parameters.append(name: "limit", value: String(query.limit ?? 0))
        parameters.append(name: "offset", value: String(query.offset))
        let answer = try await send(call, path: source.path, query: parameters)
        if source.isMinimal {
            return try await answer.elements(of: answer.reports()) { report in
                report.item?.aggregate.map { AggregateResult(group: $0.group, value: $0.value) }
            }
        }
        return try answer.aggregates()
    }
}

extension Answer {
    /// The aggregates of a generic report, in JSON or XML, whichever the server gave.
    func aggregates() throws -> [AggregateResult] {
        guard SDMJ.isLikely(body) else {
            return try value(AggregateReports.self, root: "AggregateReports").reports
                .map { AggregateResult(group: $0.group, value: $0.value) }
        }
        return try reading {
            try SDMJ.rows(parsing: bodyOfJSON()).map { AggregateResult(group: $0["group"], value: $0["value"]) }
        }
    }
}

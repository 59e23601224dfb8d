import IndivoModel
import IndivoXML
import OAuth1

extension CallScope {
    func modelReports<Document: IndivoDocument>(
        of type: Document.Type, _ query: ReportQuery, in record: IndivoRecord?
    ) -> PagedList<Document> {
        modelReports(.model(type), query, in: record) { try await Answer.models($0, as: type) }
    }

    /// A generic report. Servers report no total.
    func modelReports<Document: IndivoDocument>(
        _ source: ReportSource, _ query: ReportQuery, in record: IndivoRecord?,
        _ read: @escaping @concurrent @Sendable (Answer) async throws -> sending [Document]
    ) -> PagedList<Document> {
        let call = source.call(in: self)
        return PagedList(
            source: ListSource(
                scope: self, call: call, path: source.path, paging: query.paging, tellsTotal: false,
                parameters: {
                    let format = FormParameters.Element(name: "response_format", value: query.format.rawValue)
                    return FormParameters(try [format] + QueryEncoder(source: source, call: call).parameters(query))
                }
            ) { answer in
                let documents = try await read(answer)
                let stage = record.map { DocumentStage.inRecord($0) } ?? .inNoRecord
                for document in documents {
                    document.isFromReport = true
                    document.documentStage = stage
                }
                return FetchedPage(elements: documents, keys: documents.map { $0.id ?? "" }, total: nil)
            })
    }

    /// A minimal report or an audit.
    func reportList<Element>(
        _ call: IndivoCall, path: [String: String], _ paging: Paging,
        _ parameters: @escaping @Sendable () throws -> FormParameters = { [:] },
        _ make: @escaping @Sendable (Report) -> Element?
    ) -> PagedList<Element> {
        PagedList(
            source: ListSource(scope: self, call: call, path: path, paging: paging, parameters: parameters) { answer in
                let reports = try await answer.reports()
                return FetchedPage(
                    elements: try answer.elements(of: reports, make), keys: reports.reports.map(\.listKey),
                    total: try answer.total(reports.summary?.total))
            })
    }

    func reportList<Element>(
        _ source: ReportSource, _ query: ReportQuery, _ make: @escaping @Sendable (Report) -> Element?
    ) -> PagedList<Element> {
        let call = source.call(in: self)
        return reportList(
            call, path: source.path, query.paging,
            { try QueryEncoder(source: source, call: call).parameters(query) }, make)
    }

    func minimalReports<Document: IndivoDocument>(
        _ source: ReportSource, _ query: ReportQuery, in record: IndivoRecord?,
        _ item: @escaping @Sendable (ReportItem) -> Document?
    ) -> PagedList<Document> {
        reportList(source, query) { report in
            guard let document = report.item.flatMap(item) else { return nil }
            document.isFromReport = true
            if let metadata = report.meta?.document, !metadata.id.isEmpty {
                document.documentPlace = DocumentPlace(
                    record.map { .inRecord($0) } ?? .inNoRecord, id: metadata.id, metadata: metadata)
            }
            return document
        }
    }

    /// All results of an aggregate.
    func aggregates(
        _ aggregate: AggregateQuery, over source: ReportSource, _ query: ReportQuery
    ) async throws -> [AggregateResult] {
        let call = source.call(in: self)
        try query.paging.check(call)
        var parameters = try QueryEncoder(source: source, call: call).parameters(query, aggregate: aggregate)
        // JSON alone can say that a group has no name.
        if !source.isMinimal { parameters.append(name: "response_format", value: ReportQuery.Format.json.rawValue) }
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

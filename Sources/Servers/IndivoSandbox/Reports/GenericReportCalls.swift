import GRDB
import OrderedJSON

enum GenericReportCalls {
    static let routes: [Route] = [
        .get("generic_list", "/records/{record}/reports/{model}/", .recordDocument, list),
        .get("carenet_generic_list", "/carenets/{carenet}/reports/{model}/", .carenetDocument, list),
    ]

    private static let formats: Set = [
        "application/json", "application/xml", "text/xml", "application/rdf+xml",
    ]

    private static func list(_ call: Call) throws -> Response {
        let arguments = try ListArguments(call.request.query)
        let format = call.request.query["response_format"] ?? "application/json"
        try require(formats.contains(format), .badRequest("format not supported"))
        let name = call["model"]
        let models = call.server.models
        guard let shape = models.find(name) else {
            try require(
                !ModelCatalog.otherTables.contains(name.lowercased()),
                .serverFails(why: "\(name) is a table, but not a data model")
            )
            throw Refusal.notFound
        }
        let query = try call.report(arguments, on: .model(shape))
        let isRDF = format == "application/rdf+xml"
        // Not every model has a form in RDF, and no aggregate has.
        try require(
            !isRDF || RDFGraph.paths[shape.name] != nil && query.aggregate == nil,
            .badRequest("format not supported")
        )
        if query.aggregate != nil {
            return try aggregates(query.groups(call.db).groups, grouped: query.isGrouped, format)
        }
        let facts: [FactRow] = try query.rows(call.db, columns: FactRow.columns).rows
        if isRDF {
            return .rdf(try RDFGraph.facts(facts, of: call.record.id, server: call.server, in: call.db))
        }
        if format == "application/json" { return .json(try models.json(facts, in: call.db)) }
        return Response(type: format, text: try models.markup(facts, in: call.db).description)
    }

    private static func aggregates(_ groups: [ReportRequest.Group], grouped: Bool, _ format: String) throws
        -> Response
    {
        try require(grouped, .serverFails(why: "this report needs a group_by or a date_group"))
        if format == "application/json" {
            let items = groups.map { group -> JSONValue in
                [
                    "__modelname__": "AggregateReport", "group": group.label?.json ?? .null,
                    "value": group.value.json,
                ]
            }
            return .json(JSONValue(items).serverText)
        }
        let items = try groups.map { group -> Markup in
            let problem = "some groups are not texts, and cannot be written as XML; ask for JSON"
            guard let label = group.label, !label.isDate, label.type != .number,
                let text = label.stored.string
            else {
                throw Refusal.serverFails(why: problem)
            }
            return "<AggregateReport group=\"\(text)\" value=\"\(group.value.text(PythonText.date))\"/>"
        }
        return Response(
            type: format,
            text: ("<AggregateReports>\(items)</AggregateReports>" as Markup).description
        )
    }
}

extension ReportRequest.Cell {
    /// - Parameter date: How a date is written.
    func text(_ date: (String) -> String) -> String {
        // What is missing the real server writes as its language does.
        if stored.isNull { return "None" }
        if let type, type.isDate, let text = stored.string { return date(type.wholeDate(text)) }
        if type == .number, let number = stored.storedNumber { return PythonText.decimal(number) }
        // A count has no fraction.
        return stored.string ?? stored.integer.map { "\($0)" } ?? stored.double.map(PythonText.decimal)
            ?? stored.text()
    }
}

extension Call {
    /// A report on the facts of a model that the caller may see: of the record, or of what is shared in the
    /// carenet.
    func report(
        _ list: ListArguments,
        on subject: ReportSubject,
        filters: [(field: String, value: String)]? = nil
    ) throws -> ReportRequest {
        let source = """
            FROM fact JOIN document ON document.id = fact.document
            WHERE fact.record = ? AND fact.model = ? AND document.status = ?
            """
        let shared = target.carenet == nil ? "" : " AND " + CarenetRow.shows("document.id", in: "?")
        let arguments = [try record.id, subject.name, list.status] + (target.carenet.map { [$0.id] } ?? [])
        return try ReportRequest(
            list,
            on: subject,
            filters: filters ?? list.filters,
            from: source + shared,
            StatementArguments(arguments)
        )
    }
}

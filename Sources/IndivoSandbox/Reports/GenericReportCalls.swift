import GRDB
import OrderedJSON

enum GenericReportCalls {
    static let routes: [Route] = [
        .get("generic_list", "/records/{record}/reports/{model}/", .recordDocument, list),
        .get("carenet_generic_list", "/carenets/{carenet}/reports/{model}/", .carenetDocument, list),
    ]

    private static let formats: Set = ["application/json", "application/xml", "text/xml", "application/rdf+xml"]

    private static func list(_ call: Call) throws -> Response {
        let query = try ReportQuery(call.request.query)
        let format = call.request.query["response_format"] ?? "application/json"
        guard formats.contains(format) else { throw Refusal.badRequest("format not supported") }
        guard let shape = call.server.models.find(call["model"]) else {
            guard !ModelCatalog.otherTables.contains(call["model"].lowercased()) else {
                // The real server fails when asked for one of its tables that is no data model.
                throw Refusal.badRequest("\(call["model"]) is not a data model")
            }
            throw Refusal.notFound
        }
        try query.check(on: .model(shape))
        let isRDF = format == "application/rdf+xml"
        // Not every model has a form in RDF, and no aggregate has.
        guard !isRDF || RDFGraph.models[shape.name] != nil && query.aggregate == nil else {
            throw Refusal.badRequest("format not supported")
        }
        let sql = try call.reportSQL(query, .model(shape), model: shape.name)
        if query.aggregate != nil {
            return try aggregates(sql.groups(call.db).groups, grouped: query.isGrouped, format)
        }
        let facts: [FactRow] = try sql.rows(call.db, columns: FactRow.columns).rows
        if isRDF {
            return .rdf(try RDFGraph.facts(facts, of: call.record.id, server: call.server, in: call.db))
        }
        if format == "application/json" {
            return .json(try FactJSON(call.server.models).list(facts, in: call.db))
        }
        let markup = try FactMarkup(call.server.models).models(facts, in: call.db)
        return Response(type: format, text: markup.description)
    }

    private static func aggregates(_ groups: [ReportSQL.Group], grouped: Bool, _ format: String) throws -> Response {
        // The real server fails on an aggregate without groups here.
        guard grouped else { throw Refusal.badRequest("Aggregates need a group_by or a date_group in this report") }
        if format == "application/json" {
            let items = groups.map { group -> JSONValue in
                ["__modelname__": "AggregateReport", "group": group.label ?? .null, "value": group.value]
            }
            return .json(JSONValue(items).serverText)
        }
        let items = try groups.map { group -> Markup in
            // The real server cannot write the group as XML unless it is a text.
            guard let label = group.label?.string, !group.isDateLabel else {
                throw Refusal.badRequest("Some groups are not texts, and cannot be written as XML; ask for JSON")
            }
            return "<AggregateReport group=\"\(label)\" value=\"\(group.valueText(DateWords.plain))\"/>"
        }
        return Response(type: format, text: ("<AggregateReports>\(items)</AggregateReports>" as Markup).description)
    }
}

extension ReportSQL.Group {
    /// - Parameter date: How a date is written.
    func labelText(_ date: (String) -> String) -> String {
        isDateLabel ? date(Self.text(label ?? .null)) : Self.text(label ?? .null)
    }

    func valueText(_ date: (String) -> String) -> String { isDateValue ? date(Self.text(value)) : Self.text(value) }

    private static func text(_ value: JSONValue) -> String {
        if value.isNull { return "" }
        // A count has no fraction.
        return value.string ?? value.integer.map { "\($0)" } ?? value.double.map(DecimalText.twelveDigits) ?? value.text()
    }
}

extension Call {
    /// The facts of a model that the caller may see: of the record, or of what is shared in the carenet.
    func reportSQL(_ query: ReportQuery, _ subject: ReportSubject, model: String) throws -> ReportSQL {
        var source = """
            FROM fact JOIN document ON document.id = fact.document
            WHERE fact.record = ? AND fact.model = ? AND document.status = ?
            """
        var arguments: StatementArguments = [try record.id, model, query.status]
        if let carenet = target.carenet {
            source += " AND " + Sharing.isShared("document")
            arguments += [carenet.id]
        }
        return ReportSQL(query: query, subject: subject, source: source, sourceArguments: arguments)
    }
}

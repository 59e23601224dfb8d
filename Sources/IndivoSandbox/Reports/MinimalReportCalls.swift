import GRDB

/// The reports in the server's older form: equipment, measurements, procedures and clinical notes.
enum MinimalReportCalls {
    static let routes: [Route] =
        reports(
            "/records/{record}/reports/minimal/", .recordDocument,
            ["equipment_list", "measurement_list", "procedure_list", "simple_clinical_notes_list"])
        + reports(
            "/carenets/{carenet}/reports/minimal/", .carenetDocument,
            ["carenet_equipment_list", "carenet_measurement_list", "carenet_procedure_list", "carenet_simple_clinical_notes_list"])

    private static func reports(_ base: String, _ rule: AccessRule, _ names: [String]) -> [Route] {
        func path(_ rest: String) -> PathTemplate { PathTemplate(stringLiteral: base + rest) }
        return [
            .get(names[0], path("equipment/"), rule) { call in try report(call, .equipment, "Equipment", MinimalItems.equipment) },
            .get(names[1], path("measurements/{code}/"), rule) { call in
                try report(call, .measurement, "Measurement", filters: [("lab_code", call["code"])], MinimalItems.measurement)
            },
            .get(names[2], path("procedures/"), rule) { call in try report(call, .procedure, "Procedure", MinimalItems.procedure) },
            .get(names[3], path("simple-clinical-notes/"), rule) { call in
                try report(call, .simpleClinicalNote, "SimpleClinicalNote", MinimalItems.simpleClinicalNote)
            },
        ]
    }

    private static func report(
        _ call: Call, _ subject: ReportSubject, _ model: String, filters: [(field: String, value: String)] = [],
        _ item: (FactRow, MinimalItems.Values) -> Markup
    ) throws -> Response {
        var query = try ReportQuery(call.request.query)
        // What the URL says takes the place of what the query says.
        for (field, _) in filters { query.filters.removeAll { $0.field == field } }
        query.filters += filters
        try query.check(on: subject)
        let sql = try call.reportSQL(query, subject, model: model)
        if query.aggregate != nil {
            let (groups, total) = try sql.groups(call.db)
            return .xml(ReportMarkup.report(query, total: total, ReportMarkup.aggregates(groups)))
        }
        let (facts, total): ([FactRow], Int) = try sql.rows(call.db, columns: FactRow.columns)
        let documents = try DocumentRow.fetch(call.db, "id IN (SELECT value FROM json_each(?))", [facts.map(\.document).jsonList])
        let markup = try DocumentMarkup(of: documents, in: call.db)
        let metadata = Dictionary(
            uniqueKeysWithValues: documents.map { ($0.id, markup.markup(of: $0, latest: false, recordId: false)) })
        let items = facts.map { fact in
            ReportMarkup.item(meta: metadata[fact.document] ?? .empty, item(fact, MinimalItems.Values(fact)))
        }
        return .xml(ReportMarkup.report(query, total: total, items))
    }
}

enum ReportMarkup {
    static func report(_ query: ReportQuery, total: Int, _ items: [Markup]) -> Markup {
        report(total: total, limit: query.limit, offset: query.offset, order: query.orderBy ?? "None", parameters(query), items)
    }

    static func report(total: Int, limit: Int, offset: Int, order: String, _ parameters: Markup, _ items: [Markup]) -> Markup {
        """
        <Reports><Summary total_document_count="\(total)" limit="\(limit)" offset="\(offset)" order_by="\(order)" />\
        <QueryParams>\(parameters)</QueryParams>\(items)</Reports>
        """
    }

    static func item(meta: Markup, _ item: Markup) -> Markup {
        "<Report><Meta>\(meta)</Meta><Item>\(item)</Item></Report>"
    }

    static func aggregates(_ groups: [ReportSQL.Group]) -> [Markup] {
        groups.map { group in
            var markup: Markup = """
                <AggregateReport xmlns="\(DocumentType.namespace)" value="\(group.valueText(DateWords.human))"
                """
            if group.label != nil { markup += " group=\"\(group.labelText(DateWords.human))\"" }
            return item(meta: DocumentMarkup.none, markup + "/>")
        }
    }

    private static func parameters(_ query: ReportQuery) -> Markup {
        var markup = Markup.empty
        if let field = query.groupBy { markup += "<GroupBy value=\"\(field)\" />" }
        if let group = query.dateGroup { markup += "<DateGroup value=\"\(group.field)*\(group.increment)\" />" }
        if let aggregate = query.aggregate {
            markup += "<AggregateBy value=\"\(aggregate.operation)*\(aggregate.field)\" />"
        }
        if let range = query.dateRange { markup += "<DateRange value=\"\(range.text)\" />" }
        guard !query.filters.isEmpty else { return markup }
        let filters = query.filters.map { filter -> Markup in "<Filter name=\"\(filter.field)\" value=\"\(filter.value)\"/>" }
        return markup + "<Filters>\(filters)</Filters>"
    }
}

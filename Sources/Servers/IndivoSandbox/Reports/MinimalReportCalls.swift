import GRDB
import IndivoModel

/// The reports in the server's older form: equipment, measurements, procedures and clinical notes.
enum MinimalReportCalls {
    static let routes: [Route] =
        Route.below("/records/{record}/reports/minimal/", reports("", .recordDocument))
        + Route.below("/carenets/{carenet}/reports/minimal/", reports("carenet_", .carenetDocument))

    private static func reports(_ prefix: String, _ rule: AccessRule) -> [Route] {
        [
            .get(prefix + "equipment_list", "equipment/", rule) {
                try report($0, on: .equipment, \.equipment)
            },
            .get(prefix + "measurement_list", "measurements/{code}/", rule) {
                try report($0, on: .measurement, filters: [("lab_code", $0["code"])], \.measurement)
            },
            .get(prefix + "procedure_list", "procedures/", rule) {
                try report($0, on: .procedure, \.procedure)
            },
            .get(prefix + "simple_clinical_notes_list", "simple-clinical-notes/", rule) {
                try report($0, on: .simpleClinicalNote, \.simpleClinicalNote)
            },
        ]
    }

    private static func report(
        _ call: Call,
        on subject: ReportSubject,
        filters: [(field: String, value: String)] = [],
        _ item: (MinimalItem) -> Markup
    ) throws -> Response {
        let arguments = try ListArguments(call.request.query)
        // What the URL says takes the place of what the query says.
        let others = arguments.filters.filter { filter in !filters.contains { $0.field == filter.field } }
        let query = try call.report(arguments, on: subject, filters: others + filters)
        if query.aggregate != nil { return try ReportMarkup.aggregates(of: query, in: call.db) }
        let (facts, total): ([FactRow], Int) = try query.rows(call.db, columns: FactRow.columns)
        let ids = facts.map(\.document).jsonList
        let documents = try DocumentRow.all(
            "WHERE id IN (SELECT value FROM json_each(?))",
            [ids],
            in: call.db
        )
        let markup = try DocumentMarkup(of: documents, in: call.db)
        let metadata = Dictionary(
            uniqueKeysWithValues: documents.map {
                ($0.id, markup.markup(of: $0, latest: false, recordId: false))
            }
        )
        let items = facts.map {
            ReportMarkup.item(meta: metadata[$0.document] ?? .empty, item(MinimalItem($0)))
        }
        return .xml(ReportMarkup.report(query, total: total, items))
    }
}

enum ReportMarkup {
    static func report(_ query: ReportRequest, total: Int, _ items: [Markup]) -> Markup {
        report(
            total: total,
            limit: query.limit,
            offset: query.offset,
            order: query.orderBy ?? "None",
            parameters(query),
            items
        )
    }

    static func report(
        total: Int,
        limit: Int,
        offset: Int,
        order: String,
        _ parameters: Markup,
        _ items: [Markup]
    ) -> Markup {
        """
        <Reports><Summary total_document_count="\(total)" limit="\(limit)" offset="\(offset)" \
        order_by="\(order)" /><QueryParams>\(parameters)</QueryParams>\(items)</Reports>
        """
    }

    static func item(meta: Markup, _ item: Markup) -> Markup {
        "<Report><Meta>\(meta)</Meta><Item>\(item)</Item></Report>"
    }

    static func aggregates(of query: ReportRequest, in db: Database) throws -> Response {
        let (groups, total) = try query.groups(db)
        let items = groups.map { group -> Markup in
            let label: Markup? = group.label.map { " group=\"\($0.text(PythonText.templateDate))\"" }
            let value = group.value.text(PythonText.templateDate)
            return item(
                meta: DocumentMarkup.none,
                "<AggregateReport xmlns=\"\(DocumentType.namespace)\" value=\"\(value)\"\(label)/>"
            )
        }
        return .xml(report(query, total: total, items))
    }

    private static func bound(_ instant: Timestamp?) -> String {
        instant.map { DataModel.FieldType.dateTime.date($0.sortableText) } ?? ""
    }

    private static func parameters(_ query: ReportRequest) -> Markup {
        let filters = query.filters.map { "<Filter name=\"\($0.field)\" value=\"\($0.value)\"/>" as Markup }
        let dateRange = query.dateRange.map { range -> Markup in
            "<DateRange value=\"\(range.field)*\(bound(range.start))*\(bound(range.end))\" />"
        }
        return """
            \(query.groupBy.map { "<GroupBy value=\"\($0)\" />" })\
            \(query.dateGroup.map { "<DateGroup value=\"\($0.field)*\($0.increment)\" />" })\
            \(query.aggregate.map { "<AggregateBy value=\"\($0.operation)*\($0.field)\" />" })\
            \(dateRange)\
            \(filters.isEmpty ? .empty : "<Filters>\(filters)</Filters>")
            """
    }
}

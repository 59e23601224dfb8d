import GRDB

/// Calls that write: what was gathered of calls that only read is stored first.
enum AuditCalls {
    static let routes: [Route] = Route.below(
        "/records/{record}/audits/",
        [
            Route(["GET"], "audit_query", "query/", .recordDocument) { call in
                let arguments = try ListArguments(call.request.query)
                let isForeign = call.request.query["record_id"] != nil
                try require(
                    !isForeign,
                    .badRequest("Cannot make Audit queries over records not in the request url")
                )
                let filters = arguments.filters + [("record_id", try call.record.id)]
                let query = try ReportRequest(
                    arguments,
                    on: .audit,
                    filters: filters,
                    from: "FROM audit WHERE true",
                    []
                )
                if query.aggregate != nil { return try ReportMarkup.aggregates(of: query, in: call.db) }
                let (rows, total): ([AuditRow], Int) = try query.rows(call.db, columns: AuditRow.columns)
                return .xml(ReportMarkup.report(query, total: total, rows.map(item)))
            },
            Route(["GET"], "audit_record_view", "", .recordDocument, view),
            Route(["GET"], "audit_document_view", "documents/{document}/", .recordDocument, view),
            Route(
                ["GET"],
                "audit_function_view",
                "documents/{document}/functions/{function}/",
                .recordDocument,
                view
            ),
        ]
    )

    /// The older form: only the page can be chosen, an order is given back and has no effect.
    private static func view(_ call: Call) throws -> Response {
        let list = try ListArguments(call.request.query)
        let limit = list.limit
        let offset = list.offset
        let order = list.orderBy ?? "-created_at"
        // As on the real server there is nothing where one is negative.
        try require(limit >= 0 && offset >= 0, .notFound)
        try list.checkPage()
        // The columns are called as the captures.
        let columns = ["document", "function"].filter { call.captures[$0] != nil }
        let condition = (["record"] + columns).map { "\($0) = ?" }.joined(separator: " AND ")
        let arguments = StatementArguments([try call.record.id] + columns.map { call[$0] })
        let total =
            try Int.fetchOne(
                call.db,
                sql: "SELECT count(*) FROM audit WHERE \(condition)",
                arguments: arguments
            ) ?? 0
        let page = "WHERE \(condition) ORDER BY at DESC, serial DESC LIMIT ? OFFSET ?"
        let rows = try AuditRow.all(page, arguments + [limit, offset], in: call.db)
        return .xml(
            ReportMarkup.report(
                total: total,
                limit: limit,
                offset: offset,
                order: order,
                .empty,
                rows.map(item)
            )
        )
    }

    private static func item(_ row: AuditRow) -> Markup {
        ReportMarkup.item(
            meta: DocumentMarkup.none,
            """
            <AuditEntry><BasicInfo datetime="\(row.at.secondsText)" view_func="\(row.function)" \
            request_successful="\(row.status < 400 ? "true" : "false")" />\
            <PrincipalInfo effective_principal="\(row.principal)" proxied_principal="\(row.proxiedBy)" />\
            <Resources carenet_id="\(row.carenet)" record_id="\(row.record)" pha_id="\(row.app)" \
            document_id="\(row.document)" external_id="\(row.externalId)" message_id="\(row.message)" />\
            <RequestInfo req_url="\(row.path)" req_ip_address="\(row.address)" req_domain="" \
            req_method="\(row.method)" />\
            <ResponseInfo resp_code="\(row.status)" /></AuditEntry>
            """
        )
    }
}

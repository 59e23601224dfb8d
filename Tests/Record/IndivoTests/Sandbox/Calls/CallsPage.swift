import Foundation
import Indivo

/// The page of the documentation that lists all calls, as it has to be for the calls that the library has
/// today.
enum CallsPage {
    static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../../Sources/Record/Indivo/Indivo.docc/Calls.md").standardized

    static var text: String {
        """
        # All calls

        The calls of the API, what each takes and gives, and the Swift method that makes it.

        ## Overview

        Numbered are the 41 calls on a record that are open to a user app. ``IndivoCall/all`` has the same \
        at run time,
        `indivo calls` prints it, and ``IndivoRecord/call(_:_:query:body:)`` makes any of them. Variables of \
        a path are in
        braces. “A query” has filters, date ranges, groups, order and paging, as ``ReportQuery`` and \
        ``AggregateQuery`` have
        them.

        This page is generated from the calls: `UPDATE_CALLS=1 swift test --filter CallCoverageTests` writes \
        it.

        ### On a record

        All are signed with the token of the record.

        | No. | Indivo's name | request | takes | gives | Swift |
        |---|---|---|---|---|---|
        \(rows(of: IndivoCall.all.filter { $0.number != nil }) { "\($0.number ?? 0)" })

        ### Others

        | signed with | Indivo's name | request | takes | gives | Swift |
        |---|---|---|---|---|---|
        \(rows(of: IndivoCall.all.filter { $0.number == nil }) { signer($0.signer) })

        """
    }

    private static func rows(of calls: [IndivoCall], _ first: (IndivoCall) -> String) -> String {
        calls.map { call in
            let cells = [
                first(call), "`\(call.name)`" + (call.isDeprecated ? " (deprecated)" : ""),
                "`\(call.method) \(call.path)`",
                [query(call.query), body(call.body)].compactMap { $0 }.joined(separator: "; "),
                response(call.response),
                "`\(call.swift)`",
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }.joined(separator: "\n")
    }

    private static func signer(_ signer: IndivoCall.Signer) -> String {
        switch signer {
        case .nobody: "nothing"
        case .app: "the app's secret"
        case .token: "a token"
        }
    }

    private static func query(_ query: IndivoCall.Query) -> String? {
        switch query {
        case .none: nil
        case .paging: "`limit`, `offset`"
        case .documents: "`type`, `status`, `order_by`, `limit`, `offset`"
        case .status: "`status`"
        case .report: "a query"
        case .format: "`response_format`"
        case .own: "parameters of its own"
        }
    }

    private static func body(_ body: IndivoCall.Body) -> String? {
        switch body {
        case .none: nil
        case .document: "a document"
        case .xml: "XML"
        case .text: "text"
        case .form: "a form"
        }
    }

    private static func response(_ response: IndivoCall.Response) -> String {
        switch response {
        case .ok: "`<ok/>`"
        case .metadata: "metadata"
        case .documents: "a list of metadata"
        case .content: "a document"
        case .models: "SDMX or SDMJ"
        case .reports: "`<Reports>`"
        case .graph: "RDF/XML"
        case .element: "XML"
        case .json: "JSON"
        case .text: "text"
        case .token: "a token"
        }
    }
}

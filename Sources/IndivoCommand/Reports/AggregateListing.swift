import Indivo
import OrderedJSON

/// What a server computed, for printing.
enum AggregateListing {
    /// Sorted by group, since servers give them in no order.
    static func listing(of results: [AggregateQuery.Result]) -> Listing {
        let results = results.sorted { ($0.group ?? "") < ($1.group ?? "") }
        return Listing(
            columns: [.init("group", "group"), .init("value", "value")],
            rows: results.map { [$0.group ?? "", $0.value ?? ""] },
            json: {
                JSONValue(
                    results.map { result in
                        [
                            "group": JSONValue(result.group),
                            "value": JSONValue(number: result.value ?? "") ?? JSONValue(result.value),
                        ]
                    }
                ).fileData
            },
            xml: {
                var reports = AggregateReports()
                reports.reports = results.map { result in
                    var report = AggregateReport()
                    report.group = result.group
                    report.value = result.value
                    return report
                }
                return try reports.xml().file()
            })
    }
}

/// The arguments of the query interface that every list reads, whether it makes use of them or not.
struct ListArguments {
    struct Aggregate {
        var operation: String
        var field: String
    }

    struct DateRange {
        var field: String
        var start: Timestamp?
        var end: Timestamp?

        /// In the form of a request, with its dates made date-times.
        var text: String { "\(field)*\(start?.text ?? "")*\(end?.text ?? "")" }
    }

    struct DateGroup {
        var field: String
        var increment: String
    }

    let limit: Int
    let offset: Int
    let status: String
    let orderBy: String?
    let dateRange: DateRange?
    let groupBy: String?
    let dateGroup: DateGroup?
    let aggregate: Aggregate?

    static let names: Set = [
        "limit", "offset", "order_by", "status", "date_range", "group_by", "date_group", "aggregate_by",
        "response_format",
    ]

    /// Reads the arguments. What they refer to is not checked.
    /// - Throws: ``Refusal`` with the server's sentence for one that is malformed; 404 for a status it does not know.
    init(_ query: FormFields) throws {
        limit = try ListArguments.integer(query, "limit") ?? 100
        offset = try ListArguments.integer(query, "offset") ?? 0
        status = query["status"] ?? "active"
        guard DocumentRow.states.contains(status) else { throw Refusal.notFound }
        dateRange = try ListArguments.parts(query, "date_range", 3).map { parts in
            let start = IndivoDate.parseDateTime(parts[1])
            let end = IndivoDate.parseDateTime(parts[2])
            guard parts[1].isEmpty || start != nil, parts[2].isEmpty || end != nil else {
                throw ListArguments.malformed("date_range")
            }
            return DateRange(field: parts[0], start: start, end: end)
        }
        dateGroup = try ListArguments.parts(query, "date_group", 2).map { DateGroup(field: $0[0], increment: $0[1]) }
        aggregate = try ListArguments.parts(query, "aggregate_by", 2).map { Aggregate(operation: $0[0], field: $0[1]) }
        groupBy = query["group_by"]
        orderBy = query["order_by"]
    }

    var isGrouped: Bool { groupBy != nil || dateGroup != nil }

    /// The order asked for, by the columns that the real server's names stand for; nil for none.
    func order(_ columns: [String: String]) throws -> String? {
        guard let field = orderBy else { return nil }
        let descends = field.hasPrefix("-")
        let name = descends ? String(field.dropFirst()) : field
        // The real server fails on a column it does not have, and on none.
        guard let column = columns[name] else { throw Refusal.badRequest("Invalid order by field: \(name)") }
        // Ties come in the order of storage, either way; but no two times of the real server are the same.
        let serial = descends && ["createdAt", "receivedAt"].contains(column) ? "serial DESC" : "serial"
        return "\(column)\(descends ? " DESC" : ""), \(serial)"
    }

    /// Refuses a page before the first, on which the real server fails where it takes a page of a list.
    func checkPage() throws {
        for (name, number) in [("limit", limit), ("offset", offset)] where number < 0 {
            throw Refusal.badRequest("Argument \(name) must not be negative")
        }
    }

    private static func integer(_ query: FormFields, _ name: String) throws -> Int? {
        try query[name].map { text in
            guard let number = PythonText.integer(text) else { throw malformed(name) }
            return number
        }
    }

    /// The parts of an argument, of which there must be so many; stars are between them.
    private static func parts(_ query: FormFields, _ name: String, _ count: Int) throws -> [String]? {
        try query[name].map { text in
            let parts = text.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == count else { throw malformed(name) }
            return parts
        }
    }

    private static func malformed(_ name: String) -> Refusal {
        .badRequest("Argument \(name) must be formatted according to the Indivo Query API")
    }
}

/// The arguments of the query interface that every list reads, whether it makes use of them or not.
struct ListArguments {
    let limit: Int
    let offset: Int
    let status: String
    let orderBy: String?
    let dateRange: (field: String, start: Timestamp?, end: Timestamp?)?
    let groupBy: String?
    let dateGroup: (field: String, increment: String)?
    let aggregate: (operation: String, field: String)?
    /// Whether a limit or an offset is too large for a database.
    private let isBeyondCounting: Bool
    /// The other arguments, in the order in which they were given: filters of a report.
    let filters: [(field: String, value: String)]

    private static let names: Set = [
        "limit", "offset", "order_by", "status", "date_range", "group_by", "date_group", "aggregate_by",
        "response_format",
    ]

    /// Refuses what is malformed, and 404 for a status the server does not know. What the arguments refer to
    /// is not checked.
    init(_ query: FormFields) throws {
        limit = try ListArguments.integer(query, "limit") ?? 100
        offset = try ListArguments.integer(query, "offset") ?? 0
        isBeyondCounting = ["limit", "offset"].contains { name in
            query[name].map { Int(PythonText.plainNumber($0)) == nil } ?? false
        }
        status = query["status"] ?? "active"
        try require(!status.hasZeroByte, ListArguments.malformed("status"))
        try require(DocumentRow.states.contains(status), .notFound)
        dateRange = try ListArguments.parts(query, "date_range", 3).map { parts in
            let start = IndivoDate.parseDateTime(parts[1])
            let end = IndivoDate.parseDateTime(parts[2])
            let isGood = (parts[1].isEmpty || start != nil) && (parts[2].isEmpty || end != nil)
            try require(isGood, ListArguments.malformed("date_range"))
            return (parts[0], start, end)
        }
        dateGroup = try ListArguments.parts(query, "date_group", 2).map { ($0[0], $0[1]) }
        aggregate = try ListArguments.parts(query, "aggregate_by", 2).map { ($0[0], $0[1]) }
        groupBy = query["group_by"]
        orderBy = query["order_by"]
        // Of a name that occurs twice the last counts. Looked up once, as a query may hold thousands.
        let last = Dictionary(query.pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        var known = ListArguments.names
        filters = query.pairs.filter { known.insert($0.name).inserted }.map { ($0.name, last[$0.name] ?? "") }
    }

    var isGrouped: Bool { groupBy != nil || dateGroup != nil }

    /// The order asked for, by the columns that the real server's names stand for; nil for none.
    func order(_ columns: [String: String]) throws -> String? {
        guard let field = orderBy else { return nil }
        let descends = field.hasPrefix("-")
        let name = descends ? String(field.dropFirst()) : field
        let column = try columns[name].orThrow(.serverFails(why: "nothing is ordered by “\(name)”"))
        // Ties come in the order of storage, either way; but no two times of the real server are the same.
        let serial = descends && ["createdAt", "receivedAt"].contains(column) ? "serial DESC" : "serial"
        // What is missing counts as the largest.
        return "\(column) \(descends ? "DESC NULLS FIRST" : "ASC NULLS LAST"), \(serial)"
    }

    /// Whether the order asked for is not even the name of a column, by the pattern of the real server's
    /// framework.
    var hasMalformedOrder: Bool { orderBy.map { $0.wholeMatch(of: /[-+]?[A-Za-z0-9_.]+/) == nil } ?? false }

    /// How many rows a page has: none where the limit is negative.
    var pageLength: Int { max(0, limit) }

    /// Refuses a page that begins or ends before the first row, or is beyond what a database counts; needed
    /// only where a page is taken.
    func checkPage() throws {
        let isPage = offset >= 0 && (limit >= 0 || offset >= limit.magnitude) && !isBeyondCounting
        try require(isPage, .serverFails(why: "no list has the page of this limit and offset"))
    }

    private static func integer(_ query: FormFields, _ name: String) throws -> Int? {
        try query[name].map { try PythonText.integer($0).orThrow(malformed(name)) }
    }

    /// The parts of an argument, of which there must be so many; stars are between them.
    private static func parts(_ query: FormFields, _ name: String, _ count: Int) throws -> [String]? {
        try query[name].map { text in
            let parts = text.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
            try require(parts.count == count, malformed(name))
            return parts
        }
    }

    private static func malformed(_ name: String) -> Refusal {
        .badRequest("Argument \(name) must be formatted according to the Indivo Query API")
    }
}

#if Sandbox
import GRDB
import IndivoModel

/// What a report can be asked about: the fields with their types, and where their values are.
struct ReportSubject: Sendable {
    enum FieldType: String, Sendable {
        case string, number, date
    }

    struct Field: Sendable {
        var type: FieldType
        /// The SQL expression of its value.
        var expression: String
        /// Whether only a true or a false can be compared with.
        var isBoolean = false
        /// Whether the value is a number of microseconds and not a text.
        var isTimestamp = false
        /// Whether the value is a calendar day and not an instant.
        var isDay = false
    }

    /// The name in sentences: `Invalid filter for fact type LabResult: …`.
    let name: String
    let fields: [String: Field]
    /// The SQL expression by which rows are ordered unless asked otherwise, and the last resort when two are equal.
    var serial = "fact.serial"
}

/// A query of the report interface: filters, a date range, groups, an aggregate, order and page.
struct ReportQuery {
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

    var limit = 100
    var offset = 0
    var status: String
    var orderBy: String?
    /// The filters, in the order in which they were given.
    var filters: [(field: String, value: String)] = []
    var dateRange: DateRange?
    var groupBy: String?
    var dateGroup: DateGroup?
    var aggregate: Aggregate?

    private static let parameters: Set = [
        "limit", "offset", "order_by", "status", "date_range", "group_by", "date_group", "aggregate_by",
        "response_format",
    ]
    private static let increments: Set = [
        "hour", "day", "week", "month", "year", "hourofday", "dayofweek", "weekofyear", "monthofyear",
    ]

    /// Reads a query.
    /// - Throws: ``Refusal`` with the server's sentence.
    init(_ query: FormFields, on subject: ReportSubject) throws {
        func malformed(_ name: String) -> Refusal {
            .badRequest("Argument \(name) must be formatted according to the Indivo Query API")
        }
        limit = try DocumentQuery.integer(query, "limit") ?? 100
        offset = try DocumentQuery.integer(query, "offset") ?? 0
        status = try DocumentQuery.status(query)
        if let text = query["date_range"] {
            let parts = text.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3 else { throw malformed("date_range") }
            let start = IndivoDate.parseDateTime(parts[1])
            let end = IndivoDate.parseDateTime(parts[2])
            guard parts[1].isEmpty || start != nil, parts[2].isEmpty || end != nil else {
                throw malformed("date_range")
            }
            dateRange = DateRange(field: parts[0], start: start, end: end)
        }
        if let text = query["date_group"] {
            let parts = text.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw malformed("date_group") }
            dateGroup = DateGroup(field: parts[0], increment: parts[1])
        }
        if let text = query["aggregate_by"] {
            let parts = text.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
            guard parts.count <= 2 else { throw malformed("aggregate_by") }
            aggregate = Aggregate(operation: parts[0], field: parts.count == 2 ? parts[1] : "")
        }
        groupBy = query["group_by"]
        filters = query.names.filter { !ReportQuery.parameters.contains($0) }.map { ($0, query[$0] ?? "") }
        orderBy = query["order_by"] ?? (aggregate == nil ? "-created_at" : nil)
        try check(on: subject)
    }

    /// How the rows are ordered, as an answer repeats it.
    var orderText: String { orderBy ?? "None" }

    /// Groups by date count only where no other group is asked for.
    var effectiveDateGroup: DateGroup? { groupBy == nil ? dateGroup : nil }

    private func check(on subject: ReportSubject) throws {
        let name = subject.name
        for (field, value) in filters {
            guard let known = subject.fields[field] else {
                throw Refusal.badRequest("Invalid filter for fact type \(name): \(field)")
            }
            try ReportQuery.check(value, of: field, known)
        }
        if let dateRange {
            guard let field = subject.fields[dateRange.field] else {
                throw Refusal.badRequest("Invalid date range filter for fact type \(name): \(dateRange.field)")
            }
            guard field.type == .date else {
                throw Refusal.badRequest(
                    "Date Ranges may only be calculated over fields of type \"date\": got "
                        + "\(dateRange.field)(\(field.type))")
            }
        }
        if let groupBy, subject.fields[groupBy] == nil {
            throw Refusal.badRequest("Invalid grouping field for fact type \(name): \(groupBy)")
        }
        if let dateGroup = effectiveDateGroup {
            guard let field = subject.fields[dateGroup.field] else {
                throw Refusal.badRequest("Invalid grouping field for fact type \(name): \(dateGroup.field)")
            }
            guard ReportQuery.increments.contains(dateGroup.increment) else {
                throw Refusal.badRequest("Invalid date_group Increment: \(dateGroup.increment)")
            }
            // The real server fails on one that is no date.
            guard field.type == .date else {
                throw Refusal.badRequest("Invalid grouping field for fact type \(name): \(dateGroup.field)")
            }
        }
        if let aggregate { try check(aggregate, on: subject) }
        guard aggregate != nil || (groupBy == nil && dateGroup == nil) else {
            throw Refusal.badRequest("Cannot make grouped queries without specifying an Aggregation!")
        }
        try checkOrder(on: subject)
    }

    private func check(_ aggregate: Aggregate, on subject: ReportSubject) throws {
        let types: [ReportSubject.FieldType]
        switch aggregate.operation {
        case "sum", "avg": types = [.number]
        case "max", "min": types = [.number, .date]
        case "count": types = [.string, .number, .date]
        default: throw Refusal.badRequest("Invalid aggregation operator: \(aggregate.operation)")
        }
        guard let field = subject.fields[aggregate.field] else {
            let name = aggregate.field.isEmpty ? "None" : aggregate.field
            throw Refusal.badRequest("Invalid aggregation field for fact type \(subject.name): \(name)")
        }
        guard types.contains(field.type) else {
            let allowed = types.map { "'\($0)'" }.joined(separator: ", ")
            throw Refusal.badRequest(
                "Cannot apply aggregate function \(aggregate.operation) (type [\(allowed)]) to field "
                    + "\(aggregate.field) (type \(field.type))")
        }
    }

    private func checkOrder(on subject: ReportSubject) throws {
        guard let field = orderField, !field.isEmpty else { return }
        guard subject.fields[field] != nil else {
            throw Refusal.badRequest("Invalid order by field for fact type \(subject.name): \(field)")
        }
        if let aggregate, field != aggregate.field, field != groupBy, field != effectiveDateGroup?.field {
            throw Refusal.badRequest(
                "OrderBy fields in aggregations may only refer to the grouping field or the aggregation field. "
                    + "Your field was: \(field)")
        }
    }

    /// The field to order by, without its direction.
    var orderField: String? { orderBy.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 } }
    var descends: Bool { orderBy?.hasPrefix("-") ?? false }

    /// The values that a filter allows: alternatives are separated by `|`.
    private static func check(_ value: String, of name: String, _ field: ReportSubject.Field) throws {
        func refuse() -> Refusal {
            let list = value.split(separator: "|", omittingEmptySubsequences: false)
                .map { "u'\(pythonEscaped(String($0)))'" }.joined(separator: ", ")
            return .badRequest("Invalid argument type for field \(name): expected \(field.type), got [\(list)]")
        }
        for part in value.split(separator: "|", omittingEmptySubsequences: false).map(String.init) {
            switch field.type {
            // The real server cannot compare with text that is not ASCII.
            case .string: guard part.utf8.allSatisfy({ $0 < 0x80 }) else { throw refuse() }
            case .number: guard FactReader.decimal(part) != nil else { throw refuse() }
            case .date: guard IndivoDate.parseDateTime(part) != nil else { throw refuse() }
            }
        }
    }

    /// A text as the server's language shows it.
    private static func pythonEscaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.value {
            case 0x20..<0x7F: String(scalar)
            case ..<0x100: "\\x" + Hexadecimal.encode([UInt8(scalar.value)])
            default:
                "\\u"
                    + String(repeating: "0", count: max(0, 4 - String(scalar.value, radix: 16).count))
                    + String(scalar.value, radix: 16)
            }
        }.joined()
    }
}
#endif

import GRDB

/// A query of the report interface: filters, a date range, groups, an aggregate, order and page, all of which its subject has.
@dynamicMemberLookup
struct ReportQuery {
    let subject: ReportSubject
    private let arguments: ListArguments
    /// The filters, in the order in which they were given.
    let filters: [(field: String, value: String)]
    /// `FROM … WHERE …`: the rows there are to choose from.
    let source: String
    let sourceArguments: StatementArguments

    private static let increments: Set = [
        "hour", "day", "week", "month", "year", "hourofday", "dayofweek", "weekofyear", "monthofyear",
    ]
    /// The kinds of fields that each operation takes.
    private static let operations = [
        "sum": ["number"], "avg": ["number"], "max": ["number", "date"], "min": ["number", "date"],
        "count": ["string", "number", "date"],
    ]

    /// - Throws: ``Refusal`` with the server's sentence for what the subject does not have.
    init(
        _ arguments: ListArguments, on subject: ReportSubject, filters: [(field: String, value: String)], from source: String,
        _ sourceArguments: StatementArguments
    ) throws {
        (self.arguments, self.subject, self.filters) = (arguments, subject, filters)
        (self.source, self.sourceArguments) = (source, sourceArguments)
        try check()
    }

    subscript<Value>(dynamicMember argument: KeyPath<ListArguments, Value>) -> Value { arguments[keyPath: argument] }

    /// The order asked for, or the one there is without.
    var orderBy: String? { arguments.orderBy ?? (arguments.aggregate == nil ? "-created_at" : nil) }
    /// The field to order by, without its direction.
    var orderField: String? { orderBy.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 } }
    var descends: Bool { orderBy?.hasPrefix("-") ?? false }

    /// Groups by date count only where no other group is asked for.
    var effectiveDateGroup: (field: String, increment: String)? { arguments.groupBy == nil ? arguments.dateGroup : nil }

    private func field(_ name: String, _ role: String, shown: String? = nil) throws -> ReportSubject.Field {
        try subject.fields[name].orThrow(.badRequest("Invalid \(role) for fact type \(subject.name): \(shown ?? name)"))
    }

    private func check() throws {
        for (name, value) in filters { try ReportQuery.check(value, of: name, field(name, "filter")) }
        if let range = arguments.dateRange {
            let (field, problem) = (try field(range.field, "date range filter"), "Date Ranges may only be calculated over fields")
            try require(field.type.isDate, .badRequest("\(problem) of type \"date\": got \(range.field)(\(field.kind))"))
        }
        if let group = arguments.groupBy ?? effectiveDateGroup?.field {
            let field = try field(group, "grouping field")
            if let increment = effectiveDateGroup?.increment {
                try require(ReportQuery.increments.contains(increment), .badRequest("Invalid date_group Increment: \(increment)"))
                // The real server fails on a date group of what is no date.
                try require(field.type.isDate, .badRequest("Invalid grouping field for fact type \(subject.name): \(group)"))
            }
        }
        if let (operation, name) = arguments.aggregate { try check(operation, on: name) }
        let isComplete = arguments.aggregate != nil || !arguments.isGrouped
        try require(isComplete, .badRequest("Cannot make grouped queries without specifying an Aggregation!"))
        try checkOrder()
        try arguments.checkPage()
    }

    private func check(_ operation: String, on name: String) throws {
        let field = try field(name, "aggregation field", shown: name.isEmpty ? "None" : name)
        let kinds = try ReportQuery.operations[operation].orThrow(.badRequest("Invalid aggregation operator: \(operation)"))
        let allowed = kinds.map { "'\($0)'" }.joined(separator: ", ")
        let problem = "Cannot apply aggregate function \(operation) (type [\(allowed)]) to field \(name) (type \(field.kind))"
        try require(kinds.contains(field.kind), .badRequest(problem))
    }

    /// An aggregate without groups is one row, and has no order.
    private func checkOrder() throws {
        guard let orderBy, let name = orderField, !orderBy.isEmpty else { return }
        guard arguments.aggregate == nil || arguments.isGrouped else { return }
        _ = try field(name, "order by field", shown: orderBy)
        guard let aggregate = arguments.aggregate else { return }
        let rule = "OrderBy fields in aggregations may only refer to the grouping field or the aggregation field."
        let isAllowed = [aggregate.field, arguments.groupBy, effectiveDateGroup?.field].contains(name)
        try require(isAllowed, .badRequest("\(rule) Your field was: \(orderBy)"))
    }

    private static func check(_ value: String, of name: String, _ field: ReportSubject.Field) throws {
        let parts = alternatives(value)
        let isGood = parts.allSatisfy { part in
            switch field.type {
            // The real server cannot compare with text that is not ASCII.
            case .string, .boolean: part.utf8.allSatisfy { $0 < 0x80 }
            case .number: FactReader.decimal(part) != nil
            case .date, .dateTime: IndivoDate.parseDateTime(part) != nil
            }
        }
        func list() -> String { parts.map(PythonText.representation).joined(separator: ", ") }
        try require(isGood, .badRequest("Invalid argument type for field \(name): expected \(field.kind), got [\(list())]"))
    }

    /// The values that a filter allows.
    static func alternatives(_ value: String) -> [String] {
        value.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
}

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
@dynamicMemberLookup
struct ReportQuery {
    private let arguments: ListArguments
    /// The filters, in the order in which they were given.
    var filters: [(field: String, value: String)]

    private static let increments: Set = [
        "hour", "day", "week", "month", "year", "hourofday", "dayofweek", "weekofyear", "monthofyear",
    ]

    /// Reads a query. What it asks for must be checked before it is run: see ``check(on:)``.
    /// - Throws: ``Refusal`` with the server's sentence for an argument that is malformed.
    init(_ query: FormFields) throws {
        arguments = try ListArguments(query)
        filters = query.names.filter { !ListArguments.names.contains($0) }.map { ($0, query[$0] ?? "") }
    }

    subscript<Value>(dynamicMember argument: KeyPath<ListArguments, Value>) -> Value { arguments[keyPath: argument] }

    /// The order asked for, or the one there is without.
    var orderBy: String? { arguments.orderBy ?? (arguments.aggregate == nil ? "-created_at" : nil) }

    /// How the rows are ordered, as a response gives it back.
    var orderText: String { orderBy ?? "None" }

    /// Groups by date count only where no other group is asked for.
    var effectiveDateGroup: ListArguments.DateGroup? { arguments.groupBy == nil ? arguments.dateGroup : nil }

    /// Checks whether the subject has what is asked for.
    /// - Throws: ``Refusal`` with the server's sentence.
    func check(on subject: ReportSubject) throws {
        let name = subject.name
        for (field, value) in filters {
            guard let known = subject.fields[field] else {
                throw Refusal.badRequest("Invalid filter for fact type \(name): \(field)")
            }
            try ReportQuery.check(value, of: field, known)
        }
        if let dateRange = arguments.dateRange {
            guard let field = subject.fields[dateRange.field] else {
                throw Refusal.badRequest("Invalid date range filter for fact type \(name): \(dateRange.field)")
            }
            guard field.type == .date else {
                throw Refusal.badRequest(
                    "Date Ranges may only be calculated over fields of type \"date\": got "
                        + "\(dateRange.field)(\(field.type))")
            }
        }
        if let groupBy = arguments.groupBy, subject.fields[groupBy] == nil {
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
        if let aggregate = arguments.aggregate { try check(aggregate, on: subject) }
        guard arguments.aggregate != nil || !arguments.isGrouped else {
            throw Refusal.badRequest("Cannot make grouped queries without specifying an Aggregation!")
        }
        try checkOrder(on: subject)
        try arguments.checkPage()
    }

    private func check(_ aggregate: ListArguments.Aggregate, on subject: ReportSubject) throws {
        guard let field = subject.fields[aggregate.field] else {
            let name = aggregate.field.isEmpty ? "None" : aggregate.field
            throw Refusal.badRequest("Invalid aggregation field for fact type \(subject.name): \(name)")
        }
        let types: [ReportSubject.FieldType]
        switch aggregate.operation {
        case "sum", "avg": types = [.number]
        case "max", "min": types = [.number, .date]
        case "count": types = [.string, .number, .date]
        default: throw Refusal.badRequest("Invalid aggregation operator: \(aggregate.operation)")
        }
        guard types.contains(field.type) else {
            let allowed = types.map { "'\($0)'" }.joined(separator: ", ")
            throw Refusal.badRequest(
                "Cannot apply aggregate function \(aggregate.operation) (type [\(allowed)]) to field "
                    + "\(aggregate.field) (type \(field.type))")
        }
    }

    /// An aggregate without groups is one row, and has no order.
    private func checkOrder(on subject: ReportSubject) throws {
        guard let orderBy, let field = orderField, !orderBy.isEmpty else { return }
        guard arguments.aggregate == nil || arguments.isGrouped else { return }
        guard subject.fields[field] != nil else {
            throw Refusal.badRequest("Invalid order by field for fact type \(subject.name): \(orderBy)")
        }
        if let aggregate = arguments.aggregate, field != aggregate.field, field != arguments.groupBy,
            field != effectiveDateGroup?.field
        {
            throw Refusal.badRequest(
                "OrderBy fields in aggregations may only refer to the grouping field or the aggregation field. "
                    + "Your field was: \(orderBy)")
        }
    }

    /// The field to order by, without its direction.
    var orderField: String? { orderBy.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 } }
    var descends: Bool { orderBy?.hasPrefix("-") ?? false }

    /// The values that a filter allows: alternatives are separated by `|`.
    private static func check(_ value: String, of name: String, _ field: ReportSubject.Field) throws {
        func refuse() -> Refusal {
            let list = value.split(separator: "|", omittingEmptySubsequences: false)
                .map { PythonText.representation(String($0)) }.joined(separator: ", ")
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
}

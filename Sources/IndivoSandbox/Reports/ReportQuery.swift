import GRDB
import IndivoModel

/// What a report can be asked about: the fields with their types, and where their values are.
struct ReportSubject: Sendable {
    /// The types that sentences name.
    enum FieldType: String, Sendable {
        case string, number, date
    }

    struct Field: Sendable {
        enum Kind: Sendable {
            case string, boolean, number
            /// A calendar day; an instant as a text; an instant as a number of microseconds.
            case day, instant, timestamp
        }

        var kind: Kind
        /// The SQL expression of its value.
        var expression: String

        var type: FieldType {
            switch kind {
            case .string, .boolean: .string
            case .number: .number
            case .day, .instant, .timestamp: .date
            }
        }
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
                    "Date Ranges may only be calculated over fields of type \"date\": got " + "\(dateRange.field)(\(field.type))")
            }
        }
        if let group = arguments.groupBy ?? effectiveDateGroup?.field {
            let field = subject.fields[group]
            if field != nil, let increment = effectiveDateGroup?.increment, !ReportQuery.increments.contains(increment) {
                throw Refusal.badRequest("Invalid date_group Increment: \(increment)")
            }
            // The real server fails on a date group of what is no date.
            guard let field, effectiveDateGroup == nil || field.type == .date else {
                throw Refusal.badRequest("Invalid grouping field for fact type \(name): \(group)")
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

    private static func check(_ value: String, of name: String, _ field: ReportSubject.Field) throws {
        let parts = alternatives(value)
        let isGood = parts.allSatisfy { part in
            switch field.type {
            // The real server cannot compare with text that is not ASCII.
            case .string: part.utf8.allSatisfy { $0 < 0x80 }
            case .number: FactReader.decimal(part) != nil
            case .date: IndivoDate.parseDateTime(part) != nil
            }
        }
        guard !isGood else { return }
        let list = parts.map(PythonText.representation).joined(separator: ", ")
        throw Refusal.badRequest("Invalid argument type for field \(name): expected \(field.type), got [\(list)]")
    }

    /// The values that a filter allows.
    static func alternatives(_ value: String) -> [String] {
        value.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
}

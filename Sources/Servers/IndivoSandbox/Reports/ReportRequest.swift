import GRDB
import IndivoModel
import OrderedJSON

/// A query of the report interface: filters, a date range, groups, an aggregate, order and page. The query's
/// subject has all the fields that it names.
@dynamicMemberLookup
struct ReportRequest {
    let subject: ReportSubject
    private let arguments: ListArguments
    /// The filters, in the order in which they were given.
    let filters: [(field: String, value: String)]
    /// `FROM … WHERE …`: the rows to choose from.
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

    /// - Throws: ``Refusal`` with the server's sentence for anything that the subject does not have.
    init(
        _ arguments: ListArguments,
        on subject: ReportSubject,
        filters: [(field: String, value: String)],
        from source: String,
        _ sourceArguments: StatementArguments
    ) throws {
        self.arguments = arguments
        self.subject = subject
        self.filters = filters
        self.source = source
        self.sourceArguments = sourceArguments
        do { try check() } catch let refusal as Refusal { throw refusal.asServerSends }
    }

    subscript<Value>(dynamicMember argument: KeyPath<ListArguments, Value>) -> Value {
        arguments[keyPath: argument]
    }

    /// The requested order, or the default one.
    var orderBy: String? { arguments.orderBy ?? (arguments.aggregate == nil ? "-created_at" : nil) }
    /// The field to order by, without its direction.
    var orderField: String? { orderBy.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 } }
    var descends: Bool { orderBy?.hasPrefix("-") ?? false }

    /// A group by date counts only if no other group is requested.
    var effectiveDateGroup: (field: String, increment: String)? {
        arguments.groupBy == nil ? arguments.dateGroup : nil
    }

    private func field(_ name: String, _ role: String, shown: String? = nil) throws -> ReportSubject.Field {
        try subject.fields[name].orThrow(
            .badRequest("Invalid \(role) for fact type \(subject.name): \(shown ?? name)")
        )
    }

    private func check() throws {
        for (name, value) in filters { try ReportRequest.check(value, of: name, field(name, "filter")) }
        if let range = arguments.dateRange {
            let field = try field(range.field, "date range filter")
            let problem = "Date Ranges may only be calculated over fields"
            try require(
                field.type.isDate,
                .badRequest("\(problem) of type \"date\": got \(range.field)(\(field.kind))")
            )
        }
        if let group = arguments.groupBy ?? effectiveDateGroup?.field {
            let field = try field(group, "grouping field")
            if let increment = effectiveDateGroup?.increment {
                try require(
                    ReportRequest.increments.contains(increment),
                    .badRequest("Invalid date_group Increment: \(increment)")
                )
                try require(field.type.isDate, .serverFails(why: "the date_group \(group) is no date"))
            }
        }
        if let (operation, name) = arguments.aggregate { try check(operation, on: name) }
        let isComplete = arguments.aggregate != nil || !arguments.isGrouped
        try require(isComplete, .badRequest("Cannot make grouped queries without specifying an Aggregation!"))
        try checkOrder()
        // Without a limit, and for an aggregate that is a single row, there are no pages.
        if arguments.limit != 0, arguments.aggregate == nil || arguments.isGrouped {
            try arguments.checkPage()
        }
        // Only texts can hold one here: other filters are refused with it.
        if filters.contains(where: { $0.value.hasZeroByte }) { throw ContentError.zeroByte }
    }

    private func check(_ operation: String, on name: String) throws {
        let field = try field(name, "aggregation field", shown: name.isEmpty ? "None" : name)
        let kinds = try ReportRequest.operations[operation].orThrow(
            .badRequest("Invalid aggregation operator: \(operation)")
        )
        let allowed = kinds.map { "'\($0)'" }.joined(separator: ", ")
        let problem =
            """
            Cannot apply aggregate function \(operation) (type [\(allowed)]) to field \(name) \
            (type \(field.kind))
            """
        try require(kinds.contains(field.kind), .badRequest(problem))
    }

    /// An aggregate without groups is one row, and has no order.
    private func checkOrder() throws {
        guard let orderBy, let name = orderField, !orderBy.isEmpty else { return }
        guard arguments.aggregate == nil || arguments.isGrouped else { return }
        _ = try field(name, "order by field", shown: orderBy)
        guard let aggregate = arguments.aggregate else { return }
        let rule =
            "OrderBy fields in aggregations may only refer to the grouping field or the aggregation field."
        let isAllowed = [aggregate.field, arguments.groupBy, effectiveDateGroup?.field].contains(name)
        try require(isAllowed, .badRequest("\(rule) Your field was: \(orderBy)"))
    }

    private static func check(_ value: String, of name: String, _ field: ReportSubject.Field) throws {
        let parts = alternatives(value)
        let isGood = parts.allSatisfy { part in
            switch field.type {
            // The real server cannot compare with text that is not ASCII.
            case .string, .boolean: part.isASCII
            case .number: FactReader.decimal(part) != nil
            case .date, .dateTime: IndivoDate.parseDateTime(part) != nil
            }
        }
        func list() -> String { parts.map(PythonText.representation).joined(separator: ", ") }
        try require(
            isGood,
            .badRequest("Invalid argument type for field \(name): expected \(field.kind), got [\(list())]")
        )
    }

    /// The values that a filter allows.
    static func alternatives(_ value: String) -> [String] {
        value.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
}

extension ReportRequest {
    /// A label or a value of a group; dates have forms of their own.
    struct Cell {
        var stored: JSONValue
        /// The type of its field; nil for a count, and for the label of a group by date.
        var type: DataModel.FieldType?

        var isDate: Bool { type?.isDate ?? false }
        var json: JSONValue { type?.json(stored) ?? stored }
    }

    /// The label is nil without groups, and null for rows that have no value.
    typealias Group = (label: Cell?, value: Cell)

    /// The rows of a page, by the columns asked for, and how many there are in all.
    func rows<Row: FetchableRecord>(_ db: Database, columns: String) throws -> (rows: [Row], total: Int) {
        let (condition, arguments) = filtered
        let total =
            try Int.fetchOne(statement("SELECT count(*) \(condition)", in: db), arguments: arguments) ?? 0
        // Without a limit the query returns everything, and the offset is ignored.
        let page: StatementArguments = self.limit == 0 ? [-1, 0] : [self.pageLength, self.offset]
        let sql = "SELECT \(columns) \(condition) ORDER BY \(order) LIMIT ? OFFSET ?"
        return (try Row.fetchAll(statement(sql, in: db), arguments: arguments + page), total)
    }

    /// A statement, kept prepared if there are few like it: filters and ranges produce any number of
    /// different ones.
    private func statement(_ sql: String, in db: Database) throws -> Statement {
        filters.count <= 1 && !filters.contains { $0.value.contains("|") } && self.dateRange == nil
            ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
    }

    /// The groups of a page, and how many there are in all.
    func groups(_ db: Database) throws -> (groups: [Group], total: Int) {
        guard let (operation, name) = self.aggregate, let field = subject.fields[name] else { return ([], 0) }
        let (condition, arguments) = filtered
        let value = aggregated(operation, field.expression)
        func cell(_ value: DatabaseValue?, _ field: ReportSubject.Field?) -> Cell {
            Cell(stored: read(value, isStamp: field?.isStamp ?? false), type: field?.type)
        }
        // A count is a number, whatever is counted.
        let valueField = operation == "count" ? nil : field
        guard let label = groupLabel else {
            let row = try Row.fetchOne(db, sql: "SELECT \(value) \(condition)", arguments: arguments)
            return ([(nil, cell(row?[0], valueField))], 1)
        }
        // If an order is requested, the real server sorts by the row as well, and so splits every group into
        // its rows.
        let grouping = "GROUP BY grouplabel" + (orderField == nil ? "" : ", \(subject.serial)")
        let sorting = orderField.flatMap { subject.fields[$0] }.map(order(by:)) ?? "grouplabel"
        let all = try Row.fetchAll(
            db,
            sql: "SELECT \(label) AS grouplabel, \(value) \(condition) \(grouping) ORDER BY \(sorting)",
            arguments: arguments
        )
        let page = self.limit == 0 ? all[...] : all.dropFirst(self.offset).prefix(self.pageLength)
        let groupField = self.groupBy.flatMap { subject.fields[$0] }
        return (page.map { (cell($0[0], groupField), cell($0[1], valueField)) }, all.count)
    }

    private var filtered: (String, StatementArguments) {
        var sql = source
        var arguments = sourceArguments
        for (name, value) in filters {
            guard let field = subject.fields[name] else { continue }
            let alternatives = ReportRequest.alternatives(value)
            sql += " AND \(field.expression) IN (\(alternatives.map { _ in "?" }.joined(separator: ", ")))"
            for alternative in alternatives { arguments += [argument(alternative, field)] }
        }
        guard let range = self.dateRange, let field = subject.fields[range.field] else {
            return (sql, arguments)
        }
        for (end, comparison) in [(range.start, ">="), (range.end, "<=")] {
            guard let end else { continue }
            sql += " AND \(field.expression) \(comparison) ?"
            arguments += [comparable(end, field)]
        }
        return (sql, arguments)
    }

    private func argument(_ text: String, _ field: ReportSubject.Field) -> (any DatabaseValueConvertible)? {
        switch field.type {
        case .boolean: text.isEmpty || text == "0" ? 0 : 1
        case .string: text
        case .number: FactReader.decimal(text).map { $0.isNaN ? "nan" as any DatabaseValueConvertible : $0 }
        case .date, .dateTime: IndivoDate.parseDateTime(text).map { comparable($0, field) }
        }
    }

    /// An instant in the form in which the field's values are stored.
    private func comparable(_ instant: Timestamp, _ field: ReportSubject.Field)
        -> any DatabaseValueConvertible
    {
        if field.isStamp { return instant }
        return field.type == .date ? instant.day : instant.sortableText
    }

    private var order: String {
        guard let name = orderField, let field = subject.fields[name] else { return "\(subject.serial) DESC" }
        return order(by: field)
    }

    private func order(by field: ReportSubject.Field) -> String {
        // Where a value is missing the real server's database puts it last, or first when descending.
        let direction = descends ? "DESC NULLS FIRST" : "ASC NULLS LAST"
        // Ties are ordered by id, in either direction; on the real server, no two facts are of the same age.
        let tie = field.isUnique ? "\(subject.serial) \(descends ? "DESC" : "ASC")" : subject.id
        return "\(field.expression) \(direction), \(tie)"
    }

    /// An aggregate over the values of an expression. NaN is stored as a text: SQLite's sum does not know it,
    /// and the sum of both infinities does not exist.
    private func aggregated(_ operation: String, _ expression: String) -> String {
        let value = "\(operation)(\(expression))"
        guard ["sum", "avg"].contains(operation) else { return value }
        let unknown = "CASE WHEN count(\(expression)) > 0 THEN 'nan' END"
        return
            """
            CASE
                WHEN total(typeof(\(expression)) = 'text') > 0 THEN 'nan'
                ELSE ifnull(\(value), \(unknown))
            END
            """
    }

    private var groupLabel: String? {
        if let groupBy = self.groupBy { return subject.fields[groupBy]?.expression }
        guard let group = self.dateGroup, let field = subject.fields[group.field] else { return nil }
        let date = field.isStamp ? "datetime(\(field.expression) / 1000000, 'unixepoch')" : field.expression
        func format(_ pattern: String) -> String { "strftime('\(pattern)', \(date))" }
        // Weeks are counted from the first of January.
        let week = "printf('%02d', (CAST(strftime('%j', \(date)) AS INTEGER) - 1) / 7 + 1)"
        return switch group.increment {
        case "hour": format("%Y-%m-%d-%H")
        case "day": format("%Y-%m-%d")
        case "week": "\(format("%Y")) || '-' || \(week)"
        case "month": format("%Y-%m")
        case "year": format("%Y")
        case "hourofday": format("%H")
        case "dayofweek": "CAST(CAST(\(format("%w")) AS INTEGER) + 1 AS TEXT)"
        case "weekofyear": week
        default: format("%m")
        }
    }

    /// A value out of the database, as facts store it.
    private func read(_ value: DatabaseValue?, isStamp: Bool) -> JSONValue {
        if isStamp { return JSONValue(value.flatMap { Timestamp.fromDatabaseValue($0) }?.text) }
        return switch value?.storage {
        case .int64(let number): JSONValue(number)
        case .double(let number): JSONValue(storing: number)
        case .string(let text): JSONValue(text)
        default: .null
        }
    }
}

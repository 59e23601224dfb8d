import GRDB
import OrderedJSON

struct ReportSQL {
    let query: ReportQuery
    let subject: ReportSubject
    /// `FROM … WHERE …`: the rows there are to choose from.
    let source: String
    let sourceArguments: StatementArguments

    struct Group {
        /// The label; nil without groups, `.null` for rows that have no value.
        var label: JSONValue?
        var value: JSONValue
        /// Whether they are dates, which have forms of their own.
        var isDateLabel = false
        var isDateValue = false
    }

    /// The rows of a page, by the columns asked for, and how many there are in all.
    func rows<Row: FetchableRecord>(_ db: Database, columns: String) throws -> (rows: [Row], total: Int) {
        let (condition, arguments) = try filtered()
        let total = try Int.fetchOne(statement("SELECT count(*) \(condition)", in: db), arguments: arguments) ?? 0
        // No limit at all means everything, and then an offset counts for nothing.
        let page: StatementArguments = query.limit == 0 ? [-1, 0] : [query.limit, query.offset]
        let rows = try Row.fetchAll(
            statement("SELECT \(columns) \(condition) ORDER BY \(order) LIMIT ? OFFSET ?", in: db),
            arguments: arguments + page)
        return (rows, total)
    }

    /// A statement, kept prepared when it is one of few: what filters and ranges make of it is without end.
    private func statement(_ sql: String, in db: Database) throws -> Statement {
        query.filters.count <= 1 && !query.filters.contains { $0.value.contains("|") } && query.dateRange == nil
            ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
    }

    /// The groups of a page, and how many there are in all.
    func groups(_ db: Database) throws -> (groups: [Group], total: Int) {
        guard let aggregate = query.aggregate, let field = subject.fields[aggregate.field] else { return ([], 0) }
        let (condition, arguments) = try filtered()
        let value = "\(aggregate.operation)(\(field.expression))"
        let isDateValue = field.type == .date && aggregate.operation != "count"
        guard let label = groupLabel else {
            let row = try Row.fetchOne(db, sql: "SELECT \(value) \(condition)", arguments: arguments)
            return ([Group(value: read(row?[0], field, aggregate.operation), isDateValue: isDateValue)], 1)
        }
        // The real server sorts by the row as well when an order is asked for, and so splits every group into its rows.
        let splits = query.orderField != nil
        let grouping = "GROUP BY grouplabel" + (splits ? ", \(subject.serial)" : "")
        let order = query.orderField.flatMap { subject.fields[$0]?.expression } ?? "grouplabel"
        let sorted = " ORDER BY \(order)" + (query.descends ? " DESC" : "")
        let all = try Row.fetchAll(
            db, sql: "SELECT \(label) AS grouplabel, \(value) \(condition) \(grouping)\(sorted)", arguments: arguments)
        let page = query.limit == 0 ? all[...] : all.dropFirst(query.offset).prefix(query.limit)
        let groupField = query.groupBy.flatMap { subject.fields[$0] }
        let groups = page.map { row in
            Group(
                label: groupField.map { read(row[0], $0, "group") } ?? read(row[0]),
                value: read(row[1], field, aggregate.operation), isDateLabel: groupField?.type == .date,
                isDateValue: isDateValue)
        }
        return (groups, all.count)
    }

    private func filtered() throws -> (String, StatementArguments) {
        var sql = source
        var arguments = sourceArguments
        for (name, value) in query.filters {
            guard let field = subject.fields[name] else { continue }
            let alternatives = ReportQuery.alternatives(value)
            let marks = alternatives.map { _ in "?" }.joined(separator: ", ")
            sql += " AND \(field.expression) IN (\(marks))"
            for alternative in alternatives { arguments += [argument(alternative, field)] }
        }
        if let range = query.dateRange, let field = subject.fields[range.field] {
            if let start = range.start {
                sql += " AND \(field.expression) >= ?"
                arguments += [comparable(start, field)]
            }
            if let end = range.end {
                sql += " AND \(field.expression) <= ?"
                arguments += [comparable(end, field)]
            }
        }
        return (sql, arguments)
    }

    private func argument(_ text: String, _ field: ReportSubject.Field) -> (any DatabaseValueConvertible)? {
        switch field.kind {
        case .boolean: text.isEmpty || text == "0" ? 0 : 1
        case .string: text
        case .number: FactReader.decimal(text)
        case .day, .instant, .timestamp: IndivoDate.parseDateTime(text).flatMap { comparable($0, field) }
        }
    }

    /// An instant in the form in which the field's values are stored.
    private func comparable(_ instant: Timestamp, _ field: ReportSubject.Field) -> (any DatabaseValueConvertible)? {
        switch field.kind {
        case .timestamp: instant.rawValue
        case .day: instant.day
        default: instant.sortableText
        }
    }

    private var order: String {
        guard let name = query.orderField, let field = subject.fields[name] else { return "\(subject.serial) DESC" }
        // Where a value is missing the real server's database puts it last, or first when descending.
        let direction = query.descends ? "DESC NULLS FIRST" : "ASC NULLS LAST"
        // Ties come in the order of storage, either way; but no two rows of the real server are as old as each other.
        let serial = field.kind == .timestamp && query.descends ? "DESC" : "ASC"
        return "\(field.expression) \(direction), \(subject.serial) \(serial)"
    }

    private var groupLabel: String? {
        if let groupBy = query.groupBy { return subject.fields[groupBy]?.expression }
        guard let group = query.dateGroup, let field = subject.fields[group.field] else { return nil }
        let date = field.kind == .timestamp ? "datetime(\(field.expression) / 1000000, 'unixepoch')" : field.expression
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

    /// A value out of the database, in the form of its field.
    private func read(_ value: DatabaseValue?, _ field: ReportSubject.Field, _ operation: String) -> JSONValue {
        guard operation != "count" else { return read(value) }
        return switch field.kind {
        case .number: value.flatMap { Double.fromDatabaseValue($0) }.map { JSONValue(decimal: $0) } ?? .null
        case .timestamp: JSONValue(value.flatMap { Int64.fromDatabaseValue($0) }.map { Timestamp(rawValue: $0).text })
        case .day: JSONValue(read(value).string.map { FieldText.date($0, .date) })
        case .instant: JSONValue(read(value).string.map { FieldText.date($0, .dateTime) })
        case .string, .boolean: read(value)
        }
    }

    private func read(_ value: DatabaseValue?) -> JSONValue {
        switch value?.storage {
        case .int64(let number): JSONValue(number)
        case .double(let number): JSONValue(decimal: number)
        case .string(let text): JSONValue(text)
        default: .null
        }
    }
}

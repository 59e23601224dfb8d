import GRDB
import OrderedJSON

extension ReportQuery {
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
        let (condition, arguments) = filtered
        let total = try Int.fetchOne(statement("SELECT count(*) \(condition)", in: db), arguments: arguments) ?? 0
        // No limit at all means everything, and then an offset counts for nothing.
        let page: StatementArguments = self.limit == 0 ? [-1, 0] : [self.limit, self.offset]
        let sql = "SELECT \(columns) \(condition) ORDER BY \(order) LIMIT ? OFFSET ?"
        return (try Row.fetchAll(statement(sql, in: db), arguments: arguments + page), total)
    }

    /// A statement, kept prepared when it is one of few: what filters and ranges make of it is without end.
    private func statement(_ sql: String, in db: Database) throws -> Statement {
        filters.count <= 1 && !filters.contains { $0.value.contains("|") } && self.dateRange == nil
            ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
    }

    /// The groups of a page, and how many there are in all.
    func groups(_ db: Database) throws -> (groups: [Group], total: Int) {
        guard let (operation, name) = self.aggregate, let field = subject.fields[name] else { return ([], 0) }
        let (condition, arguments) = filtered
        let value = "\(operation)(\(field.expression))"
        func group(_ label: JSONValue?, _ result: DatabaseValue?, isDateLabel: Bool = false) -> Group {
            let (isCount, isDate) = (operation == "count", field.type.isDate)
            let value = isCount ? read(result) : read(result, field)
            return Group(label: label, value: value, isDateLabel: isDateLabel, isDateValue: isDate && !isCount)
        }
        guard let label = groupLabel else {
            return ([group(nil, try Row.fetchOne(db, sql: "SELECT \(value) \(condition)", arguments: arguments)?[0])], 1)
        }
        // The real server sorts by the row as well when an order is asked for, and so splits every group into its rows.
        let grouping = "GROUP BY grouplabel" + (orderField == nil ? "" : ", \(subject.serial)")
        let sorting = (orderField.flatMap { subject.fields[$0]?.expression } ?? "grouplabel") + (descends ? " DESC" : "")
        let all = try Row.fetchAll(
            db, sql: "SELECT \(label) AS grouplabel, \(value) \(condition) \(grouping) ORDER BY \(sorting)", arguments: arguments)
        let page = self.limit == 0 ? all[...] : all.dropFirst(self.offset).prefix(self.limit)
        let groupField = self.groupBy.flatMap { subject.fields[$0] }
        let groups = page.map { row in
            group(groupField.map { read(row[0], $0) } ?? read(row[0]), row[1], isDateLabel: groupField?.type.isDate == true)
        }
        return (groups, all.count)
    }

    private var filtered: (String, StatementArguments) {
        var (sql, arguments) = (source, sourceArguments)
        for (name, value) in filters {
            guard let field = subject.fields[name] else { continue }
            let alternatives = ReportQuery.alternatives(value)
            sql += " AND \(field.expression) IN (\(alternatives.map { _ in "?" }.joined(separator: ", ")))"
            for alternative in alternatives { arguments += [argument(alternative, field)] }
        }
        guard let range = self.dateRange, let field = subject.fields[range.field] else { return (sql, arguments) }
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
        case .number: FactReader.decimal(text)
        case .date, .dateTime: IndivoDate.parseDateTime(text).map { comparable($0, field) }
        }
    }

    /// An instant in the form in which the field's values are stored.
    private func comparable(_ instant: Timestamp, _ field: ReportSubject.Field) -> any DatabaseValueConvertible {
        if field.isStamp { return instant }
        return field.type == .date ? instant.day : instant.sortableText
    }

    private var order: String {
        guard let name = orderField, let field = subject.fields[name] else { return "\(subject.serial) DESC" }
        // Where a value is missing the real server's database puts it last, or first when descending.
        let direction = descends ? "DESC NULLS FIRST" : "ASC NULLS LAST"
        // Ties come in the order of storage, either way; but no two rows of the real server are as old as each other.
        return "\(field.expression) \(direction), \(subject.serial) \(field.isStamp && descends ? "DESC" : "ASC")"
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

    /// A value out of the database, in the form of its field.
    private func read(_ value: DatabaseValue?, _ field: ReportSubject.Field) -> JSONValue {
        if field.isStamp { return JSONValue(value.flatMap { Timestamp.fromDatabaseValue($0) }?.text) }
        return switch field.type {
        case .number: value.flatMap { Double.fromDatabaseValue($0) }.map { JSONValue(decimal: $0) } ?? .null
        case .date, .dateTime: JSONValue(read(value).string.map { field.type.date($0) })
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

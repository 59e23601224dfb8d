/// Writes a report's query as the server takes it, and refuses what no server would.
struct QueryEncoder {
    let source: ReportQuery.Source
    let call: IndivoCall

    /// The parameters of a query, without paging.
    func parameters(_ query: ReportQuery, aggregate: AggregateQuery? = nil) throws -> FormParameters {
        let isOneCode = source.path["code"]?.utf8.contains(UInt8(ascii: "|")) != true
        try call.require(
            isOneCode,
            "a server takes “|” in a measurement code for “or”; ask for one code at a time"
        )
        var parameters = FormParameters()
        if !source.isMinimal {
            // JSON alone can say that a group has no name.
            parameters.append(
                name: "response_format",
                value: (aggregate == nil ? query.format : .json).rawValue
            )
        }
        if source.hasStatus { parameters.append(name: "status", value: query.status.rawValue) }
        for filter in query.filters {
            let field = try field(filter.field, for: "a filter")
            try call.require(
                parameters[field.name] == nil,
                "there are two filters on “\(filter.field)”; give all its values in one"
            )
            try call.require(!filter.values.isEmpty, "the filter on “\(filter.field)” has no value; give one")
            parameters.append(
                name: field.name,
                value: try filter.values.map { try text($0, field) }.joined(separator: "|")
            )
        }
        if let range = query.dateRange {
            let field = try dateField(range.field, for: "a date range")
            if range.start == nil && range.end == nil {
                throw call.refused(
                    """
                    the date range of “\(range.field)” has neither a start nor an end; \
                    give one, or leave it out
                    """
                )
            }
            let ends = try [range.start, range.end].map { try $0.map { try date($0, field) } ?? "" }
            parameters.append(name: "date_range", value: "\(field.name)*\(ends[0])*\(ends[1])")
        }
        if let aggregate { try append(aggregate, query, to: &parameters) }
        if let order = query.order {
            let field = try field(order.field, for: "an order")
            parameters.append(name: "order_by", value: (order.isDescending ? "-" : "") + field.name)
        }
        return parameters
    }

    private func append(
        _ aggregate: AggregateQuery,
        _ query: ReportQuery,
        to parameters: inout FormParameters
    ) throws {
        try call.require(
            query.order == nil,
            "an order splits the groups of an aggregate; leave it out, and sort the results"
        )
        let field = try field(aggregate.field, for: "an aggregate")
        try check(aggregate.operation, on: field)
        parameters.append(name: "aggregate_by", value: "\(aggregate.operation.rawValue)*\(field.name)")
        switch aggregate.grouping {
        case .field(let name):
            parameters.append(name: "group_by", value: try self.field(name, for: "a group").name)
        case .dates(let name, let increment):
            let field = try dateField(name, for: "a group of dates")
            parameters.append(name: "date_group", value: "\(field.name)*\(increment.rawValue)")
        case nil:
            try call.require(
                source.isMinimal,
                """
                a server fails on an aggregate over a whole report on \(source.name); \
                group it by a field or by dates
                """
            )
        }
    }

    private func check(_ operation: AggregateQuery.Operation, on field: ReportQuery.Source.Field) throws {
        let isDate = field.type == .date || field.type == .dateTime
        let takesDates = operation == .maximum || operation == .minimum
        if operation != .count, field.type != .number, source.fields != nil, !(takesDates && isDate) {
            let what = takesDates ? "neither a number nor a date" : "no number"
            throw call.refused("“\(field.property)” is \(what), which \(operation) needs")
        }
        let isTold = !(takesDates && isDate && source.isMinimal)
        try call.require(
            isTold,
            "a server tells the \(operation) of a date in words here; ask for it over .model(…), in groups"
        )
    }

    // MARK: Fields and values

    private func field(_ name: String, for what: String) throws -> ReportQuery.Source.Field {
        let namesRecord = call == .auditQuery && (name == "record_id" || name == "recordID")
        try call.require(!namesRecord, "audits are of this record only; leave “\(name)” out")
        guard let fields = source.fields else { return ReportQuery.Source.Field(name, .string) }
        if let field = fields.first(where: { $0.name == name })
            ?? fields.first(where: { $0.property == name })
        {
            return field
        }
        let known = fields.map { $0.name == $0.property ? $0.name : "\($0.property) (\($0.name))" }
        throw call.refused(
            """
            a report on \(source.name) has no field “\(name)” for \(what); it has \
            \(known.joined(separator: ", "))
            """
        )
    }

    private func dateField(_ name: String, for what: String) throws -> ReportQuery.Source.Field {
        let field = try field(name, for: what)
        let isDate = field.type == .date || field.type == .dateTime
        try call.require(source.fields == nil || isDate, "“\(name)” is no date, which \(what) needs")
        return field
    }

    private func text(_ value: ReportQuery.Value, _ field: ReportQuery.Source.Field) throws -> String {
        let type: DataModel.FieldType = source.fields == nil ? value.meaning.type : field.type
        switch (type, value) {
        case (.date, _), (.dateTime, _): return try date(value, field)
        case (.number, .number(let number)) where number.isFinite: return number.lexical
        case (.number, .number):
            throw call.refused("“\(field.property)” cannot be compared with a number that is not finite")
        // A server takes any text but these for true, “false” too.
        case (.boolean, .truth(let truth)): return truth ? "1" : "0"
        case (.string, .text(let text)):
            let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
            try call.require(
                isASCII,
                "a server cannot filter “\(field.property)” by text beyond ASCII; filter what came instead"
            )
            let isOne = !text.contains("|")
            try call.require(
                isOne,
                "a server takes “|” for “or”, and no filter can mean one; filter what came instead"
            )
            return text
        default:
            throw call.refused(
                "“\(field.property)” is a \(type.rawValue), and the filter's value is \(value.meaning.name)"
            )
        }
    }

    /// A date as a server takes it: a day without zone, or an instant in UTC.
    private func date(_ value: ReportQuery.Value, _ field: ReportQuery.Source.Field) throws -> String {
        switch value {
        case .day(let day):
            // A day in a zone begins elsewhere than the day in UTC.
            if field.type == .dateTime, let offset = day.offset, offset != 0,
                let start = XMLDateTime(year: day.year, month: day.month, day: day.day, offset: offset)
            {
                return try date(.time(start), field)
            }
            return try written(
                XMLDate(year: day.year, month: day.month, day: day.day)?.lexical,
                year: day.year,
                field
            )
        case .time(let time):
            // By its parts, never as it was spelled; a server takes no digits beyond the microsecond.
            if let offset = time.offset, offset != 0 { return try date(.time(XMLDateTime(time.date)), field) }
            let utc = XMLDateTime(
                year: time.year,
                month: time.month,
                day: time.day,
                hour: time.hour,
                minute: time.minute,
                second: time.second,
                nanosecond: time.nanosecond / 1000 * 1000
            )
            return try written(utc?.lexical, year: time.year, field)
        case .text(let text):
            if let day = try? XMLDate(lexical: text) { return try date(.day(day), field) }
            if let time = try? XMLDateTime(lexical: text) { return try date(.time(time), field) }
            throw call.refused(
                "the text for “\(field.property)” is no date; write 2026-11-21 or 2026-11-21T08:00:00Z"
            )
        case .number, .truth:
            throw call.refused("“\(field.property)” is a date, and the value is \(value.meaning.name)")
        }
    }

    /// - Throws: ``IndivoError`` for a year that a server cannot read: it reads four digits.
    private func written(_ text: String?, year: Int, _ field: ReportQuery.Source.Field) throws -> String {
        guard let text, (1...9999).contains(year) else {
            throw call.refused(
                "the date for “\(field.property)” is outside the years 1 to 9999, which a server takes"
            )
        }
        return text
    }
}

extension ReportQuery.Value {
    /// The type of a field that could have the value, and what the value is called.
    fileprivate var meaning: (type: DataModel.FieldType, name: String) {
        switch self {
        case .text: (.string, "a text")
        case .number: (.number, "a number")
        case .truth: (.boolean, "true or false")
        case .day: (.date, "a day")
        case .time: (.dateTime, "a time")
        }
    }
}

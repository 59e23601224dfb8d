import Foundation

/// Which facts a report holds: the part of Indivo's query API that selects, orders and pages.
///
/// ```swift
/// let query = ReportQuery()
///     .filter(LabResult.Columns.testName.identifier, equals: "2345-7", "3094-0")
///     .dates(LabResult.Columns.collectedAt, from: "2026-01-01")
///     .ordered(by: LabResult.Columns.collectedAt, descending: true)
///     .limited(to: 20)
/// for try await result in record.reports(of: LabResult.self, matching: query) { … }
/// ```
/// A field that is known at run time only is named by a string: as in Swift, the parts of compound values
/// with a dot (`"testName.identifier"`), or as the server has it (`"test_name_identifier"`); `"created_at"`
/// is when the document was stored. A field that the report does not have, a value of the wrong kind, and
/// everything else that a server would refuse or fail on throws an ``IndivoError`` before anything is sent.
public struct ReportQuery: Sendable, Hashable {
    /// A condition that a field has one of several values.
    public struct Filter: Sendable, Hashable {
        public var field: String
        /// Any of these; at least one.
        public var values: [Value]

        /// A field, and what it may be.
        public init(field: String, values: [Value]) {
            self.field = field
            self.values = values
        }
    }

    /// A condition that a field lies between two dates, both of them included.
    public struct DateRange: Sendable, Hashable {
        /// The field, which holds a date.
        public var field: String
        /// The first date; `nil` for any.
        public var start: Value?
        /// The last date; `nil` for any.
        public var end: Value?

        /// A field, and the dates between which it lies.
        public init(field: String, start: Value?, end: Value?) {
            self.field = field
            self.start = start
            self.end = end
        }
    }

    /// By which field a report is ordered.
    public struct Order: Sendable, Hashable {
        public var field: String
        /// Whether the greatest, or the latest, comes first.
        public var isDescending: Bool

        /// An order by a field.
        public init(field: String, isDescending: Bool = false) {
            self.field = field
            self.isDescending = isDescending
        }
    }

    /// A server reports the facts of one status at a time; audits have none.
    public var status: DocumentStatus = .active
    /// All filters must match. Each is for another field.
    public var filters: [Filter] = []
    /// Servers accept only one.
    public var dateRange: DateRange?
    /// `nil` leaves it to the server: by when they were stored, the newest first.
    public var order: Order?
    /// How many at most; `nil` for all.
    public var limit: Int?
    /// How many to leave out at the beginning.
    public var offset = 0
    /// How many are fetched at once.
    public var pageSize = 100
    /// The format to request, if a server offers several. The resulting objects are the same.
    public var format = Format.xml

    /// Everything that is active.
    public init(status: DocumentStatus = .active) { self.status = status }

    /// Only facts in which a field has one of some values.
    public func filter(_ field: String, equals values: Value...) -> ReportQuery {
        changed { $0.filters.append(Filter(field: field, values: values)) }
    }

    /// Only facts in which a date lies in a range, both ends included: days (their first moment) or times,
    /// `nil` for any.
    public func dates(_ field: String, from start: Value? = nil, to end: Value? = nil) -> ReportQuery {
        changed { $0.dateRange = DateRange(field: field, start: start, end: end) }
    }

    /// Ordered by a field.
    public func ordered(by field: String, descending: Bool = false) -> ReportQuery {
        changed { $0.order = Order(field: field, isDescending: descending) }
    }

    /// At most so many facts, after leaving out some.
    public func limited(to limit: Int?, offset: Int = 0) -> ReportQuery {
        changed {
            $0.limit = limit
            $0.offset = offset
        }
    }

    /// Fetched so many at once.
    public func paged(by pageSize: Int) -> ReportQuery { changed { $0.pageSize = pageSize } }

    /// Fetched in a format.
    public func format(_ format: Format) -> ReportQuery { changed { $0.format = format } }

    var paging: Paging { Paging(limit: limit, offset: offset, pageSize: pageSize) }

    func changed(_ change: (inout ReportQuery) -> Void) -> ReportQuery {
        var query = self
        change(&query)
        return query
    }

    /// In which format a server gives models.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// SDMX. Servers write numbers in it with 12 digits.
        case xml = "application/xml"
        /// SDMJ. Servers write all digits of numbers in it.
        case json = "application/json"
    }

    /// A value that a field is compared with.
    ///
    /// A text stands for a date where the field is one: `"2026-11-21"`, `"2026-11-21T08:00:00Z"`.
    public enum Value: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
        ExpressibleByIntegerLiteral,
        ExpressibleByBooleanLiteral
    {
        /// A text, or a date as text.
        case text(String)
        case number(Double)
        /// `true` or `false`.
        case truth(Bool)
        /// A calendar day.
        case day(XMLDate)
        /// An instant.
        case time(XMLDateTime)

        /// An instant.
        public static func date(_ date: Date) -> Value { .time(XMLDateTime(date)) }

        public init(stringLiteral text: String) { self = .text(text) }
        public init(floatLiteral number: Double) { self = .number(number) }
        public init(integerLiteral number: Int) { self = .number(Double(number)) }
        public init(booleanLiteral truth: Bool) { self = .truth(truth) }
    }
}

/// Encodes a report's query as servers expect it, and refuses a query that no server would accept.
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
        // Servers take any other text for true, even “false”.
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
            // Written from its parts, not as it was spelled: servers accept no digits beyond the microsecond.
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

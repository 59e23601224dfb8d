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
    /// What a field has to be: one of some values.
    public struct Filter: Sendable, Hashable {
        /// The field.
        public var field: String
        /// Any of these; at least one.
        public var values: [Value]

        /// A field, and what it may be.
        public init(field: String, values: [Value]) {
            self.field = field
            self.values = values
        }
    }

    /// Between which dates a field has to lie, both of them included.
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
        /// The field.
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
    /// All have to hold, and no two for the same field.
    public var filters: [Filter] = []
    /// A server takes one.
    public var dateRange: DateRange?
    /// `nil` leaves it to the server: by when they were stored, the newest first.
    public var order: Order?
    /// How many at most; `nil` for all.
    public var limit: Int?
    /// How many to leave out at the beginning.
    public var offset = 0
    /// How many are fetched at once.
    public var pageSize = 100
    /// What to ask for, where a server gives several; the same objects come out.
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
        /// A number.
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

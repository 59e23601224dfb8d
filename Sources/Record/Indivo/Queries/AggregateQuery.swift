/// A computation over many facts, such as their count or mean, for each group of facts.
///
/// ```swift
/// let collectedAt = LabResult.Columns.collectedAt
/// let perMonth = AggregateQuery(.count, of: collectedAt, by: .month(collectedAt))
/// for result in try await record.aggregate(perMonth, over: .model(LabResult.self)) {
///     print(result.group ?? "-", result.value ?? "")
/// }
/// ```
/// Results come in no order, since a server splits the groups where an order is requested. Sort them
/// yourself.
public struct AggregateQuery: Sendable, Hashable {
    /// What is computed.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// The sum of the values.
        case sum
        /// Their arithmetic mean.
        case average = "avg"
        /// The greatest, or the latest.
        case maximum = "max"
        /// The least, or the earliest.
        case minimum = "min"
        /// How many facts have a value in the field.
        case count
    }

    /// A unit of time to group by.
    public enum Increment: String, Sendable, Hashable, CaseIterable {
        /// Each hour, day, week, month or year is a group.
        case hour, day, week, month, year
        /// The same hour of all days, the same day of all weeks, and so on, in one group: 24, 7, 53 and 12
        /// groups.
        case hourOfDay = "hourofday", dayOfWeek = "dayofweek", weekOfYear = "weekofyear", monthOfYear =
            "monthofyear"
    }

    /// What makes a group.
    public enum Grouping: Sendable, Hashable {
        /// The same value of a field.
        case field(String)
        /// A date in the same stretch of time. How servers name the groups depends on their database.
        case dates(String, Increment)

        /// A date on the same day.
        public static func day(_ field: String) -> Grouping { .dates(field, .day) }
        /// A date in the same month of the same year.
        public static func month(_ field: String) -> Grouping { .dates(field, .month) }
        /// A date in the same year.
        public static func year(_ field: String) -> Grouping { .dates(field, .year) }
    }

    /// What is computed.
    public var operation: Operation
    /// Of which field, named as in ``ReportQuery``.
    public var field: String
    /// `nil` for one number over everything, which servers compute for minimal reports and audits only.
    public var grouping: Grouping?

    /// A number over a field, for each group.
    public init(_ operation: Operation, of field: String, by grouping: Grouping? = nil) {
        self.operation = operation
        self.field = field
        self.grouping = grouping
    }

    /// One result.
    public struct Result: Sendable, Hashable {
        /// The group, as the server names it; `nil` for the facts without a value to group by, and where
        /// there are no groups.
        public var group: String?
        /// As the server wrote it: a number, or a date; `nil` where no fact has a value.
        public var value: String?

        /// The value, where it is a number.
        public var number: Double? { value.flatMap { Double($0) } }
    }
}

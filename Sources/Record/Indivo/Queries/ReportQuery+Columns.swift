extension ReportQuery {
    /// A value of a column that holds one value, by which a report can be filtered, ordered and grouped.
    public protocol ColumnValue: Sendable, Hashable {
        /// The value as a filter takes it.
        var filterValue: ReportQuery.Value { get }
    }

    /// A value of a column that holds a date.
    public protocol ColumnDate: ColumnValue {}

    /// Only facts in which a column has one of some values.
    public func filter<Value: ColumnValue>(_ column: ModelColumn<Value>, equals values: Value...)
        -> ReportQuery
    {
        changed { $0.filters.append(Filter(field: column.path, values: values.map(\.filterValue))) }
    }

    /// Only facts in which a date lies in a range, both ends included: days (their first moment) or times,
    /// `nil` for any.
    public func dates(
        _ column: ModelColumn<some ColumnDate>,
        from start: ReportQuery.Value? = nil,
        to end: ReportQuery.Value? = nil
    ) -> ReportQuery { dates(column.path, from: start, to: end) }

    /// Ordered by a column.
    public func ordered(by column: ModelColumn<some ColumnValue>, descending: Bool = false) -> ReportQuery {
        ordered(by: column.path, descending: descending)
    }
}

extension String: ReportQuery.ColumnValue { public var filterValue: ReportQuery.Value { .text(self) } }
extension Double: ReportQuery.ColumnValue { public var filterValue: ReportQuery.Value { .number(self) } }
extension Bool: ReportQuery.ColumnValue { public var filterValue: ReportQuery.Value { .truth(self) } }
extension XMLDate: ReportQuery.ColumnDate { public var filterValue: ReportQuery.Value { .day(self) } }
extension XMLDateTime: ReportQuery.ColumnDate { public var filterValue: ReportQuery.Value { .time(self) } }

extension AggregateQuery {
    /// A number over a column, for each group.
    public init(
        _ operation: Operation,
        of column: ModelColumn<some ReportQuery.ColumnValue>,
        by grouping: Grouping? = nil
    ) {
        self.init(operation, of: column.path, by: grouping)
    }
}

extension AggregateQuery.Grouping {
    /// The same value of a column.
    public static func column(_ column: ModelColumn<some ReportQuery.ColumnValue>) -> Self {
        .field(column.path)
    }

    /// A date of a column in the same stretch of time.
    public static func dates(
        of column: ModelColumn<some ReportQuery.ColumnDate>,
        by increment: AggregateQuery.Increment
    ) -> AggregateQuery.Grouping { .dates(column.path, increment) }

    /// A date on the same day.
    public static func day(_ column: ModelColumn<some ReportQuery.ColumnDate>) -> AggregateQuery.Grouping {
        .day(column.path)
    }
    /// A date in the same month of the same year.
    public static func month(_ column: ModelColumn<some ReportQuery.ColumnDate>) -> AggregateQuery.Grouping {
        .month(column.path)
    }
    /// A date in the same year.
    public static func year(_ column: ModelColumn<some ReportQuery.ColumnDate>) -> AggregateQuery.Grouping {
        .year(column.path)
    }
}

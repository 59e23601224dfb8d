import Foundation
import IndivoBase

/// The charts of a period: what was measured in it, by its parts.
struct HealthCharts {
    let period: HealthPeriod
    let measurements: [HealthMeasurement]
    /// The address of another period's page.
    let link: (HealthPeriod) -> String

    /// So many single measurements are drawn; where there are more, their parts.
    static let drawLimit = 600
    /// So many rows has a table.
    static let rowLimit = 400

    typealias Totals = [(start: Int, summary: SpanTotals.Summary)]

    /// The measurements of a quantity that have a part in the period.
    func numbers(_ quantity: MeasuredQuantity) -> [(measurement: HealthMeasurement, value: Decimal)] {
        measurements.compactMap { measurement in
            guard case .number(quantity, let value) = measurement.content, touches(measurement.time) else {
                return nil
            }
            return (measurement, value)
        }
    }

    func touches(_ time: Range<Int>) -> Bool {
        time.isEmpty ? period.range.contains(time.lowerBound) : time.overlaps(period.range)
    }

    /// The parts of the period that have numbers.
    func totals(
        _ kind: SpanTotals.Kind,
        _ numbers: [(measurement: HealthMeasurement, value: Decimal)]
    ) throws(SpanTotals.TooLarge) -> Totals {
        var totals = SpanTotals(kind, by: period.part, in: period.zone)
        for (measurement, value) in numbers {
            try totals.add(value, over: measurement.time, source: measurement.source)
        }
        let range = period.range
        return try totals.all().filter { range.contains($0.start) }
    }

    // MARK: Words

    static func text(_ value: Decimal) -> String { text(NSDecimalNumber(decimal: value).doubleValue) }

    /// A number as people read it: whole from a hundred on.
    static func text(_ value: Double) -> String {
        let text = String(format: abs(value) >= 100 ? "%.0f" : "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static func number(_ value: Decimal) -> Double { NSDecimalNumber(decimal: value).doubleValue }

    /// `7 h 20 min`.
    static func duration(_ microseconds: Int) -> String {
        let minutes = (microseconds + 30_000_000) / 60_000_000
        return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }

    /// A part of the period, with a link to its own page.
    func partCell(_ start: Int) -> Markup {
        let text = period.partText(start)
        return period.part(at: start).map { "<a href=\"\(link($0))\">\(text)</a>" as Markup } ?? "\(text)"
    }

    /// A time, with a link to what it stands in.
    func timeCell(_ measurement: HealthMeasurement) -> Markup {
        let text = period.timeText(measurement.time.lowerBound)
        return measurement.page.isEmpty ? "\(text)" : "<a href=\"\(measurement.page)\">\(text)</a>"
    }

    func chart(
        _ title: String,
        _ lead: Markup,
        _ marks: [TimeChart.Mark],
        time: Range<Int>? = nil,
        axis: TimeChart.Axis = .values,
        ticks: [(at: Int, text: String)]? = nil,
        legend: [(style: String, text: String)] = [],
        _ heads: [String],
        _ rows: [[Markup]]
    ) -> Markup {
        let shown = Array(rows.prefix(Self.rowLimit))
        let isCut = shown.count < rows.count
        return TimeChart.markup(
            title: title,
            lead: lead,
            time: time ?? period.range,
            ticks: ticks ?? period.ticks,
            axis: axis,
            marks: marks,
            legend: legend,
            table: PageTable(heads: heads, rows: shown),
            note: isCut ? "<p class=\"quiet\">The first \(shown.count) of \(rows.count).</p>" : .empty
        )
    }

    /// What the column of parts is called.
    var partHead: String {
        switch period.length {
        case .day: "From"
        case .month: "Day"
        case .year: "Month"
        }
    }
}

import Foundation
import IndivoBase

extension HealthCharts {
    // MARK: Activity

    /// Bars of what adds up.
    func activity() throws(SpanTotals.TooLarge) -> [Markup] {
        var charts: [Markup] = []
        for quantity in [MeasuredQuantity.steps, .distance, .energy, .exercise, .flights] {
            let totals = try totals(.sum, numbers(quantity))
            guard !totals.isEmpty else { continue }
            let unit = quantity.unit.text
            func words(_ value: Decimal) -> String { Self.text(value) + (unit.isEmpty ? "" : " \(unit)") }
            let sum = totals.reduce(Decimal()) { $0 + $1.summary.sum }
            let marks = totals.map { total in
                TimeChart.Mark(
                    .bar(0, Self.number(total.summary.sum)),
                    over: total.start..<total.summary.end,
                    style: "activity",
                    words: "\(period.partText(total.start)): \(words(total.summary.sum))"
                )
            }
            let mean: Markup =
                period.length == .day
                ? .empty
                : """
                 <span class="quiet">\(words(sum / Decimal(totals.count))) \
                a \(period.length == .month ? "day" : "month") with values</span>
                """
            charts.append(
                chart(
                    quantity.title,
                    "<strong>\(Self.text(sum))</strong> \(unit)\(mean)",
                    marks,
                    [partHead, quantity.title],
                    totals.map { [partCell($0.start), "\(words($0.summary.sum))"] }
                )
            )
        }
        return charts
    }

    // MARK: Heart

    /// Heart rates from the least to the greatest, with the resting rate and the average of walking.
    func heart() throws(SpanTotals.TooLarge) -> Markup? {
        let series: [(quantity: MeasuredQuantity, style: String)] = [
            (.heartRate, "heart"), (.restingHeartRate, "resting"), (.walkingHeartRate, "walking"),
        ]
        var marks: [TimeChart.Mark] = []
        var byPart: [Int: [Int: SpanTotals.Summary]] = [:]
        var legend: [(style: String, text: String)] = []
        var lead: Markup = .empty
        for (column, entry) in series.enumerated() {
            let found = numbers(entry.quantity)
            guard !found.isEmpty else { continue }
            let totals = try totals(.mean, found)
            for total in totals { byPart[total.start, default: [:]][column] = total.summary }
            let name = column == 0 ? "lowest to highest" : entry.quantity.title.lowercased()
            let isSingle = found.count <= Self.drawLimit && (period.length == .day || column > 0)
            if isSingle {
                marks += found.map { single($0.measurement, $0.value, entry.style, entry.quantity) }
            } else {
                marks += totals.flatMap { spread($0, entry.style, isRange: column == 0) }
            }
            if isSingle || column > 0 {
                legend.append((entry.style, column == 0 ? "heart rate" : name))
            } else {
                legend += [(entry.style + "-range", name), (entry.style, "mean")]
            }
            let mean = found.reduce(Decimal()) { $0 + $1.value } / Decimal(found.count)
            let label = column == 0 ? "" : entry.quantity.title.lowercased() + " "
            lead += "\(label)<strong>\(Self.text(mean))</strong> "
        }
        guard !marks.isEmpty else { return nil }
        let rows = byPart.sorted { $0.key < $1.key }.map { start, columns -> [Markup] in
            let rates = columns[0]
            return [partCell(start)]
                + [rates?.minimum, rates?.mean, rates?.maximum, columns[1]?.mean, columns[2]?.mean]
                .map { PageTable.cell($0.map(Self.text)) }
        }
        return chart(
            "Heart rate",
            lead + "<span class=\"quiet\">beats a minute in the mean</span>",
            marks,
            legend: legend,
            [partHead, "Lowest", "Mean", "Highest", "Resting", "Walking"],
            rows
        )
    }

    /// A measurement as it is: a point, or a line over its time.
    private func single(
        _ measurement: HealthMeasurement,
        _ value: Decimal,
        _ style: String,
        _ quantity: MeasuredQuantity
    ) -> TimeChart.Mark {
        let number = Self.number(value)
        let time = measurement.time
        let end = time.isEmpty ? "" : " to \(period.timeText(time.upperBound))"
        return TimeChart.Mark(
            time.isEmpty ? .point(number) : .period(number),
            over: time,
            style: style,
            words:
                """
                \(quantity.title), \(period.timeText(time.lowerBound))\(end): \(Self.text(value)) \
                \(quantity.unit.text)
                """
        )
    }

    /// What a part of the period has, as a bar from the least to the greatest, and its mean.
    private func spread(_ total: Totals.Element, _ style: String, isRange: Bool) -> [TimeChart.Mark] {
        let summary = total.summary
        let time = total.start..<summary.end
        let words = "\(period.partText(total.start)): mean \(Self.text(summary.mean))"
        let mean = TimeChart.Mark(.period(Self.number(summary.mean)), over: time, style: style, words: words)
        guard isRange, let low = summary.minimum, let high = summary.maximum else { return [mean] }
        let bar = TimeChart.Mark(
            .bar(Self.number(low), Self.number(high)),
            over: time,
            style: style + "-range",
            words: "\(words), from \(Self.text(low)) to \(Self.text(high))"
        )
        return [bar, mean]
    }

    // MARK: Blood pressure

    /// Bars from the diastolic to the systolic pressure.
    func bloodPressure() throws(SpanTotals.TooLarge) -> Markup? {
        let upper = numbers(.systolic)
        let lower = numbers(.diastolic)
        guard let last = upper.max(by: { $0.measurement.time.lowerBound < $1.measurement.time.lowerBound })
        else { return nil }
        struct Key: Hashable {
            var start: Int
            var page: String
        }
        func key(_ measurement: HealthMeasurement) -> Key {
            Key(start: measurement.time.lowerBound, page: measurement.page)
        }
        let diastolic = Dictionary(firstOf: lower.map { (key($0.measurement), $0.value) })
        let pairs = upper.sorted { $0.measurement.time.lowerBound < $1.measurement.time.lowerBound }
            .map { ($0.measurement, $0.value, diastolic[key($0.measurement)]) }
        func words(_ systolic: Decimal, _ diastolic: Decimal?) -> String {
            "\(Self.text(systolic))/\(diastolic.map(Self.text) ?? "–")"
        }
        let lead: Markup =
            """
            <strong>\(words(last.value, diastolic[key(last.measurement)]))</strong> mmHg \
            <span class="quiet">\(period.timeText(last.measurement.time.lowerBound))</span>
            """
        let heads = ["When", "Systolic", "Diastolic"]
        func mark(_ time: Range<Int>, _ text: String, _ systolic: Decimal, _ diastolic: Decimal?)
            -> TimeChart.Mark
        {
            let high = Self.number(systolic)
            return TimeChart.Mark(
                diastolic.map { .bar(Self.number($0), high) } ?? .point(high),
                over: time,
                style: "pressure",
                words: "\(text): \(words(systolic, diastolic)) mmHg"
            )
        }
        guard pairs.count > Self.drawLimit else {
            // Wide enough to be seen.
            let width = period.range.count / 90
            return chart(
                "Blood pressure",
                lead,
                pairs.map { measurement, systolic, diastolic in
                    let start = measurement.time.lowerBound
                    return mark(start..<start + width, period.timeText(start), systolic, diastolic)
                },
                heads,
                pairs.map {
                    [
                        timeCell($0), "\(Self.text($1)) mmHg",
                        PageTable.cell($2.map { Self.text($0) + " mmHg" }),
                    ]
                }
            )
        }
        let high = try totals(.mean, upper)
        let low = try totals(.mean, lower)
        let lows = Dictionary(firstOf: low.map { ($0.start, $0.summary.mean) })
        return chart(
            "Blood pressure, means",
            lead,
            high.map {
                mark($0.start..<$0.summary.end, period.partText($0.start), $0.summary.mean, lows[$0.start])
            },
            heads,
            high.map { part in
                let low = lows[part.start].map { Self.text($0) + " mmHg" }
                return [partCell(part.start), "\(Self.text(part.summary.mean)) mmHg", PageTable.cell(low)]
            }
        )
    }

    // MARK: Weight

    func weight() throws(SpanTotals.TooLarge) -> Markup? {
        let found = numbers(.weight).sorted {
            $0.measurement.time.lowerBound < $1.measurement.time.lowerBound
        }
        guard let last = found.last else { return nil }
        let lead: Markup =
            """
            <strong>\(Self.text(last.value))</strong> kg \
            <span class="quiet">\(period.timeText(last.measurement.time.lowerBound))</span>
            """
        guard found.count > Self.drawLimit else {
            return chart(
                "Weight",
                lead,
                found.map { single($0.measurement, $0.value, "weight", .weight) },
                ["When", "Weight"],
                found.map { [timeCell($0.measurement), "\(Self.text($0.value)) kg"] }
            )
        }
        let means = try totals(.mean, found)
        return chart(
            "Weight, means",
            lead,
            means.flatMap { spread($0, "weight", isRange: false) },
            [partHead, "Weight"],
            means.map { [partCell($0.start), "\(Self.text($0.summary.mean)) kg"] }
        )
    }
}

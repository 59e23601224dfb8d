import Foundation
import IndivoBase

extension HealthCharts {
    // MARK: Sleep

    private static let hour = 3_600_000_000.0

    func sleep() throws(SpanTotals.TooLarge) -> Markup? {
        let sleep = try Sleep(measurements, in: period.nights)
        guard !sleep.pieces.isEmpty else { return nil }
        let nights = sleep.nights(period)
        switch period.length {
        case .day: return night(sleep, nights.first?.stages ?? [:])
        case .month:
            return bars(nights.map { (period.start(ofDay: $0.night), $0.stages, 1) }, head: "Night to")
        case .year:
            let months = Dictionary(grouping: nights) { period.month(ofDay: $0.night) }
            // Of a month the mean of the nights that have values.
            return bars(
                months.sorted { $0.key < $1.key }.map { month, nights in
                    (
                        month,
                        nights.reduce(into: [:]) { sum, night in sum.merge(night.stages, uniquingKeysWith: +)
                        }, nights.count
                    )
                },
                head: "Month"
            )
        }
    }

    /// One night, with the stages from top to bottom.
    private func night(_ sleep: Sleep, _ stages: [SleepStage: Int]) -> Markup {
        let shown = SleepStage.drawn.filter { stages[$0] != nil }
        let hour = 3_600_000_000
        let start = (sleep.pieces.first?.time.lowerBound ?? 0).flooredQuotient(by: hour) * hour
        let end =
            (((sleep.pieces.map(\.time.upperBound).max() ?? 0) - 1).flooredQuotient(by: hour) + 1) * hour
        // The zone's offset may be a part of an hour: names are those of the times themselves. Six of them
        // fit on a phone.
        let step = max(1, ((end - start) / hour + 4) / 5) * hour
        let ticks = stride(from: start, through: end, by: step).map { ($0, period.clockText(of: $0)) }
        let marks = sleep.pieces.map { piece in
            let row = Double(shown.firstIndex(of: piece.stage) ?? 0)
            return TimeChart.Mark(
                .bar(row - 0.35, row + 0.35),
                over: piece.time,
                style: piece.stage.style,
                words: "\(piece.stage.title): \(period.clockText(of: piece.time))"
            )
        }
        let rows = sleep.pieces.map { piece -> [Markup] in
            [
                "\(period.clockText(of: piece.time.lowerBound))",
                "\(period.clockText(of: piece.time.upperBound))",
                "\(piece.stage.title)",
                "\(Self.duration(piece.time.count))",
            ]
        }
        return chart(
            "Sleep in the night to \(period.title)",
            lead(stages, nights: 1),
            marks,
            time: start..<end,
            axis: .names(shown.map(\.title)),
            ticks: ticks,
            ["From", "To", "Stage", "How long"],
            rows
        )
    }

    private func lead(_ stages: [SleepStage: Int], nights: Int) -> Markup {
        let mean: Markup =
            nights > 1 ? " <span class=\"quiet\">in the mean of \(nights) nights</span>" : .empty
        return "<strong>\(Self.duration(stages.asleep / max(1, nights)))</strong> asleep\(mean)"
    }

    /// A bar a night or month, of its stages one upon the other.
    private func bars(_ parts: [(start: Int, stages: [SleepStage: Int], nights: Int)], head: String) -> Markup
    {
        let order: [SleepStage] = [.deep, .core, .rem, .asleep, .awake, .inBed]
        let shown = order.filter { stage in parts.contains { $0.stages[stage] != nil } }
        var marks: [TimeChart.Mark] = []
        for part in parts {
            var base = 0.0
            for stage in shown {
                guard let time = part.stages[stage] else { continue }
                let hours = Double(time) / Double(part.nights) / Self.hour
                marks.append(
                    TimeChart.Mark(
                        .bar(base, base + hours),
                        over: part.start..<period.end(ofPart: part.start),
                        style: stage.style,
                        words:
                            """
                            \(period.partText(part.start)), \(stage.title): \
                            \(Self.duration(time / part.nights))
                            """
                    )
                )
                base += hours
            }
        }
        let rows = parts.map { part -> [Markup] in
            [partCell(part.start), "\(Self.duration(part.stages.asleep / part.nights))"]
                + shown.map { stage in
                    PageTable.cell(part.stages[stage].map { Self.duration($0 / part.nights) })
                }
        }
        let nights = parts.reduce(0) { $0 + $1.nights }
        let all = parts.reduce(into: [SleepStage: Int]()) { sum, part in
            sum.merge(part.stages, uniquingKeysWith: +)
        }
        return chart(
            "Sleep, hours",
            lead(all, nights: nights),
            marks,
            legend: shown.map { ($0.style, $0.title.lowercased()) },
            [head, "Asleep in all"] + shown.map(\.title),
            rows
        )
    }

    // MARK: Workouts

    func workouts() throws(SpanTotals.TooLarge) -> Markup? {
        let found = measurements.compactMap {
            measurement -> (measurement: HealthMeasurement, figures: WorkoutFigures)? in
            guard case .workout(let figures) = measurement.content, touches(measurement.time) else {
                return nil
            }
            return (measurement, figures)
        }.sorted { $0.measurement.time.lowerBound < $1.measurement.time.lowerBound }
        guard !found.isEmpty else { return nil }
        func minutes(_ item: (measurement: HealthMeasurement, figures: WorkoutFigures)) -> Decimal {
            item.figures.duration ?? Decimal(item.measurement.time.count) / 60_000_000
        }
        let rows = found.map { item -> [Markup] in
            let (measurement, figures) = item
            return [
                timeCell(measurement), "\(figures.title)", "\(Self.text(minutes(item))) min",
                PageTable.cell(figures.energy.map { Self.text($0) + " kcal" }),
                PageTable.cell(figures.distance.map { Self.text($0) + " km" }),
            ]
        }
        // As for activity: overlapping sources count once, and only what lies in the period.
        let totals = try totals(.sum, found.map { ($0.measurement, minutes($0)) })
        let sum = totals.reduce(Decimal()) { $0 + $1.summary.sum }
        let lead: Markup = """
            <strong>\(Self.text(sum))</strong> min \
            <span class="quiet">\(found.count) \(found.count == 1 ? "workout" : "workouts")</span>
            """
        let heads = ["When", "Activity", "How long", "Energy", "Distance"]
        if period.length == .day {
            var names: [String] = []
            for (_, figures) in found where !names.contains(figures.title) && names.count < 8 {
                names.append(figures.title)
            }
            let marks = found.map { measurement, figures in
                let row = Double(names.firstIndex(of: figures.title) ?? names.count - 1)
                return TimeChart.Mark(
                    .bar(row - 0.35, row + 0.35),
                    over: measurement.time,
                    style: "workout",
                    words: "\(figures.title): \(period.clockText(of: measurement.time))"
                )
            }
            return chart(
                "Workouts",
                lead,
                marks,
                axis: .names(names.map { String($0.prefix(7)) }),
                heads,
                rows
            )
        }
        let marks = totals.map { total in
            TimeChart.Mark(
                .bar(0, Self.number(total.summary.sum)),
                over: total.start..<total.summary.end,
                style: "workout",
                words: "\(period.partText(total.start)): \(Self.text(total.summary.sum)) min"
            )
        }
        return chart("Workouts, minutes", lead, marks, heads, rows)
    }
}

extension SleepStage {
    /// The name of its style.
    var style: String { "sleep-\(self)" }
}

extension HealthPeriod {
    func start(ofDay day: Int) -> Int { TimeSpans(.day, in: zone).midnight(of: day) }

    /// When the month of a day begins.
    func month(ofDay day: Int) -> Int {
        var months = TimeSpans(.month, in: zone)
        return months.span(at: start(ofDay: day)).lowerBound
    }

    func end(ofPart start: Int) -> Int {
        var parts = TimeSpans(part, in: zone)
        return parts.span(at: start).upperBound
    }
}

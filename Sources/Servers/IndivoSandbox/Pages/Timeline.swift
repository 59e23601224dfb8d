import Foundation

/// What lasted in a record as bars, what happened as marks, from the first of it to today. SVG, no script.
/// Positions along the line are percentages, so that it is as wide as the page and its words stay readable on
/// a phone.
struct Timeline {
    /// Something that began, and may have ended.
    struct Span {
        var title: String
        /// What kind it is: the class of its bar, and a word in its description.
        var kind: String
        var start: Timestamp
        var end: Timestamp?
    }

    /// Things of one kind that happened at a moment.
    struct Lane {
        var title: String
        var moments: [Timestamp]
    }

    /// So many bars are drawn, those that last first, then the latest; the sections show the others.
    private static let spanLimit = 10
    private static let rowHeight = 32

    var spans: [Span]
    var lanes: [Lane]
    var today: Timestamp

    var markup: Markup {
        let spans = spans.sorted { ($0.end == nil ? 1 : 0, $0.start) > ($1.end == nil ? 1 : 0, $1.start) }
            .prefix(Timeline.spanLimit).sorted { $0.start < $1.start }
        let lanes = lanes.filter { !$0.moments.isEmpty }
        let instants = spans.map(\.start) + lanes.flatMap(\.moments)
        guard let first = instants.min(), first < today else { return .empty }
        let scale = Scale(start: first, end: max(today, instants.max() ?? today))
        let height = (spans.count + lanes.count) * Timeline.rowHeight + 24
        let bars = spans.enumerated().map { row, span in bar(span, row: row, scale) }
        let marks = lanes.enumerated().map { row, lane in self.lane(lane, row: spans.count + row, scale) }
        let years = scale.years.map { year, x -> Markup in
            """
            <line class="grid" x1="\(percent(x))" y1="0" x2="\(percent(x))" y2="\(height - 20)"/>\
            <text class="year" x="\(percent(x))" y="\(height - 4)" text-anchor="middle">\(year)</text>
            """
        }
        return """
            <svg class="timeline" width="100%" height="\(height)" role="img" \
            aria-label="\(summary(spans, lanes))">
            \(years)\(bars)\(marks)</svg>
            """
    }

    private func summary(_ spans: [Span], _ lanes: [Lane]) -> String {
        let lasting = spans.map { "\($0.title), \($0.kind), \($0.start.day) to \($0.end?.day ?? "today")" }
        let moments = lanes.map { "\($0.title): \($0.moments.sorted().map(\.day).joined(separator: ", "))" }
        return (lasting + moments).joined(separator: "; ")
    }

    private func bar(_ span: Span, row: Int, _ scale: Scale) -> Markup {
        let start = scale.x(span.start)
        let end = scale.x(span.end ?? today)
        let words = "\(span.title): \(span.start.day) to \(span.end?.day ?? "today")"
        return """
            <g><title>\(words)</title>\(title(span.title, row: row))\
            <rect class="lasting-\(span.kind)" x="\(percent(start))" y="\(row * Timeline.rowHeight + 18)" \
            width="\(percent(max(end - start, 0.6)))" height="8" rx="4"/></g>
            """
    }

    private func lane(_ lane: Lane, row: Int, _ scale: Scale) -> Markup {
        let marks = lane.moments.map { moment -> Markup in
            """
            <circle class="moment" cx="\(percent(scale.x(moment)))" cy="\(row * Timeline.rowHeight + 22)" \
            r="4"><title>\(lane.title): \(moment.day)</title></circle>
            """
        }
        return "<g>\(title(lane.title, row: row))\(marks)</g>"
    }

    private func title(_ text: String, row: Int) -> Markup {
        let short = text.count > 44 ? text.prefix(43) + "…" : text
        return "<text x=\"0\" y=\"\(row * Timeline.rowHeight + 13)\">\(String(short))</text>"
    }

    private func percent(_ value: Double) -> String { String(format: "%.2f%%", value) }

    /// Where instants lie, in percent.
    private struct Scale {
        let start, end: Timestamp

        /// A margin on both sides leaves room for marks and years.
        func x(_ at: Timestamp) -> Double {
            guard end > start else { return 50 }
            return 1 + 98 * Double(at.rawValue - start.rawValue) / Double(end.rawValue - start.rawValue)
        }

        /// Round years, five at most, none so near to an edge that it would be cut off.
        var years: [(year: Int, x: Double)] {
            guard let first = Int(start.day.prefix(4)), let last = Int(end.day.prefix(4)) else { return [] }
            let step = [1, 2, 5, 10, 20].first { (last - first) / $0 <= 5 } ?? 50
            return (first...last).filter { $0.isMultiple(of: step) }.compactMap { year in
                let january = String(format: "%04d-01-01", year)
                guard let x = IndivoDate.parseDateTime(january).map(x), (4...96).contains(x) else {
                    return nil
                }
                return (year, x)
            }
        }
    }
}

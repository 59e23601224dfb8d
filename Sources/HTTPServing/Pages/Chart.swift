import Foundation

/// Values over time as a line, with the normal range behind it: SVG, no script.
///
/// What lies outside the range is shown by shape and words as well as by colour.
package struct Chart {
    package struct Point {
        package var at: Timestamp
        package var value: Double
        /// The page of the document it stands in.
        package var page: String

        package init(at: Timestamp, value: Double, page: String) {
            self.at = at
            self.value = value
            self.page = page
        }
    }

    package var title: String
    /// A UCUM code.
    package var unit: String
    package var points: [Point]
    package var normal: ClosedRange<Double>?

    package init(title: String, unit: String, points: [Point], normal: ClosedRange<Double>? = nil) {
        self.title = title
        self.unit = unit
        self.points = points
        self.normal = normal
    }

    private static let width = 340.0
    private static let height = 170.0
    private static let left = 46.0
    private static let right = 16.0
    private static let top = 18.0
    private static let bottom = 28.0

    package var markup: Markup {
        let sorted = points.sorted { $0.at < $1.at }
        guard let first = sorted.first, let last = sorted.last else { return .empty }
        let scale = Scale(sorted, normal)
        let line = sorted.map { "\(Chart.coordinate(scale.x($0.at))),\(Chart.coordinate(scale.y($0.value)))" }
            .joined(separator: " ")
        let verdict = self.verdict(on: last.value)
        return """
            <figure class="chart"><figcaption>\(title)</figcaption>
            <p class="latest"><strong>\(Chart.text(last.value))</strong> \(shownUnit)
            <span class="\(verdict == "normal" ? "good" : verdict.isEmpty ? "quiet" : "bad")">\(verdict)</span>\
            <span class="quiet">\(rangeText) <time datetime="\(last.at.day)">\(last.at.day)</time></span></p>
            <svg viewBox="0 0 340 170" role="img" aria-label="\(summary(of: sorted))">
            \(range(scale))\(grid(scale))<polyline class="line" points="\(line)"/>
            \(sorted.map { mark($0, scale) })
            <text x="46" y="164">\(first.at.day)</text>\(lastDay(first, last))
            </svg>\(values(sorted))</figure>
            """
    }

    /// The values as a table, each with its document.
    private func values(_ points: [Point]) -> Markup {
        let rows = points.reversed().map { point -> [Markup] in
            [
                "<a href=\"\(point.page)\"><time datetime=\"\(point.at.day)\">\(point.at.day)</time></a>",
                "\(Chart.text(point.value)) \(shownUnit)", Table.cell(verdict(on: point.value)),
            ]
        }
        let table = Table(heads: ["On", "Value", "Compared"], rows: rows)
        return """
            <details><summary>\(points.count == 1 ? "1 value" : "\(points.count) values")\
            <span class="unseen"> of \(title), with their documents</span></summary>\(table.markup)</details>
            """
    }

    // MARK: Words

    /// The unit as people write it; UCUM puts annotations in braces and marks some letters with brackets.
    private var shownUnit: String {
        switch unit {
        case "mm[Hg]": "mmHg"
        case "Cel": "°C"
        case "kg/m2": "kg/m²"
        default: unit.replacing(/[{}\[\]]/, with: "")
        }
    }

    private func verdict(on value: Double) -> String {
        guard let normal else { return "" }
        return value > normal.upperBound ? "above normal" : value < normal.lowerBound ? "below normal" : "normal"
    }

    private var rangeText: String {
        normal.map { " (\(Chart.text($0.lowerBound)) to \(Chart.text($0.upperBound)))" } ?? ""
    }

    private func summary(of points: [Point]) -> String {
        let values = points.map { "\($0.at.day): \(Chart.text($0.value))" }.joined(separator: ", ")
        let range = normal.map { "; normal \(Chart.text($0.lowerBound)) to \(Chart.text($0.upperBound))" } ?? ""
        return "\(title) in \(shownUnit). \(values)\(range)"
    }

    /// A number in at most four digits.
    package static func text(_ value: Double) -> String { String(format: "%.4g", value) }

    private static func coordinate(_ value: Double) -> String { String(format: "%.1f", value) }

    // MARK: Drawing

    private func range(_ scale: Scale) -> Markup {
        guard let normal else { return .empty }
        let top = scale.y(normal.upperBound)
        let height = scale.y(normal.lowerBound) - top
        return """
            <rect class="range" x="46" y="\(Chart.coordinate(top))" width="278" height="\(Chart.coordinate(height))"/>
            """
    }

    private func grid(_ scale: Scale) -> Markup {
        let lines = scale.ticks.map { tick -> Markup in
            let y = scale.y(tick)
            return """
                <line class="grid" x1="46" y1="\(Chart.coordinate(y))" x2="324" y2="\(Chart.coordinate(y))"/>\
                <text x="40" y="\(Chart.coordinate(y + 4))" text-anchor="end">\(Chart.text(tick))</text>
                """
        }
        return Markup(lines)
    }

    private func mark(_ point: Point, _ scale: Scale) -> Markup {
        let (x, y) = (scale.x(point.at), scale.y(point.value))
        let verdict = self.verdict(on: point.value)
        let words = "\(point.at.day): \(Chart.text(point.value)) \(shownUnit)" + (verdict.isEmpty ? "" : ", \(verdict)")
        guard verdict.hasSuffix("normal"), verdict != "normal" else {
            return """
                <circle class="point" cx="\(Chart.coordinate(x))" cy="\(Chart.coordinate(y))" r="3.5">\
                <title>\(words)</title></circle>
                """
        }
        return """
            <rect class="point out" x="\(Chart.coordinate(x - 4))" y="\(Chart.coordinate(y - 4))" width="8" height="8" \
            transform="rotate(45 \(Chart.coordinate(x)) \(Chart.coordinate(y)))"><title>\(words)</title></rect>
            """
    }

    private func lastDay(_ first: Point, _ last: Point) -> Markup {
        guard last.at.day != first.at.day else { return .empty }
        return "<text x=\"324\" y=\"164\" text-anchor=\"end\">\(last.at.day)</text>"
    }

    /// Where values and instants lie.
    private struct Scale {
        let ticks: [Double]
        private let low: Double
        private let high: Double
        private let start: Timestamp
        private let end: Timestamp

        init(_ points: [Point], _ normal: ClosedRange<Double>?) {
            let values = points.map(\.value) + (normal.map { [$0.lowerBound, $0.upperBound] } ?? [])
            let least = values.min() ?? 0
            let most = values.max() ?? 1
            let step = Scale.step(for: max(most - least, abs(most) * 0.05, 0.01))
            low = (least / step).rounded(.down) * step
            high = max((most / step).rounded(.up) * step, low + step)
            // Counted, not added up: at a great distance from zero a step may change nothing.
            let count = ((high - low) / step).rounded()
            let (low, bound) = (low, Int(exactly: count).map { min($0, 12) } ?? 0)
            ticks = (0...bound).map { low + Double($0) * step }
            start = points.first?.at ?? Timestamp(rawValue: 0)
            end = points.last?.at ?? Timestamp(rawValue: 0)
        }

        /// A round number of which two to four make up the span.
        private static func step(for span: Double) -> Double {
            let magnitude = pow(10, floor(log10(span)))
            return [0.5, 1, 2, 5].map { $0 * magnitude }.first { span / $0 <= 3 } ?? 10 * magnitude
        }

        func x(_ at: Timestamp) -> Double {
            let width = Chart.width - Chart.left - Chart.right
            guard end > start else { return Chart.left + width / 2 }
            return Chart.left + width * Double(at.rawValue - start.rawValue) / Double(end.rawValue - start.rawValue)
        }

        func y(_ value: Double) -> Double {
            Chart.height - Chart.bottom - (Chart.height - Chart.top - Chart.bottom) * (value - low) / (high - low)
        }
    }
}

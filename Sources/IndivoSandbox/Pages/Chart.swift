#if Sandbox
import Foundation

/// Values over time as a line, with the normal range behind it: SVG, no script.
struct Chart {
    struct Point {
        var at: Timestamp
        var value: Double
    }

    var title: String
    var unit: String
    var points: [Point]
    var normal: ClosedRange<Double>?

    private static let width = 320.0
    private static let height = 160.0
    private static let left = 44.0
    private static let right = 12.0
    private static let top = 12.0
    private static let bottom = 26.0

    var markup: Markup {
        let sorted = points.sorted { $0.at < $1.at }
        guard let first = sorted.first, let last = sorted.last else { return .empty }
        let values = sorted.map(\.value) + (normal.map { [$0.lowerBound, $0.upperBound] } ?? [])
        let low = values.min() ?? 0
        let high = values.max() ?? 1
        let margin = max((high - low) * 0.1, abs(high) * 0.02, 0.01)
        let scale = Scale(low: low - margin, high: high + margin, start: first.at, end: last.at)
        let places = sorted.map { (x: scale.x($0.at), y: scale.y($0.value)) }
        let line = places.map { "\(Chart.text($0.x)),\(Chart.text($0.y))" }.joined(separator: " ")
        let dots = zip(places, sorted).map { place, point -> Markup in
            """
            <circle class="point" cx="\(Chart.text(place.x))" cy="\(Chart.text(place.y))" r="3.5">\
            <title>\(point.at.day): \(Chart.text(point.value)) \(unit)</title></circle>
            """
        }
        let latest = sorted[sorted.count - 1]
        return """
            <figure><figcaption>\(title), \(unit)</figcaption>
            <svg class="chart" viewBox="0 0 320 160" role="img" aria-label="\(summary(of: sorted))">
            \(range(scale))<line class="axis" x1="44" y1="134" x2="308" y2="134"/>\
            <polyline class="line" points="\(line)"/>\(dots)\
            <text x="40" y="\(Chart.text(scale.y(high) + 4))" text-anchor="end">\(Chart.text(high))</text>\
            <text x="40" y="\(Chart.text(scale.y(low) + 4))" text-anchor="end">\(Chart.text(low))</text>\
            <text x="44" y="152">\(first.at.day)</text><text x="308" y="152" text-anchor="end">\(last.at.day)</text>
            </svg><p>Latest: <strong>\(Chart.text(latest.value)) \(unit)</strong> on \(latest.at.day)\(normalText)</p></figure>
            """
    }

    private var normalText: String {
        normal.map { ", normal \(Chart.text($0.lowerBound)) to \(Chart.text($0.upperBound))" } ?? ""
    }

    private func summary(of points: [Point]) -> String {
        let values = points.map { "\($0.at.day): \(Chart.text($0.value))" }.joined(separator: ", ")
        return "\(title) in \(unit). \(values)\(normalText)"
    }

    private func range(_ scale: Scale) -> Markup {
        guard let normal else { return .empty }
        let top = scale.y(normal.upperBound)
        return """
            <rect class="range" x="44" y="\(Chart.text(top))" width="264" \
            height="\(Chart.text(scale.y(normal.lowerBound) - top))"/>
            """
    }

    /// Where values and instants lie.
    private struct Scale {
        var low: Double
        var high: Double
        var start: Timestamp
        var end: Timestamp

        func x(_ at: Timestamp) -> Double {
            let width = Chart.width - Chart.left - Chart.right
            guard end > start else { return Chart.left + width / 2 }
            return Chart.left + width * Double(at.rawValue - start.rawValue) / Double(end.rawValue - start.rawValue)
        }

        func y(_ value: Double) -> Double {
            Chart.height - Chart.bottom - (Chart.height - Chart.top - Chart.bottom) * (value - low) / (high - low)
        }
    }

    /// A number in at most four digits after the point.
    static func text(_ value: Double) -> String { String(format: "%.4g", value) }
}
#endif

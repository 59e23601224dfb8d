import Foundation

/// Where things lie in a chart: from left to right in percent, so that it is as wide as its card and its
/// words stay readable on a phone; from top to bottom in pixels. What stands before the axis is in the
/// style sheet's padding.
enum ChartFrame {
    static let top = 18.0
    static let bottom = 142.0
    static let height = 170

    /// Where a point in time lies, in percent.
    static func x(_ instant: Int, in range: Range<Int>) -> Double {
        range.isEmpty ? 50 : 100 * Double(instant - range.lowerBound) / Double(range.count)
    }

    /// A text below the chart, within its width.
    static func tick(_ text: String, at x: Double) -> Markup {
        let anchor = x < 4 ? "start" : x > 96 ? "end" : "middle"
        return "<text x=\"\(x)%\" y=\"162\" text-anchor=\"\(anchor)\">\(text)</text>"
    }

    /// What a chart draws, with its words around it.
    static func figure(
        _ title: String,
        latest: Markup,
        label: String,
        _ drawing: Markup,
        legend: Markup = .empty,
        summary: Markup,
        _ table: PageTable,
        note: Markup = .empty
    ) -> Markup {
        """
        <figure class="chart"><figcaption>\(title)</figcaption>
        <p class="latest">\(latest)</p>
        <svg width="100%" height="\(height)" role="img" aria-label="\(label)">
        \(drawing)
        </svg>\(legend)<details><summary>\(summary)</summary>\
        \(table.markup)\(note)</details></figure>
        """
    }
}

extension Markup.StringInterpolation {
    /// A coordinate.
    mutating func appendInterpolation(_ value: Double) { appendLiteral(String(format: "%.2f", value)) }
}

/// Where values lie in a chart, and which round ones have a line.
struct ChartScale {
    private let low, high, step: Double

    /// A scale that shows all of these values.
    init(_ values: [Double]) {
        let least = values.min() ?? 0
        let most = values.max() ?? 1
        // A round number that goes two to four times into the span.
        let span = max(most - least, abs(most) * 0.05, 0.01)
        let magnitude = pow(10, floor(log10(span)))
        step = [0.5, 1, 2, 5].map { $0 * magnitude }.first { span / $0 <= 3 } ?? 10 * magnitude
        low = (least / step).rounded(.down) * step
        high = max((most / step).rounded(.up) * step, low + step)
    }

    func y(_ value: Double) -> Double {
        ChartFrame.bottom - (ChartFrame.bottom - ChartFrame.top) * (value - low) / (high - low)
    }

    /// The lines of the round values, with their numbers.
    var grid: Markup {
        // Counted, not added up: at a great distance from zero a step may change nothing.
        let last = Int(exactly: ((high - low) / step).rounded()).map { min($0, 12) } ?? 0
        return Markup(
            (0...last).map { low + Double($0) * step }.map { ChartScale.line(y($0), Chart.text($0)) }
        )
    }

    /// A line across, with what stands before it.
    static func line(_ y: Double, _ text: String) -> Markup {
        """
        <line class="grid" x1="0" y1="\(y)" x2="100%" y2="\(y)"/><text x="-6" y="\(y + 4)" \
        text-anchor="end">\(text)</text>
        """
    }
}

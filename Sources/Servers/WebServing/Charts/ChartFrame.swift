import Foundation

/// Where things lie in a chart, in units of its view box.
enum ChartFrame {
    static let left = 46.0
    static let right = 324.0
    static let top = 18.0
    static let bottom = 142.0

    /// Where a point in time lies.
    static func x(_ instant: Int, in range: Range<Int>) -> Double {
        range.isEmpty
            ? (left + right) / 2
            : left + (right - left) * Double(instant - range.lowerBound) / Double(range.count)
    }

    /// What a chart draws, with its words around it.
    static func figure(
        _ title: String,
        latest: Markup,
        label: String,
        _ drawing: Markup,
        legend: Markup = .empty,
        summary: Markup,
        _ table: PageTable
    ) -> Markup {
        """
        <figure class="chart"><figcaption>\(title)</figcaption>
        <p class="latest">\(latest)</p>
        <svg viewBox="0 0 340 170" role="img" aria-label="\(label)">
        \(drawing)
        </svg>\(legend)<details><summary>\(summary)</summary>\(table.markup)</details></figure>
        """
    }
}

extension Markup.StringInterpolation {
    /// A coordinate.
    mutating func appendInterpolation(_ value: Double) { appendLiteral(String(format: "%.1f", value)) }
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
        <line class="grid" x1="46" y1="\(y)" x2="324" y2="\(y)"/><text x="40" y="\(y + 4)" \
        text-anchor="end">\(text)</text>
        """
    }
}

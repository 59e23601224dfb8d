/// Bars, periods and points along a stretch of time: SVG, no script. What they are stands in their titles and
/// in a table too.
package enum TimeChart {
    /// Something along the time.
    package struct Mark {
        /// How it is drawn.
        package enum Shape {
            /// From one value to another, as wide as its time.
            case bar(Double, Double)
            /// A line over its time, as what was measured over a period.
            case period(Double)
            /// A circle at the start of its time, as what was measured at a moment.
            case point(Double)
        }

        let time: Range<Int>
        let shape: Shape
        let style: String
        let words: String

        /// - Parameter style: The name of its style and of its entry in the legend.
        package init(_ shape: Shape, over time: Range<Int>, style: String, words: String) {
            self.time = time
            self.shape = shape
            self.style = style
            self.words = words
        }
    }

    /// What stands at the left.
    package enum Axis {
        case values
        /// Names from top to bottom; a value is the index of one.
        case names([String])
    }

    /// - Parameter lead: What it comes to, in a few words.
    package static func markup(
        title: String,
        lead: Markup,
        time: Range<Int>,
        ticks: [(at: Int, text: String)],
        axis: Axis = .values,
        marks: [Mark],
        legend: [(style: String, text: String)] = [],
        table: PageTable,
        note: Markup = .empty
    ) -> Markup {
        let (grid, y) = vertical(axis, marks)
        let keys = legend.map { entry -> Markup in
            """
            <span class="nowrap"><span class="key mark-\(entry.style)" aria-hidden="true"></span>\
            \(entry.text)</span>
            """
        }
        let ticks = ticks.map { tick -> Markup in
            let x = ChartFrame.x(tick.at, in: time)
            return """
                <line class="grid" x1="\(x)%" y1="142" x2="\(x)%" y2="147"/>\
                \(ChartFrame.tick(tick.text, at: x))
                """
        }
        return ChartFrame.figure(
            title,
            latest: lead,
            label: "\(title): a chart; the table below has its values",
            "\(grid)\(marks.map { drawn($0, in: time, y) })\(ticks)",
            legend: keys.isEmpty ? .empty : "<p class=\"legend\">\(keys)</p>",
            summary: "Values<span class=\"unseen\"> of \(title)</span>",
            table,
            note: note
        )
    }

    /// The lines across, and where values lie.
    private static func vertical(_ axis: Axis, _ marks: [Mark]) -> (Markup, (Double) -> Double) {
        switch axis {
        case .values:
            let scale = ChartScale(
                marks.flatMap { mark in
                    switch mark.shape {
                    case .bar(let low, let high): [low, high]
                    case .period(let value), .point(let value): [value]
                    }
                }
            )
            return (scale.grid, scale.y)
        case .names(let names):
            let height = (ChartFrame.bottom - 8) / Double(max(1, names.count))
            func y(_ index: Double) -> Double { 8 + height * (index + 0.5) }
            return (Markup(names.enumerated().map { ChartScale.line(y(Double($0)), $1) }), y)
        }
    }

    private static func drawn(_ mark: Mark, in time: Range<Int>, _ y: (Double) -> Double) -> Markup {
        let start = ChartFrame.x(max(mark.time.lowerBound, time.lowerBound), in: time)
        let end = ChartFrame.x(min(max(mark.time.upperBound, time.lowerBound), time.upperBound), in: time)
        let title: Markup = "<title>\(mark.words)</title>"
        switch mark.shape {
        case .bar(let low, let high):
            // What is short stays visible, and neighbours stay apart.
            let width = max((end - start) * (end - start > 1 ? 0.86 : 1), 0.5)
            let height = max(abs(y(low) - y(high)), 1.5)
            let from = (y(low) + y(high) - height) / 2
            return """
                <rect class="mark-\(mark.style)" x="\(start)%" y="\(from)" width="\(width)%" \
                height="\(height)">\(title)</rect>
                """
        case .period(let value):
            let y = y(value)
            let end = max(end, start + 0.7)
            return """
                <line class="mark-\(mark.style)" x1="\(start)%" y1="\(y)" x2="\(end)%" y2="\(y)">\
                \(title)</line>
                """
        case .point(let value):
            return
                """
                <circle class="mark-\(mark.style)" cx="\(start)%" cy="\(y(value))" r="2.5">\(title)</circle>
                """
        }
    }
}

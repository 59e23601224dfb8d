import Foundation

/// Values over time as a line: SVG, no script. What lies outside the normal range is shown by shape, words
/// and colour.
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

    package var markup: Markup {
        let sorted = points.sorted { $0.at < $1.at }
        guard let first = sorted.first, let last = sorted.last else { return .empty }
        let scale = ChartScale(sorted.map(\.value) + (normal.map { [$0.lowerBound, $0.upperBound] } ?? []))
        let time = Int(first.at.rawValue)..<Int(last.at.rawValue)
        let places = sorted.map { (x: ChartFrame.x(Int($0.at.rawValue), in: time), y: scale.y($0.value)) }
        let isJoined = places.count <= Self.joinedLimit
        let range = normal.map { normal -> Markup in
            let top = scale.y(normal.upperBound)
            return
                """
                <rect class="range" x="0" y="\(top)" width="100%" \
                height="\(scale.y(normal.lowerBound) - top)"/>
                """
        }
        let errorClass = self.errorClass(on: last.value)
        let rows = sorted.reversed().map { point -> [Markup] in
            [
                "<a href=\"\(point.page)\"><time datetime=\"\(point.at.day)\">\(point.at.day)</time></a>",
                "\(Chart.text(point.value)) \(shownUnit)", PageTable.cell(self.errorClass(on: point.value)),
            ]
        }
        let words = sorted.map { "\($0.at.day): \(Chart.text($0.value))" }.joined(separator: ", ")
        return ChartFrame.figure(
            title,
            latest: """
                <strong>\(Chart.text(last.value))</strong> \(shownUnit)
                <span class="\(errorClass == "normal" ? "good" : errorClass.isEmpty ? "quiet" : "bad")">\
                \(errorClass)</span><span class="quiet">\(rangeText.map { " (\($0))" } ?? "") \
                <time datetime="\(last.at.day)">\(last.at.day)</time></span>
                """,
            label: "\(title) in \(shownUnit). \(words)" + (rangeText.map { "; normal \($0)" } ?? ""),
            """
            \(range ?? .empty)\(scale.grid)\(isJoined ? Self.line(places) : .empty)\
            \(zip(sorted, places).map { mark($0, $1.x, $1.y, radius: isJoined ? 3.5 : 2) })
            \(ChartFrame.tick(first.at.day, at: first.at.day == last.at.day ? 50 : 0))\
            \(first.at.day == last.at.day ? .empty : ChartFrame.tick(last.at.day, at: 100))
            """,
            summary: """
                \(points.count == 1 ? "1 value" : "\(points.count) values")\
                <span class="unseen"> of \(title), with their documents</span>
                """,
            PageTable(heads: ["On", "Value", "Compared"], rows: rows)
        )
    }

    // MARK: Words

    /// The unit as people write it; UCUM puts annotations in braces and marks some letters with brackets.
    private var shownUnit: String {
        ["mm[Hg]": "mmHg", "Cel": "°C", "kg/m2": "kg/m²"][unit] ?? unit.replacing(/[{}\[\]]/, with: "")
    }

    private func errorClass(on value: Double) -> String {
        guard let normal else { return "" }
        return value > normal.upperBound
            ? "above normal" : value < normal.lowerBound ? "below normal" : "normal"
    }

    private var rangeText: String? {
        normal.map { "\(Chart.text($0.lowerBound)) to \(Chart.text($0.upperBound))" }
    }

    /// A number with four digits that count, or all those before the point.
    package static func text(_ value: Double) -> String {
        String(format: 1000...1e15 ~= abs(value) ? "%.0f" : "%.4g", value)
    }

    // MARK: Drawing

    /// Of more points each is drawn, and no line from one to the next.
    private static let joinedLimit = 60

    private static func line(_ places: [(x: Double, y: Double)]) -> Markup {
        let points = places.map { place -> Markup in "\(place.x),\(place.y) " }
        return """
            <svg viewBox="0 0 100 \(ChartFrame.height)" preserveAspectRatio="none" width="100%" \
            height="\(ChartFrame.height)"><polyline class="line" points="\(points)"/></svg>
            """
    }

    private func mark(_ point: Point, _ x: Double, _ y: Double, radius: Double) -> Markup {
        let errorClass = self.errorClass(on: point.value)
        let words =
            "\(point.at.day): \(Chart.text(point.value)) \(shownUnit)"
            + (errorClass.isEmpty ? "" : ", \(errorClass)")
        guard errorClass.hasSuffix("normal"), errorClass != "normal" else {
            return """
                <circle class="point" cx="\(x)%" cy="\(y)" r="\(radius)"><title>\(words)</title></circle>
                """
        }
        return """
            <svg x="\(x)%" y="\(y)"><rect class="point out" x="-4" y="-4" width="8" height="8" \
            transform="rotate(45)"><title>\(words)</title></rect></svg>
            """
    }
}

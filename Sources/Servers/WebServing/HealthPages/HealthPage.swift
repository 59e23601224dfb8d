import IndivoBase

/// What a phone and a watch measured in a period: activity, heart rate, sleep, blood pressure, weight and
/// workouts.
///
///     let page = HealthPage(period: period, path: "/patients/7/health", measurements: measurements)
///     return frame.page("Ann Moss", page.markup)
package struct HealthPage {
    private let period: HealthPeriod
    private let path: String
    private let measurements: [HealthMeasurement]
    private let isCut: Bool

    /// So many measurements a page is made of.
    package static let limit = 50_000

    /// - Parameters:
    ///   - path: The page's own address, without parameters.
    ///   - measurements: Those of ``HealthPeriod/needed``, in any order.
    ///   - isCut: Whether there are more than ``limit``.
    package init(period: HealthPeriod, path: String, measurements: [HealthMeasurement], isCut: Bool = false) {
        self.period = period
        self.path = path
        self.measurements = measurements
        self.isCut = isCut
    }

    /// The main part of the page.
    package var markup: Markup {
        let charts = HealthCharts(period: period, measurements: measurements, link: address)
        let cut: Markup =
            isCut
            ? """
            <p class="note">More than \(Self.limit) measurements: \
            sums and means are those of the latest \(Self.limit).</p>
            """
            : .empty
        do throws(SpanTotals.TooLarge) {
            let sections = [
                section("activity", "Activity", try charts.activity()),
                section("heart", "Heart", [try charts.heart()].compactMap { $0 }),
                section("sleep", "Sleep", [try charts.sleep()].compactMap { $0 }),
                section("blood-pressure", "Blood pressure", [try charts.bloodPressure()].compactMap { $0 }),
                section("weight", "Weight", [try charts.weight()].compactMap { $0 }),
                section("workouts", "Workouts", [try charts.workouts()].compactMap { $0 }),
            ].compactMap { $0 }
            return navigation + cut
                + (sections.isEmpty ? "<p>Nothing was measured in this time.</p>" : Markup(sections))
        } catch {
            return navigation
                + "<p class=\"problem\" role=\"alert\">This cannot be drawn: \(error.description).</p>"
        }
    }

    private func section(_ id: String, _ title: String, _ charts: [Markup]) -> Markup? {
        charts.isEmpty
            ? nil
            : """
            <section aria-labelledby="\(id)"><h2 id="\(id)">\(title)</h2>\
            <div class="charts wide">\(charts)</div></section>
            """
    }

    private func address(_ period: HealthPeriod) -> String {
        let items = period.parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value, keeping: ":/,"))" }
        return path + "?" + items.joined(separator: "&")
    }

    private func item(_ period: HealthPeriod, _ text: String, isCurrent: Bool = false) -> Markup {
        "<li><a href=\"\(address(period))\"\(isCurrent ? current : .empty)>\(text)</a></li>"
    }

    private var current: Markup { " aria-current=\"true\"" }

    /// The period, those beside it, other lengths and the zone.
    private var navigation: Markup {
        let lengths = HealthPeriod.Length.allCases.map {
            item(period.with($0), $0.rawValue.capitalized, isCurrent: $0 == period.length)
        }
        let before = period.moved(-1)
        let after = period.moved(1)
        let fields = period.parameters.filter { $0.name != "zone" }.map {
            "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" as Markup
        }
        return """
            <nav aria-label="Period"><ul>\(lengths)</ul>\
            <ul>\(item(before, "← \(before.title)"))\(item(after, "\(after.title) →"))</ul></nav>
            <h2>\(period.title)</h2>
            <form class="inline" method="get" action="\(path)">\(fields)<label>Time zone\
            <input name="zone" value="\(period.zoneName)" autocomplete="off" \
            spellcheck="false"></label><button>Show</button></form>
            """
    }
}

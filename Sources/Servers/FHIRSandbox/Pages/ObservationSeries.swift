import OrderedJSON
import WebServing

/// What was measured of one kind in one unit, over time.
struct ObservationSeries {
    static let chartLimit = 40
    private static let pointLimit = 400

    var chart: Chart

    /// Observations with numbers as series, those with the most values first, and the others.
    static func split(_ observations: [JSONValue]) -> (series: [ObservationSeries], others: [JSONValue]) {
        struct Key: Hashable {
            var code: String
            var unit: String
        }
        var charts: [Key: Chart] = [:]
        var others: [JSONValue] = []
        for observation in observations {
            let page = "/resources/Observation/\(observation["id"]?.string ?? "")"
            var isCharted = false
            for part in [observation] + observation.elements(of: "component") {
                guard let text = ResourceText.date(of: observation), let range = TimeRange(text),
                    let quantity = part["valueQuantity"], let value = quantity["value"]?.double,
                    value.isFinite,
                    let title = ResourceText.concept(part["code"]),
                    observation["status"]?.string != "entered-in-error"
                else { continue }
                isCharted = true
                let unit = quantity["code"]?.string ?? quantity["unit"]?.string ?? ""
                let key = Key(code: part["code"]?["coding"]?[0]?["code"]?.string ?? title, unit: unit)
                var chart = charts[key] ?? Chart(title: title, unit: unit, points: [], normal: normal(part))
                if chart.points.count < pointLimit {
                    chart.points.append(
                        Chart.Point(at: Timestamp(rawValue: range.low), value: value, page: page)
                    )
                }
                charts[key] = chart
            }
            if !isCharted { others.append(observation) }
        }
        let series = charts.values.sorted { ($0.points.count, $1.title) > ($1.points.count, $0.title) }
        return (series.map { ObservationSeries(chart: $0) }, others)
    }

    /// The range of reference, where it has two ends.
    private static func normal(_ observation: JSONValue) -> ClosedRange<Double>? {
        guard let range = observation["referenceRange"]?[0], let low = range["low"]?["value"]?.double,
            let high = range["high"]?["value"]?.double, low.isFinite, high.isFinite, low <= high
        else { return nil }
        return low...high
    }
}

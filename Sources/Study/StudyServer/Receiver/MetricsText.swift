import WebServing

/// Numbers in Prometheus's text format (version 0.0.4), for a program on the same machine.
package enum MetricsText {
    package enum Kind: String {
        case counter
        case gauge
    }

    /// A metric with a value for each of some labels, which are the program's own words.
    package static func metric(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ values: [(labels: String, value: Int)]
    ) -> String {
        "# HELP study_\(name) \(help)\n# TYPE study_\(name) \(kind.rawValue)\n"
            + values.map { "study_\(name)\($0.labels.isEmpty ? "" : "{\($0.labels)}") \($0.value)\n" }
            .joined()
    }

    /// A metric with one value.
    package static func metric(_ name: String, _ kind: Kind, _ help: String, _ value: Int) -> String {
        metric(name, kind, help, [("", value)])
    }

    /// The metrics of several studies as one text: each value has the label `study`, and each metric stands
    /// once.
    package static func merged(_ texts: [(study: String, text: String)]) -> String {
        var order: [Substring] = []
        var heads: [Substring: [Substring]] = [:]
        var values: [Substring: [String]] = [:]
        for (study, text) in texts {
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ", maxSplits: 3)
                if line.hasPrefix("#") {
                    guard words.count > 2 else { continue }
                    if heads[words[2]] == nil { order.append(words[2]) }
                    // HELP and TYPE, of the first study that has the metric.
                    if heads[words[2], default: []].count < 2 { heads[words[2], default: []].append(line) }
                    continue
                }
                let name = line.prefix { $0 != "{" && $0 != " " }
                let rest = line.dropFirst(name.count)
                let label = "{study=\"\(study)\""
                let labelled = rest.hasPrefix("{") ? "\(label),\(rest.dropFirst())" : "\(label)}\(rest)"
                values[name, default: []].append("\(name)\(labelled)")
            }
        }
        return order.map { name in
            ((heads[name] ?? []).map(String.init) + (values[name] ?? [])).joined(separator: "\n") + "\n"
        }.joined()
    }

    /// The response with metrics.
    package static func response(_ text: String) -> Response {
        Response(type: "text/plain; version=0.0.4", text: text)
    }
}

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

    /// The response with metrics.
    package static func response(_ text: String) -> Response {
        Response(type: "text/plain; version=0.0.4", text: text)
    }
}

import FHIR
import Foundation
import Measuring
import OrderedJSON

/// How fast an expression goes through a bundle.
///
/// Two numbers: all values of the bundle for each second of the evaluation, and the items that its steps gave.
func reportPath(_ bundle: JSONValue) throws {
    let expression = "Bundle.entry.resource.where($this is Observation).value.value"
    let path = try FHIRPath(expression)
    let steps = [
        "Bundle.entry", "Bundle.entry.resource", "Bundle.entry.resource.select($this is Observation)",
        "Bundle.entry.resource.where($this is Observation).value", expression,
    ]
    let items = try steps.reduce(0) { sum, step in try sum + FHIRPath(step).evaluate(on: bundle).count }
    let time = ProcessorTime.best(ofTurns: 20) { (try? path.evaluate(on: bundle))?.count ?? .min }
    print(String(
        format: "%6.1f million nodes a second (target 5)  %8.2f ms  %@, %.1f million items a second",
        Double(nodes(of: bundle)) / time, time / 1000, expression, Double(items) / time))
}

/// How many values there are.
private func nodes(of value: JSONValue) -> Int {
    if let members = value.members { return members.reduce(1) { $0 + nodes(of: $1.value) } }
    if let elements = value.elements { return elements.reduce(1) { $0 + nodes(of: $1) } }
    return 1
}

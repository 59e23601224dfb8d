import FHIR
import FHIRPathEngine
import Foundation
import Measuring
import OrderedJSON

/// How fast an expression goes through a bundle.
///
/// A node is an item that a step of the expression gives: each entry, each resource, each boolean of `$this
/// is Observation`, each `value` and each `value.value`. The other number counts all values of the bundle,
/// most of which are passed over.
func reportPath(_ bundle: JSONValue) throws {
    let expression = "Bundle.entry.resource.where($this is Observation).value.value"
    let path = try FHIRPath(expression)
    let steps = [
        "Bundle.entry", "Bundle.entry.resource", "Bundle.entry.resource.select($this is Observation)",
        "Bundle.entry.resource.where($this is Observation).value", expression,
    ]
    let items = try steps.reduce(0) { sum, step in try sum + FHIRPath(step).evaluate(on: bundle).count }
    let time = ProcessorTime.best(ofTurns: 20) { (try? path.evaluate(on: bundle))?.count ?? .min }
    print(
        String(
            format:
                "%6.1f million nodes a second (target 5)  %8.2f ms  %@: %d items of its steps; "
                + "%.1f million values of the bundle a second",
            Double(items) / time,
            time / 1000,
            expression,
            items,
            Double(nodes(of: bundle)) / time
        )
    )
}

/// How many values there are.
private func nodes(of value: JSONValue) -> Int {
    if let members = value.members { return members.reduce(1) { $0 + nodes(of: $1.value) } }
    if let elements = value.elements { return elements.reduce(1) { $0 + nodes(of: $1) } }
    return 1
}

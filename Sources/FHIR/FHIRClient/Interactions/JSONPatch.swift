import FHIR
import Foundation
import OrderedJSON

/// Changes to a resource as JSON Patch (RFC 6902).
///
/// ```swift
/// try await client.patch(Patient.self, id: "7", [
///     .test("/active", true),
///     .replace("/name/0/family", "Miller"),
///     .add("/telecom/-", ContactPoint(system: .phone, value: "555").tree),
/// ])
/// ```
public struct JSONPatch: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// One change.
    public enum Operation: Sendable, Hashable {
        /// Adds a member, or an element before an index; `-` is the end of an array.
        case add(String, JSONValue)
        /// Removes what is there.
        case remove(String)
        case replace(String, JSONValue)
        /// Moves what is at one path to another.
        case move(from: String, to: String)
        /// Copies what is at one path to another.
        case copy(from: String, to: String)
        /// Makes the whole patch fail when the value is another.
        case test(String, JSONValue)

        var tree: JSONValue {
            switch self {
            case .add(let path, let value): ["op": "add", "path": JSONValue(path), "value": value]
            case .remove(let path): ["op": "remove", "path": JSONValue(path)]
            case .replace(let path, let value): ["op": "replace", "path": JSONValue(path), "value": value]
            case .move(let from, let path): ["op": "move", "from": JSONValue(from), "path": JSONValue(path)]
            case .copy(let from, let path): ["op": "copy", "from": JSONValue(from), "path": JSONValue(path)]
            case .test(let path, let value): ["op": "test", "path": JSONValue(path), "value": value]
            }
        }
    }

    /// The changes, in order; all or none are made.
    public var operations: [Operation]

    /// Changes in this order.
    public init(_ operations: [Operation]) { self.operations = operations }

    public init(arrayLiteral operations: Operation...) { self.operations = operations }

    /// The patch as it is sent.
    public var json: Data { Data(JSONValue(operations.map(\.tree)).utf8()) }
}

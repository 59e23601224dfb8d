import FHIR
import IndivoBase
import OrderedJSON

/// A JSON Patch (RFC 6902).
struct PatchDocument {
    private enum Operation {
        case add(JSONValue), remove, replace(JSONValue), move(Pointer), copy(Pointer), test(JSONValue)
    }

    /// A JSON Pointer (RFC 6901): the names and indices on the way.
    private struct Pointer {
        var tokens: [String]

        init?(_ text: String) {
            guard text.isEmpty || text.hasPrefix("/") else { return nil }
            tokens = []
            for token in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .dropFirst()
            {
                var bytes: [UInt8] = []
                var rest = token.makeIterator()
                while let byte = rest.next() {
                    guard byte == UInt8(ascii: "~") else {
                        bytes.append(byte)
                        continue
                    }
                    switch rest.next() {
                    case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
                    case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
                    default: return nil
                    }
                }
                tokens.append(String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    private var operations: [(operation: Operation, path: Pointer)] = []

    /// - Throws: ``FHIRFailure`` for what is not a patch.
    init(_ json: JSONValue, limit: Int) throws(FHIRFailure) {
        guard let elements = json.elements else { throw .invalid("a JSON Patch is an array of operations") }
        for (index, element) in elements.enumerated() {
            guard index < limit else { throw .tooCostly("a patch has at most \(limit) operations") }
            func problem(_ text: String) -> FHIRFailure {
                .invalid("operation \(index + 1) of the patch: \(text)")
            }
            func pointer(_ name: String) throws(FHIRFailure) -> Pointer {
                guard let pointer = element[name]?.string.flatMap(Pointer.init) else {
                    throw problem("“\(name)” is not a JSON Pointer")
                }
                return pointer
            }
            func value() throws(FHIRFailure) -> JSONValue {
                guard let value = element["value"] else { throw problem("there is no “value”") }
                return value
            }
            let operation: Operation
            switch element["op"]?.string {
            case "add": operation = .add(try value())
            case "remove": operation = .remove
            case "replace": operation = .replace(try value())
            case "move": operation = .move(try pointer("from"))
            case "copy": operation = .copy(try pointer("from"))
            case "test": operation = .test(try value())
            default: throw problem("“op” is add, remove, replace, move, copy or test")
            }
            operations.append((operation, try pointer("path")))
        }
    }

    /// The resource after all operations.
    ///
    /// - Throws: ``FHIRFailure`` where one cannot be done, and where the resource grows beyond the limits.
    func apply(to resource: JSONValue, limits: FHIRSandboxLimits) throws(FHIRFailure) -> JSONValue {
        var root = resource
        // A copy may double the resource: what all copies are together is bounded, too.
        var copied = 0
        let deadline = ContinuousClock.now + .seconds(limits.seconds)
        func check(_ value: JSONValue, at path: Pointer) throws(Problem) {
            guard value.isAtMost(depth: limits.depth - path.tokens.count) else {
                throw Problem(text: "the resource would be deeper than \(limits.depth)")
            }
        }
        for (index, (operation, path)) in operations.enumerated() {
            do throws(Problem) {
                guard path.tokens.count <= limits.depth, deadline > .now else {
                    throw Problem(text: "the path is too deep, or the patch takes too long")
                }
                switch operation {
                case .add(let value):
                    try check(value, at: path)
                    try Self.add(value, at: path.tokens[...], in: &root)
                case .remove: _ = try Self.remove(path.tokens[...], in: &root)
                case .replace(let value):
                    try check(value, at: path)
                    try Self.replace(path.tokens[...], in: &root, by: value)
                case .copy(let from):
                    let value = try Self.value(at: from.tokens, in: root)
                    try check(value, at: path)
                    copied += value.utf8().count
                    guard copied <= limits.body else {
                        throw Problem(text: "what the patch copies is too large")
                    }
                    try Self.add(value, at: path.tokens[...], in: &root)
                case .move(let from):
                    guard !path.tokens.starts(with: from.tokens) || path.tokens.count == from.tokens.count
                    else {
                        throw Problem(text: "a value cannot move into itself")
                    }
                    guard from.tokens.count <= limits.depth else { throw Self.missing }
                    let value = try Self.remove(from.tokens[...], in: &root)
                    try check(value, at: path)
                    try Self.add(value, at: path.tokens[...], in: &root)
                case .test(let value):
                    guard try Self.value(at: path.tokens, in: root) == value else {
                        throw Problem(text: "the value is another than the tested one")
                    }
                }
            } catch {
                throw FHIRFailure(422, "processing", "operation \(index + 1) of the patch: \(error.text)")
            }
        }
        // What was put together piece by piece may be deeper than what can be sent at once.
        guard let whole = try? JSONValue(parsing: root.utf8(), limits: .of(limits)) else {
            throw FHIRFailure(422, "too-costly", "the patched resource is too large or too deep")
        }
        return whole
    }

    private struct Problem: Error { var text: String }

    private static let missing = Problem(text: "there is nothing at the path")

    private static func value(at tokens: [String], in root: JSONValue) throws(Problem) -> JSONValue {
        var value = root
        for token in tokens {
            guard
                let next = value.kind == .array
                    ? index(token, in: value).flatMap({ value[$0] }) : value[token]
            else {
                throw missing
            }
            value = next
        }
        return value
    }

    /// An index as RFC 6901 writes it: no sign, no zero before.
    private static func index(_ token: String, in array: JSONValue) -> Int? {
        guard token.isASCIIDigits, token == "0" || !token.hasPrefix("0") else { return nil }
        return Int(token)
    }

    private static func add(_ value: JSONValue, at tokens: ArraySlice<String>, in root: inout JSONValue)
        throws(Problem)
    {
        guard let token = tokens.first else {
            root = value
            return
        }
        guard tokens.count == 1 else {
            return try descend(tokens, in: &root) { rest, child throws(Problem) in
                try add(value, at: rest, in: &child)
            }
        }
        switch root.kind {
        case .object: root[token] = value
        case .array:
            var elements = root.elements.map(Array.init) ?? []
            guard let position = token == "-" ? elements.count : index(token, in: root),
                position <= elements.count
            else {
                throw missing
            }
            elements.insert(value, at: position)
            root = JSONValue(elements)
        default: throw missing
        }
    }

    private static func replace(
        _ tokens: ArraySlice<String>,
        in root: inout JSONValue,
        by value: JSONValue
    ) throws(Problem) {
        guard !tokens.isEmpty else {
            root = value
            return
        }
        try descend(tokens, in: &root) { rest, child throws(Problem) in
            if rest.isEmpty { child = value } else { try replace(rest, in: &child, by: value) }
        }
    }

    private static func remove(_ tokens: ArraySlice<String>, in root: inout JSONValue) throws(Problem)
        -> JSONValue
    {
        guard let token = tokens.first else { throw Problem(text: "the resource itself cannot be removed") }
        guard tokens.count == 1 else {
            var removed = JSONValue.null
            try descend(tokens, in: &root) { rest, child throws(Problem) in
                removed = try remove(rest, in: &child)
            }
            return removed
        }
        let removed = try value(at: [token], in: root)
        if root.kind == .array, let index = index(token, in: root) {
            root[index] = nil
        } else {
            root[token] = nil
        }
        return removed
    }

    /// Changes the value of the first token.
    private static func descend(
        _ tokens: ArraySlice<String>,
        in root: inout JSONValue,
        _ change: (ArraySlice<String>, inout JSONValue) throws(Problem) -> Void
    ) throws(Problem) {
        guard let token = tokens.first else { throw missing }
        var child = try value(at: [token], in: root)
        try change(tokens.dropFirst(), &child)
        if root.kind == .array, let index = index(token, in: root) {
            root[index] = child
        } else {
            root[token] = child
        }
    }
}

extension JSONValue {
    /// Whether arrays and objects are at most so deep inside each other.
    func isAtMost(depth: Int) -> Bool {
        switch kind {
        case .array: depth > 0 && (elements ?? []).allSatisfy { $0.isAtMost(depth: depth - 1) }
        case .object: depth > 0 && (members ?? []).allSatisfy { $0.value.isAtMost(depth: depth - 1) }
        default: depth >= 0
        }
    }
}

extension JSONLimits {
    /// The limits for untrusted requests.
    static func of(_ limits: FHIRSandboxLimits) -> JSONLimits {
        var json = JSONLimits()
        json.depth = limits.depth
        json.bytes = limits.body
        json.nodes = 4_000_000
        return json
    }
}

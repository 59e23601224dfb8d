import OrderedJSON

/// The parameters of an operation: of a query, or of a `Parameters` resource.
public struct OperationParameters: Sendable {
    private var values: [(name: String, value: JSONValue)]

    /// The parameters of a query string.
    public init(query: [(name: String, value: String)]) {
        values = query.map { (name: $0.name, value: JSONValue($0.value)) }
    }

    /// The parameters of a `Parameters` resource, each with its value or resource.
    public init(_ resource: JSONValue) {
        values = resource.elements(of: "parameter").compactMap { parameter in
            guard let name = parameter.member("name")?.string else { return nil }
            let value =
                parameter.member("resource")
                ?? parameter.members?.first { $0.name.hasPrefix("value") }?.value
            return value.map { (name: name, value: $0) }
        }
    }

    public var names: [String] { values.map(\.name) }

    /// The first value of a name.
    subscript(name: String) -> JSONValue? { values.first { $0.name == name }?.value }

    func all(_ name: String) -> [JSONValue] { values.filter { $0.name == name }.map(\.value) }

    func text(_ name: String) -> String? { self[name]?.string }

    func flag(_ name: String) -> Bool { self[name].map { $0.boolean ?? $0.isString("true") } ?? false }

    /// - Throws: ``TerminologyOperationError/invalid(_:)`` where it is none from 0.
    func number(_ name: String) throws(TerminologyOperationError) -> Int? {
        guard let value = self[name] else { return nil }
        guard let number = value.integer ?? value.string.flatMap({ Int($0) }), number >= 0 else {
            throw .invalid("\(name) is not a number from 0")
        }
        return number
    }

    /// The codings that are asked about: `code` with `system`, `coding`, or those of `codeableConcept`.
    func codings(defaultSystem: String?) -> [AskedCoding] {
        if let concept = self["codeableConcept"] {
            return concept.elements(of: "coding").compactMap { AskedCoding($0) }
        }
        if let coding = self["coding"] { return [AskedCoding(coding)].compactMap { $0 } }
        guard let code = text("code") else { return [] }
        var coding = AskedCoding(
            system: text("system") ?? defaultSystem,
            code: code,
            display: text("display")
        )
        coding.version = text("systemVersion")
        return [coding]
    }

    /// The versions that are asked for, each as `system|version`.
    var versions: CodeSystemVersions {
        var versions = CodeSystemVersions()
        func read(_ name: String) -> [String: String] {
            var found: [String: String] = [:]
            for canonical in all(name).compactMap(\.string).map(CanonicalURL.init) {
                found[canonical.url] = canonical.version
            }
            return found
        }
        versions.defaults = read("system-version")
        versions.checked = read("check-system-version")
        versions.forced = read("force-system-version")
        return versions
    }
}

/// A coding that an operation is about.
struct AskedCoding: Sendable {
    var system: String?
    var code: String
    var display: String?
    var version: String?

    init(system: String?, code: String, display: String?) {
        self.system = system
        self.code = code
        self.display = display
    }

    init?(_ json: JSONValue) {
        guard let code = json.member("code")?.string else { return nil }
        self.code = code
        system = json.member("system")?.string
        display = json.member("display")?.string
        version = json.member("version")?.string
    }
}

/// Why an operation has no result.
public enum TerminologyOperationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A parameter is missing or not understood.
    case invalid(String)
    /// The terminology has no answer.
    case terminology(TerminologyError)

    public var description: String {
        switch self {
        case .invalid(let text): text
        case .terminology(let error): error.description
        }
    }

    /// FHIR's code of the kind of issue.
    public var issueCode: String {
        switch self {
        case .invalid: "invalid"
        case .terminology(let error):
            switch error {
            case .unknownValueSet, .unknownCodeSystem, .unknownCode, .otherVersion: "not-found"
            case .notEnumerable, .tooManyCodes, .tooManySteps: "too-costly"
            case .cycle, .filter, .malformed: "processing"
            }
        }
    }

    /// The status of an HTTP response.
    public var status: Int {
        switch issueCode {
        case "invalid": 400
        case "not-found": 404
        default: 422
        }
    }
}

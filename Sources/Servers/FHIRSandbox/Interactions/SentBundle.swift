import OrderedJSON

/// A batch or a transaction that a client sent.
struct SentBundle: Sendable {
    enum Kind: String, Sendable {
        /// Entries that are done each by itself.
        case batch
        /// Entries that are all done, or none of them.
        case transaction
    }

    let kind: Kind
    let entries: [JSONValue]
    /// What it came with.
    let request: SandboxRequest

    /// - Throws: ``FHIRFailure`` for what is neither, and for one of too many entries.
    init(_ request: SandboxRequest, limits: FHIRSandboxLimits) throws(FHIRFailure) {
        let bundle = try request.resource(of: "Bundle")
        guard let kind = bundle.member("type")?.string.flatMap(Kind.init) else {
            throw FHIRFailure(
                400,
                "value",
                "the type of a Bundle sent here is batch or transaction",
                at: "Bundle.type"
            )
        }
        var entries: [JSONValue] = []
        for entry in bundle.elements(of: "entry") {
            entries.append(entry)
            guard entries.count <= limits.entries else {
                throw .tooCostly("a Bundle has at most \(limits.entries) entries", status: 413)
            }
        }
        self.kind = kind
        self.entries = entries
        self.request = request
    }
}

/// How far a batch is done.
struct BatchProgress: Sendable {
    let bundle: SentBundle
    /// The responses to the first entries.
    private(set) var responses: [JSONValue] = []
    /// The bytes of the resources that the entries read and wrote.
    private(set) var bytes = 0

    init(_ bundle: SentBundle) { self.bundle = bundle }

    var isDone: Bool { responses.count == bundle.entries.count }

    mutating func add(_ response: JSONValue, bytes: Int) {
        responses.append(response)
        self.bytes += bytes
    }

    /// Ends it: no further entry is done.
    mutating func stop(_ failure: FHIRFailure) {
        while !isDone { responses.append(Self.response(failure, at: responses.count)) }
    }

    /// The response to an entry that was not done.
    static func response(_ failure: FHIRFailure, at index: Int) -> JSONValue {
        var failure = failure
        if failure.expression == nil { failure.expression = "Bundle.entry[\(index)]" }
        return [
            "response": ["status": JSONValue(Session.statusText(failure.status)), "outcome": failure.outcome]
        ]
    }
}

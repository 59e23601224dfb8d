import Foundation
import HTTPTypes
import IndivoBase

/// A call of the Indivo API, described once: everything that a request needs beyond its arguments.
///
/// ```swift
/// for call in IndivoCall.all { print(call.number ?? 0, call.name, call.method, call.path) }
/// IndivoCall.matching(.get, "/records/r-1/documents/")?.name      // "record_document_list"
/// ```
public struct IndivoCall: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// In whose name a call is signed.
    public enum Signer: String, Sendable, Hashable {
        /// Nobody's: anyone may call.
        case nobody
        /// The app's own (two-legged).
        case app
        /// The app's on behalf of whoever granted the token (three-legged).
        case token
    }

    /// What a call's query may hold.
    public enum Query: String, Sendable, Hashable {
        /// Nothing.
        case none
        /// `limit` and `offset`.
        case paging
        /// `type`, `status`, `order_by` and paging.
        case documents
        /// `status` alone.
        case status
        /// The whole query API: filters, date ranges, grouping and aggregation, besides order and paging.
        case report
        /// `response_format`.
        case format
        /// Parameters that only this call has.
        case own
    }

    /// What a call is sent as its body.
    public enum Body: String, Sendable, Hashable {
        /// Nothing.
        case none
        /// A document: XML, text or anything else, by its content type.
        case document
        /// XML and nothing else.
        case xml
        /// Plain text.
        case text
        case form
    }

    /// What a call responds with when it succeeds.
    public enum Response: String, Sendable, Hashable {
        /// `<ok/>`.
        case ok
        /// A document's metadata: `Document`.
        case metadata
        /// A list of documents' metadata: `Documents`.
        case documents
        /// A document, as it was stored.
        case content
        /// Models, in SDMX or SDMJ.
        case models
        /// The minimal reports' `Reports`.
        case reports
        /// A graph in RDF/XML.
        case graph
        /// Another element, named by the call.
        case element
        /// JSON that is not a model.
        case json
        /// Plain text.
        case text
        /// A token, form-encoded.
        case token
    }

    /// Its number among the 41 record calls that a user app may make; `nil` for every other call.
    public var number: Int? { Self.numbers[name] }
    /// The server's name for it.
    public let name: String
    public let method: HTTPRequest.Method
    /// The path, with variables in braces. A slash at the end matters.
    public internal(set) var path: String
    /// In whose name it is signed.
    public let signer: Signer
    /// What its query may hold.
    public let query: Query
    /// What is sent with it.
    public let body: Body
    /// What a server responds with.
    public let response: Response
    /// The Swift method that makes it, such as `IndivoRecord.information()`.
    package let swift: String
    /// Whether servers keep the call only for old apps.
    public let isDeprecated: Bool
    /// Whether it may be retried when its outcome is unknown.
    let repetition: Repetition
    /// What to try when the server responds with 404, where the status alone does not say enough.
    let notFoundHint: String?

    public var id: String { name }

    /// Whether the library retries it when the response is lost: it only reads, or stores under an external
    /// id.
    public var isRetryable: Bool { repetition != .never }

    init(
        _ name: String,
        _ method: HTTPRequest.Method,
        _ path: String,
        as signer: Signer = .token,
        query: Query = .none,
        body: Body = .none,
        _ response: Response,
        _ swift: String,
        deprecated: Bool = false,
        repeated repetition: Repetition? = nil,
        notFoundHint: String? = nil
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.signer = signer
        self.query = query
        self.body = body
        self.response = response
        self.swift = swift
        self.isDeprecated = deprecated
        self.repetition = repetition ?? (method == .get ? .freely : .never)
        self.notFoundHint = notFoundHint
    }

    /// Every call that the library knows: the 41 by their numbers, then the others.
    public static let all = recordCalls + otherCalls

    private static let numbers = Dictionary(uniqueKeysWithValues: zip(recordCalls.map(\.name), 1...))

    /// The call of a name, as the server has it.
    public static func named(_ name: String) -> IndivoCall? { all.first { $0.name == name } }

    /// The call that a request makes.
    /// - Parameter path: The request's path, with or without a query.
    public static func matching(_ method: HTTPRequest.Method, _ path: String) -> IndivoCall? {
        let path = path.prefix { $0 != "?" }
        // Where a path fits two templates, the one with fewer variables was meant.
        return all.filter { $0.method == method && $0.variables(in: path) != nil }
            .min { $0.variableNames.count < $1.variableNames.count }
    }

    /// The name of a call that is not in ``all``.
    static let unknownName = "call"

    /// The values of the template's variables in a path, or `nil` when the path is of another call.
    public func variables(in path: some StringProtocol) -> [String: String]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let templates = self.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == templates.count else { return nil }
        var values: [String: String] = [:]
        for (part, template) in zip(parts, templates) where part != template {
            guard template.hasPrefix("{"), !part.isEmpty else { return nil }
            values[String(template.dropFirst().dropLast())] = String(part)
        }
        return values
    }

    /// The names of the path's variables, in order.
    public var variableNames: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// Number, name, method and path.
    public var description: String { (number.map { "\($0) " } ?? "") + "\(name): \(method) \(path)" }

    /// The call that looks up whether the server has carried out this one, if no response shows it.
    var lookUp: IndivoCall? { Self.lookUps[name] }

    private static let lookUps = [
        documentCreateByExternalID.name: recordDocumentMetaByExternalID,
        documentCreateByRelWithExternalID.name: recordDocumentMetaByExternalID,
        documentVersionByExternalID.name: recordDocumentMetaByExternalID,
        recordAppDocumentCreateOrUpdateByExternalID.name: recordAppDocumentMetaByExternalID,
        appDocumentCreateOrUpdateByExternalID.name: appDocumentMetaByExternalID,
        recordDocumentLabel.name: recordDocumentMeta,
        recordDocumentLabelByExternalID.name: recordDocumentMetaByExternalID,
        recordAppDocumentLabel.name: recordAppDocumentMeta, appDocumentLabel.name: appDocumentMeta,
        documentSetStatus.name: documentStatusHistory,
    ]

    /// Whether it stores a new version of a document.
    var replacesVersion: Bool {
        name == Self.documentVersion.name || name == Self.documentVersionByExternalID.name
    }

    /// Whether its responses hold secrets.
    var givesTokens: Bool { path.hasPrefix("/oauth/") || path.hasSuffix("/access_token") }

    /// The error for an argument that no server would accept; nothing was sent.
    func refused(_ why: String) -> IndivoError { IndivoError(.badArgument(why), call: self) }

    /// Runs code that fails on a bad argument, and converts its error.
    func checked<Value>(_ body: () throws -> Value) throws(IndivoError) -> Value {
        do { return try body() } catch { throw refused("\(error)") }
    }

    /// Runs code that reads or writes documents, and converts its errors into errors of this call. What the
    /// documents contain goes only into the details for the developer.
    func converting<Value>(_ what: String, _ body: () throws -> Value) throws(IndivoError) -> Value {
        do {
            return try body()
        } catch let error as IndivoError {
            throw error
        } catch {
            let reason = (error as? DocumentError)?.withoutValue
            var failure = refused(what + (reason.map { ": \($0)" } ?? "; debugDetails has the reason"))
            failure.details.append("\(error)")
            throw failure
        }
    }

    /// - Throws: ``IndivoError`` with `why`, unless a condition holds; nothing is sent then.
    func require(_ isMet: Bool, _ why: @autoclosure () -> String) throws(IndivoError) {
        if !isMet { throw refused(why()) }
    }

    /// - Throws: ``IndivoError`` for a text that is too long; a server responds with 500 to it.
    func check(_ text: String, _ what: String = "a label", atMost limit: Int = 100) throws(IndivoError) {
        // A server counts as its database does, by code points.
        let count = text.unicodeScalars.count
        try require(count <= limit, "\(what) has at most \(limit) characters, this one \(count)")
    }
}

/// Whether a call may be retried when its outcome is unknown.
enum Repetition: Sendable, Hashable {
    /// It may have been done, and would be done twice.
    case never
    /// The call only reads, or has the same effect however often it is sent.
    case freely
    /// The call stores under an external id, and would be refused if an earlier attempt had arrived: the
    /// library looks the id up first.
    case afterLookingUp
    /// The call has an id of its own, and a server refuses to carry it out twice: that refusal counts as a
    /// success.
    case untilRefusedAsDuplicate
}

/// Fills a call's path template.
enum CallPath {
    /// Whether an Indivo server can verify a byte in a path. It signs the decoded path: it fails on anything
    /// beyond ASCII, takes an escaped `/` for the end of a segment, and ignores what follows `?`, `#` or `;`.
    private static func isVerified(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && !"/?#;".utf8.contains(byte)
    }

    /// A text, percent-encoded for the request line. The characters that a path may hold (RFC 3986, section
    /// 3.3) stay, except `;`.
    private static func escaped(_ text: String) -> String {
        PercentEncoding.encode(text, keeping: "!$&'()*+,=:@/")
    }

    /// - Throws: ``IndivoError`` when a variable has no value, or one that cannot stand in a path.
    static func fill(_ call: IndivoCall, _ variables: [String: String]) throws(IndivoError) -> String {
        try call.path.split(separator: "/", omittingEmptySubsequences: false).map {
            (part) throws(IndivoError) in
            guard part.hasPrefix("{") else { return String(part) }
            let name = String(part.dropFirst().dropLast())
            guard let value = variables[name] else {
                throw call.refused("the path needs a value for “\(name)”")
            }
            let noun = nouns[name] ?? name + " id"
            try call.require(
                !["", ".", ".."].contains(value),
                "the \(noun) is \(value.isEmpty ? "empty" : "“\(value)”"), which cannot stand in a path; "
                    + "give one with other characters"
            )
            try check(value, noun, of: call, isVerified)
            return escaped(value)
        }.joined(separator: "/")
    }

    /// A whole path, given with nothing escaped, as it goes into the request line.
    static func escape(_ path: String, of call: IndivoCall) throws(IndivoError) -> String {
        try check(path, "path", of: call) { isVerified($0) || $0 == UInt8(ascii: "/") }
        return escaped(path)
    }

    private static func check(_ text: String, _ noun: String, of call: IndivoCall, _ isGood: (UInt8) -> Bool)
        throws(IndivoError)
    {
        let scalars = text.unicodeScalars
        guard let index = scalars.firstIndex(where: { !$0.isASCII || !isGood(UInt8($0.value)) }) else {
            return
        }
        // No more than one character is named: the text may come from a response, and break a log's lines.
        throw call.refused(
            "the \(noun) has at position \(scalars.distance(from: scalars.startIndex, to: index) + 1) "
                + "a character (U+\(String(format: "%04X", scalars[index].value))) that cannot be signed "
                + "for an Indivo server in a path; use ASCII without /, ?, #, ; and control characters"
        )
    }

    /// The names of path variables in errors, where “id” after the variable's own name would be wrong.
    private static let nouns = [
        "code": "measurement code", "model": "model's name", "function": "function's name",
        "relation": "relation",
        "number": "attachment's number", "other": "related document's id",
    ]
}

import FHIR
import Foundation
import HTTPTypes
import IndivoBase

/// What is asked of a server, before it is addressed and authorised.
struct FHIRRequest: Sendable {
    /// What is sent along.
    struct Body: Sendable {
        var bytes: Data
        var contentType: String

        static func resource(_ resource: some FHIRResource) -> Body {
            Body(bytes: resource.json(), contentType: "application/fhir+json; charset=utf-8")
        }

        static func form(_ form: FormParameters) -> Body {
            Body(bytes: Data(form.encoded.utf8), contentType: FormParameters.contentType)
        }
    }

    /// FHIR's name of the interaction.
    var interaction: String
    var method: HTTPRequest.Method
    /// The path below the base, as segments that are not escaped.
    var path: [String]
    /// The path without ids, for errors and logs.
    var shape: String
    var query = FormParameters()
    var fields = HTTPFields()
    var body: Body?
    var retry: RetryRule
    /// Path and query to request instead of `path` and `query`: a link that the server gave.
    var link: String?

    /// - Parameter path: Segments; those that are types or begin with `_` or `$` stay in the shape, others
    ///   are `[id]`.
    init(
        _ interaction: String,
        _ method: HTTPRequest.Method,
        _ path: [String],
        query: FormParameters = FormParameters(),
        body: Body? = nil,
        retry: RetryRule
    ) {
        self.interaction = interaction
        self.method = method
        self.path = path
        shape = path.enumerated()
            .map { index, segment in
                let isName = index == 0 || segment.hasPrefix("_") || segment.hasPrefix("$")
                return isName ? segment : path[index - 1] == "_history" ? "[version]" : "[id]"
            }
            .joined(separator: "/")
        self.query = query
        self.body = body
        self.retry = retry
    }

    /// Whether it may change something on the server. A search by POST does not, nor an operation that only
    /// computes.
    var changes: Bool {
        switch method {
        case .get, .head: false
        case .post where retry == .freely: !path.contains { $0.hasPrefix("_") || $0.hasPrefix("$") }
        default: true
        }
    }

    /// Path and query behind the base's path.
    var target: String {
        let path = path.map { PercentEncoding.encode($0).replacing("%24", with: "$") }.joined(separator: "/")
        return (path.isEmpty ? "" : "/" + path) + (query.isEmpty ? "" : "?" + query.encoded)
    }
}

extension FHIRRequest {
    /// A type as a segment.
    /// - Throws: ``FHIRClientError`` for what cannot be a type.
    static func checked(type: String, _ interaction: String) throws(FHIRClientError) -> String {
        guard !type.isEmpty, type.utf8.count <= 64, type.utf8.allSatisfy(\.isASCIILetter) else {
            throw bad("the type of a resource has only letters, as in Patient", interaction)
        }
        return type
    }

    /// An id or version as a segment (R4, data type `id`).
    /// - Throws: ``FHIRClientError`` for what cannot be one.
    static func checked(id: String?, _ interaction: String) throws(FHIRClientError) -> String {
        guard let id, !id.isEmpty else { throw bad("the resource has no id", interaction) }
        let isValid =
            id.utf8.count <= 64 && id != "." && id != ".."
            && id.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.".utf8.contains($0) }
        guard isValid else {
            throw bad("an id has 1 to 64 letters, digits, “-” and “.”", interaction)
        }
        return id
    }

    static func bad(_ what: String, _ interaction: String) -> FHIRClientError {
        FHIRClientError(.badArgument(what), FHIRRequest(interaction, .get, [], retry: .freely))
    }
}

import FHIR
import Foundation
import HTTPCalls
import HTTPTypes
import OrderedJSON

/// A successful response: status, fields, and the resource, if there is one.
struct FHIRReply: Sendable {
    let request: FHIRRequest
    let status: Int
    let fields: HTTPFields
    let resource: AnyResource?
    /// How many times the request was sent.
    var attempts = 1

    /// - Throws: ``FHIRClientError`` for what is no success, or not FHIR.
    init(_ http: HTTPAnswer, to request: FHIRRequest, options: FHIRClient.Options) throws(FHIRClientError) {
        self.request = request
        status = http.status
        fields = http.response.headerFields
        let content = FHIRContent(http, limits: options.limits)
        guard (200..<300).contains(status) || status == 304 else {
            var error = FHIRClientError(.init(status: status), request)
            error.status = status
            if case .resource(let resource) = content { error.outcome = resource.as(OperationOutcome.self) }
            error.retryAfter = http.retryAfter(now: options.timing.now())
            throw error
        }
        switch content {
        case .empty: resource = nil
        case .resource(let resource): self.resource = resource
        // What was created is known by its location, whatever a server writes for people beside it.
        case .other where status == 201 && fields[.location] != nil,
            .other where status == 204 || status == 304:
            resource = nil
        case .other(let what): throw Self.malformed(what, request, status)
        }
    }

    private static func malformed(_ what: String, _ request: FHIRRequest, _ status: Int) -> FHIRClientError {
        var error = FHIRClientError(.malformedResponse(what), request)
        error.status = status
        return error
    }

    /// An error about the content.
    func malformed(_ what: String) -> FHIRClientError {
        var error = Self.malformed(what, request, status)
        error.outcome = resource?.as(OperationOutcome.self)
        error.attempts = attempts
        return error
    }

    /// The resource as one of a type.
    /// - Throws: ``FHIRClientError`` when there is none, or another.
    func the<Resource: FHIRResource>(_ type: Resource.Type) throws(FHIRClientError) -> Resource {
        guard let resource else {
            throw malformed("it is empty, and should be a resource of type \(type.typeName)")
        }
        guard let resource = resource.as(type) else {
            throw malformed("it should be a resource of type \(type.typeName)")
        }
        return resource
    }

    /// The version in `ETag: W/"3"`.
    var versionID: String? {
        guard var tag = fields[.eTag]?[...] else { return nil }
        if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
        guard tag.utf8.count > 2, tag.first == "\"", tag.last == "\"" else { return nil }
        let version = String(tag.dropFirst().dropLast())
        return (try? FHIRRequest.checked(id: version, "")) == nil ? nil : version
    }
}

/// What the body of a response is.
enum FHIRContent: Sendable {
    case empty
    case resource(AnyResource)
    /// Something else; the text says what, without any of it.
    case other(String)

    init(_ http: HTTPAnswer, limits: JSONLimits) {
        guard !http.body.isEmpty else {
            self = .empty
            return
        }
        if let coding = http.response.headerFields[.contentEncoding], coding.lowercased() != "identity" {
            self = .other("it is compressed, which was not asked for")
            return
        }
        let type = http.response.headerFields[.contentType].map(Self.mediaType)
        guard let type, Self.types.contains(type) else {
            self = .other(
                type.map { "its content type is \($0.prefix(60)), not application/fhir+json" }
                    ?? "it has no content type"
            )
            return
        }
        do {
            let tree = try JSONValue(parsing: http.body, limits: limits)
            guard let resource = AnyResource(tree: tree) else {
                self = .other("it is JSON, but not a resource")
                return
            }
            self = .resource(resource)
        } catch {
            self = .other("it is not JSON: \(error)")
        }
    }

    private static let types: Set = [
        "application/fhir+json", "application/json", "application/json+fhir", "text/json",
        "application/problem+json",
    ]

    /// The type without parameters, in lower case.
    private static func mediaType(_ field: String) -> String {
        field.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
}

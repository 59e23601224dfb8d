import Foundation
import OrderedJSON

/// An entry of a batch or transaction, as a request.
struct BundleEntry {
    /// Where it is in the Bundle.
    var index: Int
    var fullURL: String?
    var method: String
    var request: SandboxRequest
    /// The type and id that a create or a conditional update gets, or that of what its condition matches.
    var assigned: (type: String, id: String)?

    var expression: String { "Bundle.entry[\(index)]" }

    init(_ json: JSONValue, index: Int, in bundle: SentBundle, bases: [String]) throws(FHIRFailure) {
        let expression = "Bundle.entry[\(index)]"
        guard let head = json.member("request"), let method = head.member("method")?.string,
            let url = head.member("url")?.string
        else {
            throw FHIRFailure(
                400,
                "required",
                "the entry has no request with method and url",
                at: expression + ".request"
            )
        }
        var rest = url[...]
        if let base = bases.first(where: { url.hasPrefix($0) }) { rest = rest.dropFirst(base.count) }
        if rest.hasPrefix("/") { rest = rest.dropFirst() }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init
        )
        do throws(FHIRFailure) {
            let query = parts.count > 1 ? try QueryItems(parsing: parts[1]) : QueryItems()
            let path = (parts.first ?? "").split(separator: "/", omittingEmptySubsequences: true).map(
                String.init
            )
            self.index = index
            self.method = method
            fullURL = json.member("fullUrl")?.string
            guard ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].contains(method) else {
                throw FHIRFailure(400, "value", "FHIR does not use the method")
            }
            request = SandboxRequest(
                interaction: try Interaction(method, path, isConditional: query.isCondition)
            )
            request.query = query
            request.isLenient = bundle.request.isLenient
            request.ifMatch = head.member("ifMatch")?.string
            request.ifNoneMatch = head.member("ifNoneMatch")?.string
            request.ifModifiedSince = head.member("ifModifiedSince")?.string
            request.ifNoneExist = head.member("ifNoneExist")?.string
            request.body = try json.member("resource").map { resource throws(FHIRFailure) in
                try Self.body(resource, method)
            }
        } catch {
            var failure = error
            failure.expression = expression + ".request"
            throw failure
        }
    }

    /// A patch is a Binary with its JSON in base 64 (FHIR R4, transaction).
    private static func body(_ resource: JSONValue, _ method: String) throws(FHIRFailure)
        -> SandboxRequest.Body
    {
        guard method == "PATCH" else { return .resource(resource) }
        guard resource.member("resourceType")?.isString("Binary") == true,
            resource.member("contentType")?.string?.hasPrefix("application/json-patch+json") == true,
            let bytes = resource.member("data")?.string.flatMap({ Data(base64Encoded: $0) }),
            let patch = try? JSONValue(parsing: bytes)
        else {
            throw FHIRFailure(
                415,
                "not-supported",
                "a patch in a Bundle is a Binary of application/json-patch+json"
            )
        }
        return .patch(patch)
    }
}

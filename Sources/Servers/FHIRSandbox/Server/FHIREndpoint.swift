import FHIR
import FHIRXML
import Foundation
import GRDB
import IndivoXML
import OrderedJSON
import WebServing

/// The REST interface: HTTP requests to interactions, and their results to HTTP responses.
struct FHIREndpoint: Sendable {
    let server: ServerState
    /// The path under which the interface is: `/fhir`.
    static let root = "fhir"

    /// - Parameter segments: The decoded segments of the path below ``root``.
    /// - Parameter access: What the client's token opens; nil for everything.
    func respond(
        to request: Request,
        _ segments: [String],
        base: String,
        access: SMARTAccess? = nil
    ) async -> Response {
        var format = ResponseFormat()
        do {
            let bulk = BulkEndpoint(server: server)
            if let response = try await bulk.respond(to: request, segments, base: base, access: access) {
                return response
            }
            format = try ResponseFormat(request)
            let asked = try read(request, segments)
            let response = try await server.perform(asked, base: base, access: access)
            return http(response, asked, base: base, format)
        } catch let failure as FHIRFailure {
            return self.failure(failure, format)
        } catch {
            server.logFailure(error)
            return self.failure(FHIRFailure(500, "exception", "the server failed; its log says how"), format)
        }
    }

    func failure(_ failure: FHIRFailure, _ format: ResponseFormat = ResponseFormat()) -> Response {
        var response = format.response(failure.status, failure.outcome)
        response.headers += failure.headers
        return response
    }

    // MARK: Requests

    private func read(_ http: Request, _ segments: [String]) throws(FHIRFailure) -> SandboxRequest {
        let limits = server.configuration.limits
        guard http.rawQuery.utf8.count <= limits.query else {
            throw .tooCostly("a query has at most \(limits.query) bytes; search with POST and fewer values")
        }
        var query = try QueryItems(parsing: http.rawQuery)
        var request = SandboxRequest(
            interaction: try Interaction(http.method, segments, isConditional: query.isCondition)
        )
        let type = MediaType(http.header("Content-Type") ?? "")
        switch request.interaction {
        case .search, .everything:
            guard http.method == "POST", !http.body.isEmpty else { break }
            guard type.name == "application/x-www-form-urlencoded" else {
                throw FHIRFailure(
                    415,
                    "not-supported",
                    "a search by POST is application/x-www-form-urlencoded"
                )
            }
            guard http.body.count <= limits.query else {
                throw .tooCostly("a query has at most \(limits.query) bytes")
            }
            query.items += try QueryItems(parsing: String(decoding: http.body, as: UTF8.self)).items
        case .patch, .conditionalPatch:
            guard type.name == "application/json-patch+json" else {
                throw FHIRFailure(415, "not-supported", "a patch is application/json-patch+json")
            }
            request.body = .patch(try json(http.body, type))
        case .create, .update, .conditionalUpdate, .bundle:
            request.body = .resource(try resource(http.body, type))
        case .validate, .terminology:
            if !http.body.isEmpty { request.body = .resource(try resource(http.body, type)) }
        case .capabilities, .read, .vread, .delete, .conditionalDelete, .history: break
        }
        query.items.removeAll { $0.name == "_format" || $0.name == "_pretty" }
        request.query = query
        request.ifMatch = http.header("If-Match")
        request.ifNoneMatch = http.header("If-None-Match")
        request.ifNoneExist = http.header("If-None-Exist")
        request.ifModifiedSince = http.header("If-Modified-Since")
        for preference in (http.header("Prefer") ?? "").split(whereSeparator: { $0 == "," || $0 == ";" }) {
            let pair = preference.split(separator: "=", maxSplits: 1).map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " \""))
            }
            guard pair.count == 2 else { continue }
            if pair[0].lowercased() == "return" { request.returns = .init(rawValue: pair[1]) }
            if pair[0].lowercased() == "handling" { request.isLenient = pair[1].lowercased() == "lenient" }
        }
        return request
    }

    private func resource(_ body: Data, _ type: MediaType) throws(FHIRFailure) -> JSONValue {
        switch ResponseFormat.Syntax(type.name) {
        case .json: return try json(body, type)
        case .xml: return try xml(body)
        case nil:
            throw FHIRFailure(
                415,
                "not-supported",
                "a resource is application/fhir+json or application/fhir+xml"
            )
        }
    }

    private func xml(_ body: Data) throws(FHIRFailure) -> JSONValue {
        let limits = server.configuration.limits
        var xml = XMLLimits()
        xml.inputBytes = limits.body
        xml.depth = limits.depth
        let tree: JSONValue
        do throws(FHIRXMLError) {
            tree = try AnyResource(parsingXML: body, limits: xml).tree
        } catch {
            throw FHIRFailure(400, "structure", "the body is not FHIR's XML: \(error)")
        }
        guard tree.isAtMost(depth: limits.depth) else {
            throw .tooCostly("a resource has at most \(limits.depth) elements inside each other")
        }
        return tree
    }

    private func json(_ body: Data, _ type: MediaType) throws(FHIRFailure) -> JSONValue {
        if let charset = type.charset, charset != "utf-8", charset != "utf8", charset != "us-ascii" {
            throw FHIRFailure(415, "not-supported", "the body is not in UTF-8")
        }
        do throws(JSONError) {
            return try JSONValue(parsing: body, limits: .of(server.configuration.limits))
        } catch {
            throw FHIRFailure(400, "structure", "the body is not JSON: \(error)")
        }
    }

    // MARK: Responses

    private func http(
        _ response: FHIRResponse,
        _ request: SandboxRequest,
        base: String,
        _ format: ResponseFormat
    ) -> Response {
        var body = response.resource
        if response.isWritten {
            switch request.returns {
            case .minimal: body = nil
            case .operationOutcome: body = response.outcome
            case .representation, nil: break
            }
        } else if body == nil, request.returns != .minimal {
            body = response.outcome
        }
        if response.status == 304 { body = nil }
        var http = format.response(response.status, body)
        if let version = response.version {
            http = http.adding("ETag", version.etag).adding("Last-Modified", version.at.httpDate)
            if response.hasLocation {
                http = http.adding("Location", "\(base)/\(version.path)/_history/\(version.version)")
            }
        }
        return http
    }
}

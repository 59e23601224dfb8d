import FHIR
import Foundation
import GRDB
import HTTPServing
import OrderedJSON

/// The REST interface: HTTP requests to interactions, and their results to HTTP responses.
struct FHIREndpoint: Sendable {
    let server: ServerState
    /// The path under which the interface is: `/fhir`.
    static let root = "fhir"

    /// - Parameter segments: The decoded segments of the path below ``root``.
    func respond(to request: Request, _ segments: [String], base: String) async -> Response {
        var format = ResponseFormat()
        do {
            format = try ResponseFormat(request)
            let asked = try read(request, segments)
            let response = try await server.perform(asked, base: base)
            return http(response, asked, base: base, format)
        } catch let failure as FHIRFailure {
            return self.failure(failure, format)
        } catch {
            server.logger.error("\(request.method) failed: \(type(of: error))")
            return self.failure(FHIRFailure(500, "exception", "the server failed; its log says how"), format)
        }
    }

    func failure(_ failure: FHIRFailure, _ format: ResponseFormat = ResponseFormat()) -> Response {
        var response = format.response(failure.status, failure.outcome)
        response.headers += failure.headers
        return response
    }

    // MARK: Requests

    private func read(_ http: Request, _ segments: [String]) throws(FHIRFailure) -> FHIRRequest {
        let limits = server.configuration.limits
        guard http.rawQuery.utf8.count <= limits.query else {
            throw .tooCostly("a query has at most \(limits.query) bytes; search with POST and fewer values")
        }
        var query = try QueryItems(parsing: http.rawQuery)
        // What says how to respond is no condition.
        let isConditional = query.items.contains { !["_format", "_pretty"].contains($0.name) }
        var request = FHIRRequest(interaction: try Interaction(http.method, segments, isConditional: isConditional))
        let type = MediaType(http.header("Content-Type") ?? "")
        switch request.interaction {
        case .search, .everything:
            guard http.method == "POST", !http.body.isEmpty else { break }
            guard type.name == "application/x-www-form-urlencoded" else {
                throw FHIRFailure(415, "not-supported", "a search by POST is application/x-www-form-urlencoded")
            }
            guard http.body.count <= limits.query else { throw .tooCostly("a query has at most \(limits.query) bytes") }
            query.items += try QueryItems(parsing: String(decoding: http.body, as: UTF8.self)).items
        case .patch, .conditionalPatch:
            guard type.name == "application/json-patch+json" else {
                throw FHIRFailure(415, "not-supported", "a patch is application/json-patch+json")
            }
            request.body = .patch(try json(http.body, type))
        case .create, .update, .conditionalUpdate, .bundle:
            request.body = .resource(try resource(http.body, type))
        case .validate:
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
            if pair[0].lowercased() == "handling" { request.isStrict = pair[1] == "strict" }
        }
        return request
    }

    private func resource(_ body: Data, _ type: MediaType) throws(FHIRFailure) -> JSONValue {
        guard ["application/fhir+json", "application/json", "text/json", "application/json+fhir"].contains(type.name) else {
            throw FHIRFailure(415, "not-supported", "a resource is application/fhir+json")
        }
        return try json(body, type)
    }

    private func json(_ body: Data, _ type: MediaType) throws(FHIRFailure) -> JSONValue {
        if let charset = type.charset, charset != "utf-8", charset != "utf8", charset != "us-ascii" {
            throw FHIRFailure(415, "not-supported", "the body is not in UTF-8")
        }
        do throws(JSONError) {
            return try JSONValue(parsing: body, limits: .of(server.configuration.limits))
        } catch {
            throw FHIRFailure(400, "structure", "the body is no JSON: \(error)")
        }
    }

    // MARK: Responses

    private func http(_ response: FHIRResponse, _ request: FHIRRequest, base: String, _ format: ResponseFormat) -> Response {
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

/// `Content-Type`: the type in small letters, and the charset.
struct MediaType {
    var name: String
    var charset: String?

    init(_ text: String) {
        let parts = text.lowercased().split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        name = parts.first ?? ""
        charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
            .map { $0.dropFirst(8).trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
    }
}

/// How a client wants a response: JSON, with or without line ends.
struct ResponseFormat {
    var isPretty = false
    /// `application/json` for who asks for that.
    var type = "application/fhir+json; charset=utf-8"

    init() {}

    /// - Throws: 406 for a client that takes no JSON.
    init(_ request: Request) throws(FHIRFailure) {
        let query = try QueryItems(parsing: request.rawQuery)
        isPretty = query["_pretty"] == "true"
        let names: [String]
        if let format = query["_format"] {
            names = [format]
        } else {
            names = (request.header("Accept") ?? "*/*").split(separator: ",").map(String.init)
        }
        // A `+` in a URL's query is a space.
        let types = names.map { MediaType($0).name.replacing(" ", with: "+") }
        let json = ["json", "application/fhir+json", "application/json", "text/json", "application/json+fhir"]
        guard types.isEmpty || types.contains(where: { json.contains($0) || ["*/*", "application/*", ""].contains($0) })
        else { throw FHIRFailure(406, "not-supported", "this server responds with application/fhir+json alone") }
    }

    func response(_ status: Int, _ body: JSONValue?) -> Response {
        guard let body else { return Response(status: status) }
        return Response(status: status, type: type, body: Data(body.utf8(isPretty ? .pretty : .compact)))
    }
}

/// The words of a status.
func statusPhrase(_ status: Int) -> String { reasonPhrase(status) }

import Foundation
import OrderedJSON
import Synchronization
import Testing
import WebServing

@testable import FHIRSandbox

/// A sandbox's server without a port: requests go straight in.
struct TestServer {
    let state: ServerState
    let server: FHIRServer
    let clock = TestClock()

    init(_ change: (inout FHIRSandboxConfiguration) -> Void = { _ in }) throws {
        var configuration = FHIRSandboxConfiguration()
        configuration.now = { [clock] in clock.now }
        change(&configuration)
        state = try ServerState(configuration)
        server = FHIRServer(state)
    }

    /// Sends a request to a path below the base, or from the root when it starts with a slash.
    func send(
        _ method: String,
        _ path: String,
        _ headers: [String: String] = [:],
        type: String? = nil,
        body: String = ""
    ) async -> TestResponse {
        var names = ["host": "127.0.0.1:8080"]
        for (name, value) in headers { names[name.lowercased()] = value }
        if let type { names["content-type"] = type }
        let request = Request(
            method: method,
            target: path.hasPrefix("/") ? path : "/fhir/\(path)",
            headers: names,
            body: Data(body.utf8)
        )
        return TestResponse(await server.respond(request))
    }

    func get(_ path: String, _ headers: [String: String] = [:]) async -> TestResponse {
        await send("GET", path, headers)
    }

    func post(_ path: String, _ json: JSONValue, _ headers: [String: String] = [:]) async -> TestResponse {
        await send("POST", path, headers, type: "application/fhir+json", body: json.text())
    }

    func put(_ path: String, _ json: JSONValue, _ headers: [String: String] = [:]) async -> TestResponse {
        await send("PUT", path, headers, type: "application/fhir+json", body: json.text())
    }

    func patch(_ path: String, _ operations: JSONValue, _ headers: [String: String] = [:]) async
        -> TestResponse
    {
        await send("PATCH", path, headers, type: "application/json-patch+json", body: operations.text())
    }

    /// Stores resources under their ids.
    func store(_ resources: JSONValue...) async {
        for resource in resources {
            let path = "\(resource["resourceType"]?.string ?? "")/\(resource["id"]?.string ?? "")"
            let response = await put(path, resource)
            #expect(response.status == 201 || response.status == 200, "\(path): \(response.text)")
        }
    }

    /// The ids of what a search matches, in order.
    func found(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) async -> [String] {
        let response = await get(path)
        #expect(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
        return response.matches
    }
}

/// A clock that tests turn: a second with each look.
final class TestClock: Sendable {
    private let seconds = Mutex(1_795_000_000.0)
    var now: Date {
        seconds.withLock { seconds in
            seconds += 1
            return Date(timeIntervalSince1970: seconds)
        }
    }
}

struct TestResponse {
    let response: Response

    init(_ response: Response) { self.response = response }

    var status: Int { response.status }
    var text: String { String(decoding: response.body, as: UTF8.self) }
    var json: JSONValue { (try? JSONValue(parsing: response.body)) ?? .null }
    func header(_ name: String) -> String? { response.header(name) }

    var entries: [JSONValue] { json["entry"]?.elements.map(Array.init) ?? [] }

    func ids(mode: String) -> [String] {
        entries.filter { $0["search"]?["mode"]?.string == mode }.compactMap { $0["resource"]?["id"]?.string }
    }
    var matches: [String] { ids(mode: "match") }

    func link(_ relation: String) -> String? {
        json["link"]?.elements?.first { $0["relation"]?.string == relation }?["url"]?.string
    }

    /// The code of the first issue of an OperationOutcome.
    var issue: String? { json["issue"]?[0]?["code"]?.string }
    var diagnostics: String { json["issue"]?[0]?["diagnostics"]?.string ?? "" }
}

extension JSONValue {
    /// A patient for tests.
    static func patient(_ id: String?, family: String, given: String = "Ann", _ more: JSONValue = [:])
        -> JSONValue
    {
        var json: JSONValue = ["resourceType": "Patient"]
        if let id { json["id"] = JSONValue(id) }
        json["name"] = [["family": JSONValue(family), "given": [JSONValue(given)]]]
        for member in more.members ?? [] { json[member.name] = member.value }
        return json
    }

    static func observation(_ id: String?, of patient: String, _ more: JSONValue = [:]) -> JSONValue {
        var json: JSONValue = ["resourceType": "Observation"]
        if let id { json["id"] = JSONValue(id) }
        json["status"] = "final"
        json["code"] = [
            "coding": [["system": "http://loinc.org", "code": "29463-7", "display": "Body weight"]]
        ]
        json["subject"] = ["reference": JSONValue(patient)]
        for member in more.members ?? [] { json[member.name] = member.value }
        return json
    }
}

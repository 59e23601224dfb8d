import Foundation
import OrderedJSON
import Testing
import WebServing

@testable import FHIRSandbox

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Strangers at the FHIR sandbox's door")
struct StrangerTests {
    @Test("where tokens are demanded, only the CapabilityStatement is open without one")
    func tokens() async throws {
        let server = try TestServer { $0.tokens = ["secret-token", "other"] }
        for path in ["Patient", "Patient/p", "_history", "/", "/patients/p", "/resources/Patient/p"] {
            let response = await server.get(path)
            #expect(response.status == 401, "\(path)")
            #expect(
                response.header("WWW-Authenticate")?.hasPrefix(path.hasPrefix("/") ? "Basic" : "Bearer")
                    == true
            )
            #expect(!response.text.contains("secret-token"))
        }
        for wrong in [
            "Bearer secret-toke", "Bearer secret-token2", "Bearer ", "bearer", "Basic c2VjcmV0",
            "Bearer SECRET-TOKEN",
        ] {
            #expect(await server.get("Patient", ["Authorization": wrong]).status == 401, "\(wrong)")
        }
        #expect(await server.get("metadata").status == 200)
        #expect(await server.get("Patient", ["Authorization": "Bearer secret-token"]).status == 200)
        #expect(await server.get("Patient", ["Authorization": "bearer other"]).status == 200)
        let password = Data("any:secret-token".utf8).base64EncodedString()
        #expect(await server.get("/", ["Authorization": "Basic \(password)"]).status == 200)
        // A browser sends a password by itself, for pages of others too: it opens pages alone, which change
        // nothing.
        #expect(await server.get("Patient", ["Authorization": "Basic \(password)"]).status == 401)
    }

    @Test(
        "a name that is not this machine's gets nothing",
        arguments: [
            "evil.example", "127.0.0.1.evil.example", "evil.example:8080", "", "localhost.evil.example",
            "a b",
        ]
    )
    func rebinding(host: String) async throws {
        let server = try TestServer()
        #expect(await server.get("Patient", ["Host": host]).status == 403)
        #expect(await server.get("/", ["Host": host]).status == 403)
    }

    @Test("links have the name by which the client came")
    func hosts() async throws {
        let server = try TestServer()
        #expect(
            await server.get("Patient", ["Host": "localhost:99"]).link("self")
                == "http://localhost:99/fhir/Patient"
        )
    }

    @Test(
        "what comes into SQL are values, whatever they look like",
        arguments: [
            "Patient?name=x' OR 1=1 --", "Patient?_id=x') OR ('1'='1", "Patient?identifier=a'|b'",
            "Patient?_sort=name;DROP TABLE value",
            "Patient?name:contains=%25", "Patient?_elements=a'b", "Patient?_include=Patient:x'y",
            "Observation?value-quantity=1|'|'",
            "Patient?_has:Observation:patient:code='", "Patient?general-practitioner.name='\"",
        ]
    )
    func injection(query: String) async throws {
        let server = try TestServer()
        await server.store(.patient("p", family: "Moss"))
        let escaped =
            query.addingPercentEncoding(
                withAllowedCharacters: CharacterSet(charactersIn: "?=&_:.").union(.alphanumerics)
            ) ?? ""
        let response = await server.get(escaped)
        #expect(response.status == 200 || response.status == 400, "\(response.text)")
        let isCondition = !["_elements", "_sort", "_include"].contains { query.contains($0) }
        if response.status == 200, isCondition { #expect(response.matches.isEmpty) }
        #expect(await server.found("Patient?name=moss") == ["p"])
    }

    @Test("a resource that is too deep, or has too much to be found by, is refused")
    func bounds() async throws {
        let server = try TestServer {
            $0.limits.depth = 20
            $0.limits.indexedValues = 50
        }
        let deep = String(repeating: "{\"x\":", count: 40) + "1" + String(repeating: "}", count: 40)
        let tooDeep = await server.send(
            "POST",
            "Patient",
            type: "application/fhir+json",
            body: "{\"resourceType\":\"Patient\",\"a\":\(deep)}"
        )
        #expect(tooDeep.status == 400)
        let names = (0..<60).map { ["family": JSONValue("N\($0)")] as JSONValue }
        let tooMuch = await server.post("Patient", ["resourceType": "Patient", "name": JSONValue(names)])
        #expect(tooMuch.status == 422)
        #expect(tooMuch.issue == "too-costly")
        #expect(await server.get("Patient").json["total"]?.integer == 0)
    }

    @Test("a request that takes too long in the database is ended")
    func time() async throws {
        let server = try TestServer { $0.limits.seconds = 0 }
        // Enough rows for SQLite to look at the clock.
        let state = server.state
        try await state.database.writer.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                    INSERT INTO resource (type, name, version, updatedAt, isDeleted) SELECT 'Patient', 'p' \
                    || i, 1, 0, 0 FROM n
                    """
            )
        }
        let response = await server.get("Patient?_sort=_lastUpdated")
        #expect(response.status == 503)
        #expect(response.issue == "too-costly")
        // The next request on the same connection of the database is not hurt by it.
        #expect(await server.get("metadata").status == 200)
    }

    @Test("a body beyond the limit gets 413 with an OperationOutcome, over HTTP")
    func body() async throws {
        var configuration = FHIRSandboxConfiguration()
        configuration.limits.body = 10_000
        let sandbox = try await FHIRSandbox.start(configuration)
        var request = URLRequest(url: sandbox.baseURL.appending(path: "Patient"))
        request.httpMethod = "POST"
        request.setValue("application/fhir+json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(repeating: 0x20, count: 20_000)
        let (data, response) = try await URLSession.shared.data(for: request)
        await sandbox.stop()
        #expect((response as? HTTPURLResponse)?.statusCode == 413)
        #expect(try JSONValue(parsing: data)["issue"]?[0]?["code"]?.string == "too-costly")
    }

    @Test("a file is made for its owner alone, and keeps what was stored")
    func file() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "fhir-sandbox-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "fhir.sqlite")
        let first = try TestServer { $0.database = .file(url) }
        await first.store(.patient("p", family: "Moss"))
        let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try first.state.database.writer.close()
        let second = try TestServer { $0.database = .file(url) }
        #expect(await second.found("Patient?name=moss") == ["p"])
        try second.state.database.writer.close()
    }

    @Test(
        "a database behind a symbolic link is its owner's alone, also when it is new",
        arguments: [true, false]
    )
    func link(exists: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "fhir-sandbox-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appending(path: "target.sqlite")
        if exists { try Data().write(to: target) }
        let url = folder.appending(path: "link.sqlite")
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: target)
        let server = try TestServer { $0.database = .file(url) }
        await server.store(.patient("p", family: "Moss"))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name != "link.sqlite" {
            let file = folder.appending(path: name).path
            #expect(
                try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600,
                "\(name)"
            )
        }
        try server.state.database.writer.close()
    }
}

import Foundation
import OrderedJSON
import Synchronization
import Testing

@testable import FHIRSandbox

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Batches and transactions")
struct BundleTests {
    private func bundle(_ type: String, _ entries: JSONValue...) -> JSONValue {
        ["resourceType": "Bundle", "type": JSONValue(type), "entry": JSONValue(entries)]
    }

    private func entry(
        _ method: String,
        _ url: String,
        _ resource: JSONValue? = nil,
        fullURL: String? = nil,
        _ more: JSONValue = [:]
    ) -> JSONValue {
        var request: JSONValue = ["method": JSONValue(method), "url": JSONValue(url)]
        for member in more.members ?? [] { request[member.name] = member.value }
        var entry: JSONValue = [:]
        if let fullURL { entry["fullUrl"] = JSONValue(fullURL) }
        if let resource { entry["resource"] = resource }
        entry["request"] = request
        return entry
    }

    private func statuses(_ response: TestResponse) -> [String] {
        response.entries.map { String($0["response"]?["status"]?.string?.prefix(3) ?? "") }
    }

    @Test("references by urn:uuid become those of the created resources, in narrative too")
    func links() async throws {
        let server = try TestServer()
        let urn = "urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a"
        let identifier: JSONValue = [["system": "urn:ietf:rfc:3986", "value": JSONValue(urn)]]
        let observation = JSONValue.observation(
            nil,
            of: urn,
            [
                "text": [
                    "status": "generated",
                    "div": JSONValue(
                        "<div xmlns=\"http://www.w3.org/1999/xhtml\"><a href=\"\(urn)\">p</a> \(urn)</div>"
                    ),
                ],
                "identifier": identifier,
            ]
        )
        let response = await server.post(
            "",
            bundle(
                "transaction",
                entry("POST", "Observation", observation),
                entry("POST", "Patient", .patient(nil, family: "Moss"), fullURL: urn)
            )
        )
        #expect(response.status == 200)
        #expect(response.json["type"]?.string == "transaction-response")
        #expect(statuses(response) == ["201", "201"])
        let location = try #require(response.entries[1]["response"]?["location"]?.string)
        #expect(location.hasSuffix("/_history/1"))
        let patient = String(
            location.dropFirst("http://127.0.0.1:8080/fhir/".count).dropLast("/_history/1".count)
        )
        let stored = await server.get("Observation").entries[0]["resource"]
        #expect(stored?["subject"]?["reference"]?.string == patient)
        #expect(
            stored?["text"]?["div"]?.string
                == "<div xmlns=\"http://www.w3.org/1999/xhtml\"><a href=\"\(patient)\">p</a> \(urn)</div>"
        )
        #expect(stored?["identifier"] == identifier)
    }

    @Test(
        "a relative reference goes from the fullUrl of the entry that has it",
        arguments: [
            ("http://elsewhere.example/fhir/Observation/2", true),
            ("http://elsewhere.example/fhir/Observation/2/_history/1", true),
            ("http://other.example/fhir/Observation/2", false),
            ("urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0b", false),
            ("http://elsewhere.example/Observation", false),
        ]
    )
    func relativeLinks(fullURL: String, isFound: Bool) async throws {
        let server = try TestServer()
        let response = await server.post(
            "",
            bundle(
                "transaction",
                entry("POST", "Observation", .observation(nil, of: "Patient/1"), fullURL: fullURL),
                entry(
                    "POST",
                    "Patient",
                    .patient(nil, family: "Moss"),
                    fullURL: "http://elsewhere.example/fhir/Patient/1"
                )
            )
        )
        try #require(response.status == 200, "\(response.text)")
        let patient = try #require(await server.found("Patient").first)
        let reference = await server.get("Observation").entries[0]["resource"]?["subject"]?["reference"]?
            .string
        #expect(reference == (isFound ? "Patient/\(patient)" : "Patient/1"))
    }

    @Test(
        "what looks like a link in a narrative stays, wherever it stands",
        arguments: ["uurn:x", "urn:", "'urn:", "\"urn:"]
    )
    func noLinks(text: String) async throws {
        let server = try TestServer()
        let div =
            """
            <div xmlns="http://www.w3.org/1999/xhtml">\(text) <a href="urn:uuid:1">a</a> urn:uuid:1</div>
            """
        let patient = JSONValue.patient(
            nil,
            family: "A",
            ["text": ["status": "generated", "div": JSONValue(div)]]
        )
        let other = entry("POST", "Patient", .patient(nil, family: "B"), fullURL: "urn:uuid:1")
        let response = await server.post(
            "",
            bundle("transaction", entry("POST", "Patient", patient), other),
            ["Prefer": "return=representation"]
        )
        #expect(response.status == 200, "\(response.text)")
        let id = response.entries[1]["resource"]?["id"]?.string ?? "?"
        let stored = response.entries[0]["resource"]?["text"]?["div"]?.string
        #expect(
            stored == div.replacing("href=\"urn:uuid:1\"", with: "href=\"Patient/\(id)\""),
            "\(stored ?? "")"
        )
    }

    @Test("the fragment of a reference by urn:uuid stays")
    func fragments() async throws {
        let server = try TestServer()
        let urn = "urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a"
        let observation = JSONValue.observation(
            nil,
            of: urn + "#part",
            [
                "text": [
                    "status": "generated",
                    "div": JSONValue(
                        "<div xmlns=\"http://www.w3.org/1999/xhtml\"><a href=\"\(urn)#part\">p</a></div>"
                    ),
                ]
            ]
        )
        let response = await server.post(
            "",
            bundle(
                "transaction",
                entry("POST", "Observation", observation),
                entry("POST", "Patient", .patient(nil, family: "Moss"), fullURL: urn)
            )
        )
        try #require(response.status == 200, "\(response.text)")
        let patient = try #require(await server.found("Patient").first)
        let stored = await server.get("Observation").entries[0]["resource"]
        #expect(stored?["subject"]?["reference"]?.string == "Patient/\(patient)#part")
        #expect(
            stored?["text"]?["div"]?.string
                == """
                <div xmlns="http://www.w3.org/1999/xhtml"><a href="Patient/\(patient)#part">p</a></div>
                """
        )
    }

    @Test("a transaction runs in the specified order and is answered in that of its entries")
    func order() async throws {
        let server = try TestServer()
        await server.store(.patient("old", family: "Old"), .patient("kept", family: "Kept"))
        let response = await server.post(
            "",
            bundle(
                "transaction",
                entry("GET", "Patient?_sort=family"),
                entry("PUT", "Patient/kept", .patient("kept", family: "New")),
                entry("POST", "Patient", .patient(nil, family: "Made"), ["ifNoneExist": "family=old"]),
                entry("DELETE", "Patient/old")
            )
        )
        try #require(statuses(response) == ["200", "200", "201", "200"], "\(response.text)")
        let names = response.entries[0]["resource"]?["entry"]?.elements?.compactMap {
            $0["resource"]?["name"]?[0]?["family"]?.string
        }
        #expect(names?.contains("New") == true && names?.contains("Old") == false)
        #expect(await server.get("Patient/old").status == 410)
    }

    @Test("one bad entry undoes all of a transaction, and the issue says which")
    func allOrNothing() async throws {
        let server = try TestServer()
        await server.store(.patient("p", family: "Before"))
        let bad: [(JSONValue, Int)] = [
            (entry("PUT", "Patient/q", .patient("other", family: "X")), 400),
            (entry("POST", "Patient", ["resourceType": "Observation"]), 400),
            (entry("PUT", "Patient/q", .patient("q", family: "X"), ["ifMatch": "W/\"9\""]), 412),
            (entry("GET", "Patient/nobody"), 404), (entry("POST", "Nonsense", [:]), 404),
            (entry("DANCE", "Patient"), 400),
            (["resource": .patient(nil, family: "X")], 400),
            (entry("POST", "", ["resourceType": "Bundle", "type": "batch"]), 400),
            (
                entry(
                    "POST",
                    "Observation",
                    .observation(nil, of: "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0")
                ), 400
            ),
            (entry("POST", "Observation", .observation(nil, of: "Patient?family=nobody")), 412),
        ]
        for (entry, status) in bad {
            let response = await server.post(
                "",
                bundle(
                    "transaction",
                    self.entry("PUT", "Patient/p", .patient("p", family: "After"), fullURL: "urn:x"),
                    self.entry("POST", "Patient", .patient(nil, family: "Made")),
                    entry
                )
            )
            #expect(response.status == status, "\(response.text)")
            #expect(
                response.json["issue"]?[0]?["expression"]?[0]?.string?.hasPrefix("Bundle.entry[2]") == true,
                "\(response.text)"
            )
            #expect(await server.found("Patient?_sort=_id") == ["p"])
            #expect(await server.get("Patient/p").header("ETag") == "W/\"1\"")
        }
        let twice = await server.post(
            "",
            bundle(
                "transaction",
                self.entry("PUT", "Patient/p", .patient("p", family: "1")),
                self.entry("DELETE", "Patient/p")
            )
        )
        #expect(twice.status == 400)
    }

    @Test("conditional references and conditional creates find what is there")
    func conditional() async throws {
        let server = try TestServer()
        await server.store(
            .patient("p", family: "Moss", ["identifier": [["system": "urn:x", "value": "1"]]])
        )
        let urn = "urn:uuid:9d1b5c4e-7a35-4b5c-8f7f-0d2a6f6f0001"
        let response = await server.post(
            "",
            bundle(
                "transaction",
                entry(
                    "POST",
                    "Patient",
                    .patient(nil, family: "Again", ["identifier": [["system": "urn:x", "value": "1"]]]),
                    fullURL: urn,
                    ["ifNoneExist": "identifier=urn:x|1"]
                ),
                entry("POST", "Observation", .observation(nil, of: urn)),
                entry("POST", "Observation", .observation(nil, of: "Patient?identifier=urn:x|1")),
                entry(
                    "PUT",
                    "Patient?identifier=urn:x|2",
                    .patient(nil, family: "New", ["identifier": [["system": "urn:x", "value": "2"]]])
                )
            )
        )
        #expect(statuses(response) == ["200", "201", "201", "201"], "\(response.text)")
        #expect(await server.found("Observation?subject=Patient/p").count == 2)
        #expect(await server.get("Patient").json["total"]?.integer == 2)
    }

    @Test(
        "two entries of a transaction that a condition makes one are refused",
        arguments: [
            ("POST", "Patient", ["ifNoneExist": "family=Twin"]), ("PUT", "Patient?family=Twin", [:]),
        ] as [(String, String, JSONValue)]
    )
    func overlappingConditions(method: String, url: String, more: JSONValue) async throws {
        let server = try TestServer()
        let second = "urn:uuid:3a1f0c5e-6a51-4c9b-9d51-0f3c2a7a0002"
        let response = await server.post(
            "",
            bundle(
                "transaction",
                entry(
                    "POST",
                    "Patient",
                    .patient(nil, family: "Twin"),
                    fullURL: "urn:uuid:3a1f0c5e-6a51-4c9b-9d51-0f3c2a7a0001"
                ),
                entry(method, url, .patient(nil, family: "Twin"), fullURL: second, more),
                entry("POST", "Observation", .observation(nil, of: second))
            )
        )
        #expect(response.status == 412)
        #expect(await server.get("Patient").json["total"]?.integer == 0)
    }

    @Test("the entries of a batch are done each by itself")
    func batch() async throws {
        let server = try TestServer()
        let response = await server.post(
            "",
            bundle(
                "batch",
                entry("PUT", "Patient/a", .patient("a", family: "A")),
                entry("GET", "Patient/nobody"),
                entry("PUT", "Patient/b", .patient("c", family: "B")),
                entry("GET", "Patient/a"),
                entry("DELETE", "Patient/a")
            ),
            ["Prefer": "return=minimal"]
        )
        #expect(response.status == 200)
        #expect(response.json["type"]?.string == "batch-response")
        #expect(statuses(response) == ["201", "404", "400", "200", "200"])
        #expect(response.entries[1]["response"]?["outcome"]?["issue"]?[0]?["code"]?.string == "not-found")
        #expect(response.entries[3]["resource"]?["id"]?.string == "a")
        #expect(await server.get("Patient/a").status == 410)
    }

    @Test("others have their turn between the entries of a batch")
    func turns() async throws {
        let server = try TestServer {
            $0.limits.batchTurn = 0
            $0.limits.seconds = 600
        }
        let entries = (0..<100).map { entry("PUT", "Patient/p\($0)", .patient("p\($0)", family: "A")) }
        let isDone = Mutex(false)
        async let batch = {
            let response = await server.post(
                "",
                ["resourceType": "Bundle", "type": "batch", "entry": JSONValue(entries)]
            )
            isDone.withLock { $0 = true }
            return response
        }()
        var totals: Set<Int> = []
        while !isDone.withLock({ $0 }) {
            totals.insert(await server.get("Patient?_summary=count").json["total"]?.integer ?? -1)
        }
        #expect(totals.contains { 0 < $0 && $0 < 100 })
        #expect(await Set(statuses(batch)) == ["201"])
    }

    @Test("when the time is up, a batch stops and reports so; a transaction does nothing")
    func deadline() async throws {
        let server = try TestServer { $0.limits.seconds = 0 }
        let put = entry("PUT", "Patient/a", .patient("a", family: "A"))
        let batch = await server.post("", bundle("batch", put, entry("GET", "Patient")))
        #expect(batch.status == 200)
        #expect(statuses(batch) == ["503", "503"])
        #expect(batch.entries[0]["response"]?["outcome"]?["issue"]?[0]?["code"]?.string == "too-costly")
        #expect(await server.post("", bundle("transaction", put)).status == 503)
        #expect(await server.get("Patient?_summary=count").json["total"]?.integer == 0)
    }

    @Test("the response to many searches is bounded, and pages are")
    func responseBytes() async throws {
        let server = try TestServer { $0.limits.response = 3_000 }
        for index in 0..<5 {
            await server.store(.patient("p\(index)", family: String(repeating: "a", count: 500)))
        }
        let get = entry("GET", "Patient?_count=3")
        let batch = await server.post("", bundle("batch", get, get, get, get))
        #expect(statuses(batch) == ["200", "200", "503", "503"], "\(batch.text)")
        #expect(await server.post("", bundle("transaction", get, get, get)).status == 503)
        #expect(await server.get("Patient").status == 400)
        #expect(await server.get("Patient/_history").status == 400)
        #expect(await server.get("Patient?_count=2").status == 200)
    }

    @Test("small patches of a batch that make large versions are bounded together")
    func growingPatches() async throws {
        let server = try TestServer {
            $0.limits.response = 100_000
            $0.refusesInvalid = false
        }
        await server.store(.patient("p", family: "Moss", ["x": []]))
        let operations = Array(repeating: #"{"op":"add","path":"/x/-","value":"1234567890"}"#, count: 200)
            .joined(separator: ",")
        let data = Data("[\(operations)]".utf8).base64EncodedString()
        let binary: JSONValue = [
            "resourceType": "Binary", "contentType": "application/json-patch+json", "data": JSONValue(data),
        ]
        let entries = JSONValue(Array(repeating: entry("PATCH", "Patient/p", binary), count: 40))
        let batch = await server.post("", ["resourceType": "Bundle", "type": "batch", "entry": entries])
        let done = statuses(batch).prefix { $0 == "200" }.count
        #expect((2..<20).contains(done))
        #expect(Set(statuses(batch).dropFirst(done)) == ["503"])
        #expect(
            await server.post(
                "",
                ["resourceType": "Bundle", "type": "batch", "entry": [entries[0] ?? .null]]
            ).status == 200
        )
        #expect(await server.get("Patient/p").json["meta"]?["versionId"]?.string == String(done + 2))
    }

    @Test("unknown parameters of a batch's searches are refused or ignored, as asked")
    func lenient() async throws {
        let server = try TestServer()
        let search = bundle(
            "batch",
            entry("GET", "Patient?nonsense=1"),
            entry("POST", "Patient?name=x", .patient(nil, family: "A"))
        )
        #expect(await statuses(server.post("", search)) == ["400", "400"])
        #expect(await statuses(server.post("", search, ["Prefer": "handling=lenient"])) == ["200", "400"])
    }

    @Test("a patch in a transaction is a Binary")
    func patch() async throws {
        let server = try TestServer()
        await server.store(.patient("p", family: "Moss"))
        let data = Data(#"[{"op":"add","path":"/active","value":true}]"#.utf8).base64EncodedString()
        let binary: JSONValue = [
            "resourceType": "Binary", "contentType": "application/json-patch+json", "data": JSONValue(data),
        ]
        let response = await server.post(
            "",
            bundle("transaction", entry("PATCH", "Patient/p", binary)),
            ["Prefer": "return=representation"]
        )
        #expect(response.entries.first?["resource"]?["active"]?.boolean == true, "\(response.text)")
    }

    @Test("Bundles that are none, or too large, are refused")
    func refused() async throws {
        let server = try TestServer { $0.limits.entries = 2 }
        let get = entry("GET", "Patient")
        #expect(await server.post("", bundle("batch", get, get, get)).status == 413)
        #expect(await server.post("", bundle("collection", get)).status == 400)
        #expect(await server.post("", .patient(nil, family: "X")).status == 400)
        #expect(await server.post("", ["resourceType": "Bundle", "type": "transaction"]).status == 200)
    }

    @Test(
        "a loaded Bundle of resources keeps their ids; a transaction is done",
        arguments: ["collection", "transaction"]
    )
    func load(type: String) async throws {
        let sandbox = try await FHIRSandbox.start()
        let urn = "urn:uuid:9d1b5c4e-7a35-4b5c-8f7f-0d2a6f6f0001"
        let json = bundle(
            type,
            entry("POST", "Patient", .patient("p", family: "Moss"), fullURL: urn),
            entry("POST", "Observation", .observation("o", of: urn))
        )
        do {
            let count = try await sandbox.load(#require(.init(tree: json)))
            #expect(count == 2)
            let url = sandbox.baseURL.appending(path: "Observation").appending(queryItems: [
                .init(name: "_include", value: "Observation:subject")
            ])
            let (data, response) = try await URLSession.shared.data(from: url)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            let found = try JSONValue(parsing: data)
            #expect(found["entry"]?.elements?.count == 2)
            if type == "collection" {
                #expect(
                    found["entry"]?[1]?["fullUrl"]?.string == sandbox.baseURL.absoluteString + "/Patient/p"
                )
            }
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }
}

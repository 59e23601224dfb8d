import FHIR
import FHIRClient
import Foundation
import HTTPCalls
import Testing

@Suite("FHIR client: searching")
struct SearchTests {
    @Test("parameters are escaped for FHIR, and then for the URL")
    func escaping() {
        let search: FHIRSearch = [
            .parameter("name", modifier: .exact, .string("O'Brien, Jr $5 \\ a|b")),
            .parameter("code", .token(system: .loinc, "29463-7"), .token("x,y")),
            .parameter("date", .date(.atLeast, "2026-01")),
            .parameter("date", .dateTime(.less, "2026-02-01T00:00:00Z")),
            .parameter("value-quantity", .quantity(.greater, 5.40, code: "mg")),
            .parameter("value-quantity", .quantity(.equal, 7)),
            .parameter("patient", .reference("Patient/7")),
            .parameter("active", modifier: .missing, .boolean(true)),
            .has("Observation", "patient", "code", .token("1234-5")), .include("Observation:patient"),
            .reverseInclude("Provenance:target", iterate: true), .sort("-date", "code"), .count(50),
            .elements("id", "meta"),
            .summary(.count), .total(.accurate), .id("1", "2"),
            .parameter("subject", modifier: .type("Patient"), .reference("7")),
        ]
        let expected: [(String, String)] = [
            ("name:exact", "O'Brien\\, Jr \\$5 \\\\ a\\|b"), ("code", "http://loinc.org|29463-7,x\\,y"),
            ("date", "ge2026-01"),
            ("date", "lt2026-02-01T00:00:00Z"), ("value-quantity", "gt5.4|http://unitsofmeasure.org|mg"),
            ("value-quantity", "7"),
            ("patient", "Patient/7"), ("active:missing", "true"), ("_has:Observation:patient:code", "1234-5"),
            ("_include", "Observation:patient"), ("_revinclude:iterate", "Provenance:target"),
            ("_sort", "-date,code"),
            ("_count", "50"), ("_elements", "id,meta"), ("_summary", "count"), ("_total", "accurate"),
            ("_id", "1,2"),
            ("subject:Patient", "7"),
        ]
        #expect(search.parameters.count == expected.count)
        for (parameter, (name, value)) in zip(search.parameters, expected) {
            #expect(parameter.name == name && parameter.value == value)
        }
        #expect(FHIRSearch([.parameter("a", .string("x&y=z+ä %"))]).query == "a=x%26y%3Dz%2B%C3%A4%20%25")
        #expect(FHIRSearch(query: search.query) == search)
    }

    @Test("digits of a decimal are its precision, and are kept")
    func precision() throws {
        let value = try #require(FHIRDecimal("5.40"))
        #expect(FHIRSearchValue.number(.equal, value).description == "5.40")
    }

    @Test("a search goes out by GET, a long one and one that is not to be logged by POST")
    func methods() async throws {
        let server = PlayedServer(.page(["1"]))
        let client = try server.client()
        for try await _ in client.search(Patient.self, [.parameter("name", .string("a b"))]) {}
        for try await _ in client.search(Patient.self, [.parameter("name", .string("a b"))], by: .post) {}
        for try await _ in client.search(Patient.self, [.id(String(repeating: "1,", count: 1200))]) {}
        for try await _ in client.search([.parameter("_lastUpdated", .date(.atLeast, "2026"))]) {}
        #expect(
            server.lines == [
                "GET /r4/Patient?name=a%20b", "POST /r4/Patient/_search", "POST /r4/Patient/_search",
                "GET /r4?_lastUpdated=ge2026",
            ]
        )
        #expect(
            server.received[1].body == "name=a%20b"
                && server.received[1].field("Content-Type") == "application/x-www-form-urlencoded"
        )
        #expect(server.received.allSatisfy { $0.field("Prefer") == "handling=strict" })
    }

    @Test("next pages are followed as the server links them, absolute and relative")
    func paging() async throws {
        let server = PlayedServer { _, number in
            switch number {
            case 0: .page(["1", "2"], next: "https://FHIR.example.org:443/r4?_getpages=a%7Cb&x=1")
            case 1: .page([], next: "Patient?page=3")
            case 2: .page(["3"], next: "/elsewhere?page=4")
            default: .page(["4"])
            }
        }
        var ids: [String?] = []
        for try await patient in try server.client().search(Patient.self, [.count(2)]) {
            ids.append(patient.id)
        }
        #expect(ids == ["1", "2", "3", "4"])
        #expect(
            server.lines == [
                "GET /r4/Patient?_count=2", "GET /r4?_getpages=a%7Cb&x=1", "GET /r4/Patient?page=3",
                "GET /elsewhere?page=4",
            ]
        )
    }

    @Test(
        "a next page on another origin is an error, and no request and no token go there",
        arguments: [
            "https://other.example.org/r4?p=2", "http://fhir.example.org/r4?p=2",
            "https://fhir.example.org:8443/r4?p=2",
            "//other.example.org/x", "https://fhir.example.org@other.example.org/x",
            "https://fhir.example.org.evil.org/",
            "ftp://fhir.example.org/x", "https:///x", "",
        ]
    )
    func foreignPage(link: String) async throws {
        let server = PlayedServer(.page(["1"], next: link))
        let client = try server.client(authorization: .bearer("planted-token"))
        var ids: [String?] = []
        let error = await failure {
            for try await patient in client.search(Patient.self) { ids.append(patient.id) }
        }
        let hosts = server.received.map(\.request.authority)
        if link.isEmpty {
            // Relative to the base: the base itself, a circle at most.
            #expect(hosts.allSatisfy { $0 == "fhir.example.org" })
        } else {
            #expect(error?.reason == .foreignLink && hosts == ["fhir.example.org"])
        }
    }

    @Test("pages that link in a circle, and pages without end, end in an error")
    func endlessPages() async throws {
        let links: [@Sendable (Int) -> String] = [
            { _ in "?page=1" }, { "?page=\($0 % 3)" }, { "?page=\($0)" },
        ]
        for next in links {
            let server = PlayedServer { _, number in .page(["\(number)"], next: next(number)) }
            let client = try server.client()
            let error = await failure { for try await _ in client.search(Patient.self) {} }
            #expect(error?.reason == .endlessPages)
            #expect(server.received.count <= 100)
        }
    }

    @Test("what was included is not a match, and a match of another type is an error")
    func modes() async throws {
        func bundle(_ entries: String) -> PlayedServer {
            PlayedServer(.fhir(#"{"resourceType":"Bundle","type":"searchset","entry":[\#(entries)]}"#))
        }
        let included = bundle(
            """
            {"resource":{"resourceType":"Patient","id":"1"},"search":{"mode":"match"}},\
            {"resource":{"resourceType":"Patient","id":"2"},"search":{"mode":"include"}},\
            {"resource":{"resourceType":"OperationOutcome","issue":[]},"search":{"mode":"outcome"}},\
            {"resource":{"resourceType":"Patient","id":"3"}},{"resource":{"resourceType":"Group","id":"4"}}
            """
        )
        var ids: [String?] = []
        for try await patient in try included.client().search(Patient.self) { ids.append(patient.id) }
        #expect(ids == ["1", "3"])
        var all = 0
        for try await _ in try included.client().search(Patient.self).pages.entries { all += 1 }
        #expect(all == 5)
        let wrong = try bundle(#"{"resource":{"resourceType":"Group","id":"1"},"search":{"mode":"match"}}"#)
            .client()
        let error = await failure { for try await _ in wrong.search(Patient.self) {} }
        guard case .malformedResponse? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a count asks for no resources, and needs a total")
    func count() async throws {
        let server = PlayedServer(.fhir(#"{"resourceType":"Bundle","type":"searchset","total":12}"#))
        #expect(try await server.client().count(Patient.self, [.parameter("active", .boolean(true))]) == 12)
        #expect(server.lines == ["GET /r4/Patient?active=true&_summary=count"])
        #expect(await failure { try await PlayedServer(.page([])).client().count(Patient.self) } != nil)
    }

    @Test("a search that is iterated twice is asked twice, and one that fails ends")
    func again() async throws {
        let server = PlayedServer(.page(["1"]))
        let matches = try server.client().search(Patient.self)
        for _ in 0..<2 { for try await _ in matches {} }
        #expect(server.received.count == 2)
        var iterator = try PlayedServer(.status(404)).client().search(Patient.self).makeAsyncIterator()
        await #expect(throws: FHIRClientError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }
}

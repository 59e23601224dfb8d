import FHIR
import FHIRClient
import FHIRSandbox
import Foundation
import HTTPCalls
import OrderedJSON
import Surveys
import Synchronization
import Testing

/// Value sets from the terminology servers that a questionnaire prefers.
@Suite("Surveys and terminology servers")
struct SurveyTerminologyTests {
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
    private static let core = "http://hl7.org/fhir/StructureDefinition/"

    private static func preferring(_ servers: String..., of names: String = sdc) -> JSONValue {
        JSONValue(
            servers.map { server in
                [
                    "url": JSONValue(names + "preferredTerminologyServer"),
                    "valueUrl": JSONValue(server),
                ]
            }
        )
    }

    private static func choice(_ linkId: String, _ valueSet: String, _ extensions: JSONValue = [])
        -> JSONValue
    {
        [
            "linkId": JSONValue(linkId), "type": "choice", "text": "Which?",
            "answerValueSet": JSONValue(valueSet), "extension": extensions,
        ]
    }

    private static func questionnaire(
        _ items: JSONValue,
        _ extensions: JSONValue = [],
        contained: JSONValue = []
    ) throws -> Questionnaire {
        let json: JSONValue = [
            "resourceType": "Questionnaire", "status": "active", "extension": extensions,
            "contained": contained, "item": items,
        ]
        return try Questionnaire(parsing: json.text())
    }

    /// A server that has one code for each value set, named after the server.
    private static func server(_ name: String) -> StubTerminology {
        StubTerminology { _ in (200, StubTerminology.expansion([StubTerminology.code(name, name)])) }
    }

    private static func codes(_ survey: Survey, _ linkId: String) -> [String] {
        let session = SurveySession(survey)
        return session.occurrences(of: linkId).flatMap(session.options).compactMap { $0.value.coding?.code }
    }

    // MARK: Which server

    @Test("the nearest preference wins, from the item outwards, under both extension names")
    func nearest() throws {
        let survey = Survey(
            try Self.questionnaire(
                [
                    [
                        "linkId": "group", "type": "group",
                        "extension": Self.preferring("https://group.example.org", of: Self.core),
                        "item": [
                            Self.choice("inner", "urn:example:a"),
                            Self.choice(
                                "own",
                                "urn:example:b",
                                Self.preferring("https://1.example.org", "https://2.example.org")
                            ),
                        ],
                    ],
                    Self.choice("outer", "urn:example:c"),
                    Self.choice("bad", "urn:example:d", Self.preferring("file:///etc/passwd", "none")),
                ],
                Self.preferring("https://all.example.org")
            )
        )
        func servers(_ linkId: String) -> [String] { survey.item(linkId)?.terminologyServers ?? [] }
        #expect(servers("inner") == ["https://group.example.org"])
        #expect(servers("own") == ["https://1.example.org", "https://2.example.org"])
        #expect(servers("outer") == ["https://all.example.org"])
        #expect(servers("bad") == ["https://all.example.org"])
        #expect(survey.diagnostics.filter { $0.code == "terminologyServer" }.map(\.linkId) == ["bad", "bad"])
        #expect(!survey.diagnostics.contains { $0.code == "unsupportedExtension" })
        #expect(survey.terminologyServers(of: "urn:example:b") == servers("own"))
    }

    @Test("only preferred servers that the app allows are asked, and others are reported")
    func permission() async throws {
        let own = Self.server("own")
        let preferred = Self.server("preferred")
        let client = try own.client()
        let questionnaire = try Self.questionnaire(
            [
                Self.choice("a", "urn:example:a"),
                Self.choice("b", "urn:example:b", Self.preferring("https://evil.example.org/r4")),
                Self.choice("c", "urn:example:c", Self.preferring("https://evil.example.org/r4")),
            ],
            Self.preferring("https://good.example.org/r4/")
        )
        let plain = try await client.survey(questionnaire)
        #expect(["a", "b", "c"].map { Self.codes(plain.survey, $0) } == [["own"], ["own"], ["own"]])
        #expect(
            plain.missing.map(\.canonical) == ["https://good.example.org/r4/", "https://evil.example.org/r4"]
        )

        let terminology = SurveyTerminology(
            client,
            allowed: [try preferred.client("https://GOOD.example.org/r4")]
        )
        let (survey, missing) = try await client.survey(questionnaire, asking: terminology)
        #expect(["a", "b", "c"].map { Self.codes(survey, $0) } == [["preferred"], ["own"], ["own"]])
        #expect(missing.map(\.canonical) == ["https://evil.example.org/r4"])
        #expect(missing.first?.reason?.contains("does not let") == true)
        #expect(preferred.requests.map { $0.query["url"] } == ["urn:example:a"])
    }

    @Test("servers are asked in order of preference, then the app's own if they fail")
    func order() async throws {
        let own = Self.server("own")
        let failing = StubTerminology { request in
            switch request.query["url"] {
            case "urn:example:redirected": (302, [:])
            case "urn:example:broken": (200, ["resourceType": "Patient"])
            default: (500, StubTerminology.problem("exception"))
            }
        }
        let second = StubTerminology { request in
            request.query["url"] == "urn:example:second"
                ? (200, StubTerminology.expansion([StubTerminology.code("second", "Second")]))
                : (404, StubTerminology.problem("not-found"))
        }
        let first = "https://1.example.org/r4"
        let next = "https://2.example.org/r4"
        let terminology = SurveyTerminology(
            try own.client(),
            allowed: [try failing.client(first), try second.client(next)]
        )
        let names = ["second", "redirected", "broken", "other"]
        let (survey, missing) = try await own.client().survey(
            Self.questionnaire(
                JSONValue(names.map { Self.choice($0, "urn:example:\($0)") }),
                Self.preferring(first, next)
            ),
            asking: terminology
        )
        #expect(names.map { Self.codes(survey, $0) } == [["second"], ["own"], ["own"], ["own"]])
        #expect(missing.map(\.canonical) == [first, next])
        #expect(survey.missingValueSets.isEmpty)
    }

    @Test("the app's own server is asked once when preferred, and failures are reported")
    func ownPreferred() async throws {
        let own = StubTerminology { request in
            request.query["url"] == "urn:example:odd"
                ? (200, ["resourceType": "ValueSet", "status": "active"])
                : (404, StubTerminology.problem("not-found"))
        }
        let client = try own.client()
        let (survey, missing) = try await client.survey(
            Self.questionnaire(
                [Self.choice("a", "urn:example:odd"), Self.choice("b", "urn:example:gone")],
                Self.preferring("https://tx.example.org/r4")
            ),
            asking: SurveyTerminology(client, allowed: [client])
        )
        #expect(own.requests.count == 2)
        #expect(missing.map(\.canonical) == ["urn:example:odd", "urn:example:gone"])
        #expect(missing.first?.reason == "the server gave no expansion")
        #expect(survey.missingValueSets.count == 2)
    }

    @Test("a preferred server that cannot be reached is not asked again at once, but later")
    func silent() async throws {
        let own = Self.server("own")
        let down = StubTerminology { _ in
            throw HTTPTransportError(kind: .cannotConnect, server: "down", mayHaveReachedServer: false)
        }
        let address = "https://down.example.org/r4"
        let time = Mutex(0.0)
        let client = try down.client(address)
        let terminology = SurveyTerminology(
            try own.client(),
            preferred: { $0.absoluteString == address ? client : nil },
            now: { Date(timeIntervalSince1970: time.withLock { $0 }) }
        )
        let names = ["a", "b", "c"]
        let questionnaire = try Self.questionnaire(
            JSONValue(names.map { Self.choice($0, "urn:example:\($0)") }),
            Self.preferring(address)
        )
        let (survey, missing) = try await own.client().survey(questionnaire, asking: terminology)
        #expect(names.map { Self.codes(survey, $0) } == [["own"], ["own"], ["own"]])
        #expect(missing.map(\.canonical) == [address] && down.requests.count == 1)
        time.withLock { $0 = 61 }
        _ = try await own.client().survey(questionnaire, asking: terminology)
        #expect(down.requests.count == 2)
    }

    @Test("a value set that no server can give spoils neither the survey nor other sets")
    func unusable() async throws {
        let large = StubTerminology { request in
            switch request.query["url"] {
            case "urn:example:large":
                throw HTTPTransportError(
                    kind: .responseTooLarge,
                    server: "tx",
                    mayHaveReachedServer: true
                )
            case "urn:example:patient": (200, ["resourceType": "Patient"])
            case "urn:example:bare": (200, ["resourceType": "ValueSet", "status": "active"])
            default: (200, StubTerminology.expansion([StubTerminology.code("x", "X")]))
            }
        }
        let preferred = "https://preferred.example.org/r4"
        let names = ["large", "patient", "bare", "good"]
        let questionnaire = try Self.questionnaire(
            JSONValue(names.map { Self.choice($0, "urn:example:\($0)") }),
            Self.preferring(preferred)
        )
        let own = try large.client()
        let terminology = SurveyTerminology(own, allowed: [try large.client(preferred)])
        let (survey, missing) = try await own.survey(questionnaire, asking: terminology)
        #expect(Self.codes(survey, "good") == ["x"])
        #expect(
            missing.map(\.canonical) == [preferred] + names.prefix(3).map { "urn:example:\($0)" }
                && missing.allSatisfy { $0.reason != nil }
        )
        // Both servers were asked for what they cannot give, and the preferred one for the rest.
        #expect(large.requests.count == 7)
    }

    @Test("a server is asked once for a value set, however often it is preferred")
    func repeated() async throws {
        let gone = StubTerminology { _ in (404, StubTerminology.problem("not-found")) }
        let client = try gone.client()
        let base = client.base.absoluteString
        let questionnaire = try Self.questionnaire(
            [Self.choice("a", "urn:example:a")],
            Self.preferring(base, base + "/", base.replacing("https", with: "HTTPS"), base)
        )
        let terminology = SurveyTerminology(client, allowed: [client])
        let (_, missing) = try await client.survey(questionnaire, asking: terminology)
        #expect(missing.map(\.canonical) == ["urn:example:a"])
        #expect(gone.requests.count == 1)
    }

    @Test("a cancelled task asks no further server")
    func cancelled() async throws {
        let own = Self.server("own")
        let slow = StubTerminology { _ in throw CancellationError() }
        let preferred = "https://preferred.example.org/r4"
        let terminology = SurveyTerminology(try own.client(), allowed: [try slow.client(preferred)])
        let questionnaire = try Self.questionnaire(
            [Self.choice("a", "urn:example:a")],
            Self.preferring(preferred)
        )
        await #expect(throws: FHIRClientError.self) {
            _ = try await own.client().survey(questionnaire, asking: terminology)
        }
        #expect(own.requests.isEmpty)
    }

    // MARK: What is kept

    @Test("a value set is asked for once, by all processes of a folder, until it is too old")
    func cache() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = Self.server("x")
        let client = try server.client()
        let questionnaire = try Self.questionnaire([
            Self.choice("a", "urn:example:a"), Self.choice("b", "urn:example:a"),
        ])
        func load(_ terminology: SurveyTerminology) async throws {
            let (survey, missing) = try await client.survey(questionnaire, asking: terminology)
            #expect(Self.codes(survey, "b") == ["x"] && missing.isEmpty)
        }
        let terminology = SurveyTerminology(client, cache: folder)
        try await load(terminology)
        try await load(terminology)
        #expect(server.requests.count == 1)
        try await load(SurveyTerminology(client, cache: folder))
        #expect(server.requests.count == 1)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count == 1)
        try await load(SurveyTerminology(client, cache: folder, now: { Date() + 8 * 86_400 }))
        #expect(server.requests.count == 2)
        try await load(SurveyTerminology(client, cache: folder, maximumAge: -1))
        #expect(server.requests.count == 3)
        // A torn file is asked for again.
        try Data("{".utf8).write(to: folder.appending(path: files[0]))
        try await load(SurveyTerminology(client, cache: folder))
        #expect(server.requests.count == 4)
    }

    // MARK: Too large

    @Test("a value set that is too large is searched, however a server says so")
    func tooLarge() async throws {
        let many = (0..<5).map { StubTerminology.code("\($0)", "Code \($0)") }
        let server = StubTerminology { request in
            switch request.query["url"] {
            case "urn:example:endless": (200, StubTerminology.expansion(many))
            case "urn:example:paged": (200, StubTerminology.expansion([many[0]], total: 300_000))
            case "urn:example:nested":
                (
                    200,
                    StubTerminology.expansion([["abstract": true, "contains": JSONValue(many)]])
                )
            case "urn:example:costly": (422, StubTerminology.problem("too-costly"))
            case "urn:example:exact": (200, StubTerminology.expansion(Array(many.prefix(3)), total: 3))
            default: (404, StubTerminology.problem("not-found"))
            }
        }
        let client = try server.client()
        let names = ["endless", "paged", "nested", "costly", "exact", "gone"]
        let questionnaire = try Self.questionnaire(
            JSONValue(names.map { Self.choice($0, "urn:example:\($0)") })
        )
        let (survey, missing) = try await client.survey(
            questionnaire,
            asking: SurveyTerminology(client),
            options: 3
        )
        for name in names.prefix(4) {
            guard case .searched("urn:example:\(name)")? = survey.item(name)?.format.options else {
                #expect(Bool(false), "\(name) is not searched")
                continue
            }
        }
        #expect(Self.codes(survey, "exact") == ["0", "1", "2"])
        #expect(missing.map(\.canonical) == ["urn:example:gone"])
        #expect(survey.missingValueSets == ["urn:example:gone"])
        // Who does not search is told that they are missing, as ever.
        let plain = try await client.survey(questionnaire, options: 3)
        #expect(plain.missing.map(\.canonical) == names.filter { $0 != "exact" }.map { "urn:example:\($0)" })
    }

    @Test("a contained value set that cannot be expanded here is sent to the server")
    func contained() async throws {
        let server = Self.server("expanded")
        let filtered: JSONValue = [
            "resourceType": "ValueSet", "id": "vs", "status": "active",
            "compose": [
                "include": [
                    [
                        "system": "http://snomed.info/sct",
                        "filter": [["property": "concept", "op": "is-a", "value": "404684003"]],
                    ]
                ]
            ],
        ]
        let (survey, missing) = try await server.client().survey(
            Self.questionnaire([Self.choice("q", "#vs")], contained: [filtered])
        )
        #expect(Self.codes(survey, "q") == ["expanded"] && missing.isEmpty)
        let parameters = server.requests.first?.body?.member("parameter")?.elements.map(Array.init) ?? []
        #expect(server.requests.first?.path == "/r4/ValueSet/$expand")
        #expect(parameters.first?.member("resource")?.member("id")?.string == "vs")
    }

    @Test("the sandbox expands R4's own value sets, and searches them")
    func sandbox() async throws {
        let sandbox = try await FHIRSandbox.start()
        do {
            let client = try FHIRClient(base: sandbox.baseURL)
            let terminology = SurveyTerminology(client)
            let valueSet = "http://hl7.org/fhir/ValueSet/observation-status"
            let questionnaire = try Self.questionnaire([Self.choice("q", valueSet)])
            let (listed, _) = try await client.survey(questionnaire, asking: terminology)
            #expect(Self.codes(listed, "q").count == 8)
            let (searched, missing) = try await client.survey(
                questionnaire,
                asking: terminology,
                options: 3
            )
            #expect(missing.isEmpty)
            var form = SurveyForm(SurveySession(searched))
            let begun = form.beginSearch("amend", of: "q")
            let search = try #require(begun)
            form.endSearch(search, of: "q", with: .success(try await terminology.search(search)))
            #expect(form.page.item("q")?.choices.map(\.label) == ["Amended"])

            let contained: JSONValue = [
                "resourceType": "ValueSet", "id": "vs", "status": "active",
                "compose": ["include": [["system": "http://hl7.org/fhir/observation-status"]]],
            ]
            let local = try Self.questionnaire([Self.choice("q", "#vs")], contained: [contained])
            let (expanded, _) = try await client.survey(local, asking: terminology)
            #expect(Self.codes(expanded, "q").count == 8)
            let (large, _) = try await client.survey(local, asking: terminology, options: 3)
            form = SurveyForm(SurveySession(large))
            let localSearch = form.beginSearch("prelim", of: "q")
            let found = try await terminology.search(#require(localSearch))
            #expect(found.options.map { $0.value.coding?.code } == ["preliminary"])
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }
}

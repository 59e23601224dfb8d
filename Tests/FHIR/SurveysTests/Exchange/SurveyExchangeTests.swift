import FHIR
import FHIRClient
import FHIRSandbox
import Foundation
import OrderedJSON
import Surveys
import Testing

/// Filling a survey from a server, and sending what it extracts, against the FHIR sandbox.
@Suite("Survey exchange: with the FHIR sandbox")
struct SurveyExchangeTests {
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    private static func query(_ text: String, as name: String) -> JSONValue {
        [
            "url": "http://hl7.org/fhir/StructureDefinition/variable",
            "valueExpression": [
                "name": JSONValue(name), "language": "application/x-fhir-query",
                "expression": JSONValue(text),
            ],
        ]
    }

    private static func initial(_ text: String) -> JSONValue {
        [
            "url": JSONValue(sdc + "initialExpression"),
            "valueExpression": ["language": "text/fhirpath", "expression": JSONValue(text)],
        ]
    }

    private static func survey(_ items: JSONValue, _ extensions: JSONValue = []) throws -> Survey {
        let questionnaire: JSONValue = [
            "resourceType": "Questionnaire", "status": "active", "url": "https://example.org/q",
            "extension": extensions, "item": items,
        ]
        return Survey(try Questionnaire(parsing: Data(questionnaire.text().utf8)))
    }

    /// A form with the birth date, the newest weight, and the practitioner who is named in the Patient.
    private static func form() throws -> Survey {
        try survey(
            [
                [
                    "linkId": "born", "type": "date",
                    "extension": [initial("%patient.birthDate")],
                ],
                [
                    "linkId": "weight", "type": "decimal",
                    "code": [["system": "http://loinc.org", "code": "29463-7", "display": "Body weight"]],
                    "extension": [
                        initial("%Weight.entry.resource.value.value"),
                        ["url": JSONValue(sdc + "observationExtract"), "valueBoolean": true],
                        [
                            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
                            "valueCoding": [
                                "system": "http://unitsofmeasure.org", "code": "kg", "display": "kg",
                            ],
                        ],
                    ],
                ],
                ["linkId": "doctor", "type": "string", "extension": [initial("%Doctor.name.family")]],
            ],
            [
                query("Observation?code=29463-7&patient={{%patient.id}}&_sort=-date&_count=1", as: "Weight"),
                query("Practitioner/{{%patient.generalPractitioner.reference.substring(13)}}", as: "Doctor"),
            ]
        )
    }

    private func use(_ body: (FHIRClient) async throws -> Void) async throws {
        let sandbox = try await FHIRSandbox.start(FHIRSandboxConfiguration())
        do {
            let client = try FHIRClient(base: sandbox.baseURL)
            try await client.update(
                Practitioner(
                    parsing: Data(#"{"resourceType":"Practitioner","id":"d","name":[{"family":"Doe"}]}"#.utf8)
                )
            )
            try await client.update(
                Patient(
                    parsing: Data(
                        """
                        {"resourceType":"Patient","id":"p7","birthDate":"1970-04-01",
                         "generalPractitioner":[{"reference":"Practitioner/d"}]}
                        """.utf8
                    )
                )
            )
            for (id, day, kilograms) in [("a", "2026-01-01", 70), ("b", "2026-02-01", 71)] {
                try await client.update(
                    Observation(
                        parsing: Data(
                            """
                            {"resourceType":"Observation","id":"\(id)","status":"final",
                             "code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}]},
                             "subject":{"reference":"Patient/p7"},"effectiveDateTime":"\(day)",
                             "valueQuantity":{"value":\(kilograms),"unit":"kg","system":"http://unitsofmeasure.org",
                             "code":"kg"}}
                            """.utf8
                        )
                    )
                )
            }
            try await body(client)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    private func labels(_ session: SurveySession, _ linkId: String) -> [String] {
        session.occurrences(of: linkId).flatMap { session.answers(of: $0).map(\.label) }
    }

    @Test("a survey is filled by one batch, and one more for what depends on a result")
    func populated() async throws {
        try await use { client in
            let populated = try await Self.form().populate(using: client, subject: "Patient/p7")
            #expect(populated.problems.isEmpty)
            #expect(populated.requests == 2)
            #expect(populated.session.header.subject?.reference == "Patient/p7")
            #expect(labels(populated.session, "born") == ["1970-04-01"])
            #expect(labels(populated.session, "weight") == ["71"])
            #expect(labels(populated.session, "doctor") == ["Doe"])
        }
    }

    @Test("what the server does not have is a problem, and the rest is filled")
    func missing() async throws {
        try await use { client in
            let survey = try Self.survey(
                [
                    ["linkId": "born", "type": "date", "extension": [Self.initial("%patient.birthDate")]],
                    ["linkId": "x", "type": "string", "extension": [Self.initial("%Gone.name.family")]],
                    [
                        "linkId": "y", "type": "string",
                        "extension": [Self.initial("%Wrong.entry.resource.id")],
                    ],
                ],
                [
                    Self.query("Practitioner/nobody", as: "Gone"),
                    Self.query("Observation?nonsense=1", as: "Wrong"),
                ]
            )
            let populated = try await survey.populate(using: client, subject: "Patient/p7")
            #expect(labels(populated.session, "born") == ["1970-04-01"])
            #expect(labels(populated.session, "x").isEmpty)
            #expect(populated.problems.contains { $0.type == "Practitioner" && $0.reason == .status(404) })
        }
    }

    @Test("searches beyond the limit are not made, and are reported")
    func limits() async throws {
        try await use { client in
            var limits = PopulationLimits()
            limits.queries = 1
            let populated = try await Self.form().populate(
                using: client,
                subject: "Patient/p7",
                limits: limits
            )
            #expect(labels(populated.session, "born") == ["1970-04-01"])
            #expect(labels(populated.session, "weight").isEmpty)
            #expect(populated.problems.contains { $0.reason == .tooMany })
        }
    }

    @Test("all pages of a search are taken, to the limit; of one with _count the first")
    func pages() async throws {
        try await use { client in
            var many = FHIRTransaction()
            for number in 0..<120 {
                var encounter = Encounter(
                    status: .finished,
                    class: Coding(system: "urn:example:c", code: "AMB")
                )
                encounter.id = "e\(number)"
                encounter.subject = Reference("Patient/p7")
                many.update(encounter)
            }
            try await client.transaction(many)
            func ids(_ query: String, limit: Int = 1_000) async throws -> (Int, [PopulationProblem.Reason]) {
                let survey = try Self.survey(
                    [
                        [
                            "linkId": "ids", "type": "string", "repeats": true,
                            "extension": [Self.initial("%All.entry.resource.id")],
                        ]
                    ],
                    [Self.query(query, as: "All")]
                )
                var limits = PopulationLimits()
                limits.resourcesOfQuery = limit
                let populated = try await survey.populate(
                    using: client,
                    subject: "Patient/p7",
                    limits: limits
                )
                return (labels(populated.session, "ids").count, populated.problems.map(\.reason))
            }
            #expect(try await ids("Encounter?patient={{%patient.id}}") == (120, []))
            #expect(try await ids("Encounter?patient={{%patient.id}}", limit: 90) == (90, [.truncated(90)]))
            #expect(try await ids("Encounter?patient={{%patient.id}}&_count=7") == (7, [.truncated(7)]))
            #expect(try await ids("Encounter?patient={{%patient.id}}&_sort=-date&_count=7") == (7, []))
            #expect(try await ids("Encounter?patient={{%patient.id}}", limit: -1) == (0, [.truncated(0)]))
        }
    }

    @Test("what was extracted is stored once, however often the response is sent")
    func sentTwice() async throws {
        try await use { client in
            let survey = try Self.form()
            var session = try await survey.populate(using: client, subject: "Patient/p7").session
            try session.answer("weight", with: .decimal(72))
            session.header.subject = Reference("Patient/p7")
            let response = session.response(.completed, authored: FHIRDateTime(text: "2026-03-01T08:00:00Z"))
            let extraction = survey.extract(from: response)
            #expect(extraction.diagnostics.isEmpty && extraction.bundle.entry.count == 1)
            let first = try await client.send(extraction, of: response)
            let second = try await client.send(survey.extract(from: response), of: response)
            #expect(first.map(\.status) == [201] && second.map(\.status) == [200])
            #expect(try await client.count(Observation.self, [.parameter("patient", .string("p7"))]) == 3)
        }
    }

    @Test("a response is stored once, with its extracted resources that refer to it")
    func submitted() async throws {
        try await use { client in
            let survey = try Self.form()
            var session = try await survey.populate(using: client, subject: "Patient/p7").session
            try session.answer("weight", with: .decimal(72))
            var response = session.response(.completed, authored: FHIRDateTime(text: "2026-03-01T08:00:00Z"))
            let first = try await client.submit(response, of: survey)
            response.id = "another"
            let second = try await client.submit(response, of: survey)
            #expect(first.results.map(\.status) == [201, 201] && second.results.map(\.status) == [200, 200])
            var stored: [QuestionnaireResponse] = []
            for try await found in client.search(QuestionnaireResponse.self) { stored.append(found) }
            #expect(stored.count == 1)
            let newest: FHIRSearch = [.parameter("date", .string("2026-03-01"))]
            for try await weight in client.search(Observation.self, newest) {
                let id = stored.first?.id ?? "?"
                #expect(weight.derivedFrom.map(\.reference) == ["QuestionnaireResponse/\(id)"])
            }
            let alone = try await client.submit(response, of: survey, storesResponse: false)
            #expect(alone.results.map(\.status) == [200])
        }
    }

    @Test("further launch contexts are read with the patient, where the survey has them")
    func launchContexts() async throws {
        try await use { client in
            let context: JSONValue = [
                "url": JSONValue(Self.sdc + "launchContext"),
                "extension": [
                    ["url": "name", "valueCoding": ["code": "user"]],
                    ["url": "type", "valueCode": "Practitioner"],
                ],
            ]
            let survey = try Self.survey(
                [["linkId": "x", "type": "string", "extension": [Self.initial("%user.name.family")]]],
                [context]
            )
            let populated = try await survey.populate(
                using: client,
                subject: "Patient/p7",
                launchContexts: ["user": "Practitioner/d", "encounter": "Encounter/none"]
            )
            #expect(labels(populated.session, "x") == ["Doe"])
            #expect(populated.requests == 1 && populated.problems.isEmpty)
        }
    }

    @Test("modules and value sets come from the server, and what it lacks is named")
    func definitions() async throws {
        try await use { client in
            let module: JSONValue = [
                "resourceType": "Questionnaire", "id": "m", "status": "active", "url": "urn:example:module",
                "item": [["linkId": "m1", "type": "string", "text": "In the module"]],
            ]
            try await client.update(Questionnaire(parsing: Data(module.text().utf8)))
            func reference(_ linkId: String, _ canonical: String) -> JSONValue {
                [
                    "linkId": JSONValue(linkId), "type": "display",
                    "extension": [
                        [
                            "url": JSONValue(Self.sdc + "subQuestionnaire"),
                            "valueCanonical": JSONValue(canonical),
                        ]
                    ],
                ]
            }
            let root: JSONValue = [
                "resourceType": "Questionnaire", "status": "active",
                "item": [
                    reference("a", "urn:example:module"), reference("b", "urn:example:gone"),
                    ["linkId": "c", "type": "choice", "answerValueSet": "urn:example:codes"],
                ],
            ]
            let (survey, missing) = try await client.survey(Questionnaire(parsing: Data(root.text().utf8)))
            #expect(survey.items.map(\.linkId) == ["m1", "b", "c"])
            #expect(Set(missing.map(\.canonical)) == ["urn:example:gone", "urn:example:codes"])
            let refused = try await client.survey(
                Questionnaire(parsing: Data(root.text().utf8)),
                options: .max,
                limit: 0
            )
            #expect(
                refused.missing.map(\.canonical)
                    == ["urn:example:module", "urn:example:gone", "urn:example:codes"]
            )
        }
    }
}

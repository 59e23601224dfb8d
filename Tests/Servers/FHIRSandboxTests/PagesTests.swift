import Foundation
import OrderedJSON
import Testing

@testable import FHIRSandbox

@Suite("The pages of the FHIR sandbox")
struct PagesTests {
    private static let attack = "<script>alert('x')</script>\"&"

    @Test("patients are listed by name and can be looked for")
    func list() async throws {
        let server = try TestServer()
        #expect(await server.get("/").text.contains("There is no patient yet"))
        await server.store(.patient("a", family: "Moss"), .patient("b", family: "Reed"))
        let page = await server.get("/")
        #expect(page.status == 200)
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        #expect(page.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
        #expect(page.text.contains("<a href=\"/patients/a\">Ann Moss</a>") && page.text.contains("Ann Reed"))
        let found = await server.get("/?name=ree")
        #expect(!found.text.contains("Ann Moss") && found.text.contains("Ann Reed"))
        #expect(await server.get("/?name=a,b%7C%5C").status == 200)
    }

    @Test("a patient's page has charts of what was measured and tables of the rest")
    func patient() async throws {
        let server = try TestServer()
        await server.store(.patient("a", family: "Moss", ["birthDate": "1980-02-03"]))
        for (index, value) in [70.5, 71.25, 69].enumerated() {
            await server.store(
                .observation(
                    "w\(index)",
                    of: "Patient/a",
                    [
                        "effectiveDateTime": JSONValue("2026-0\(index + 1)-01"),
                        "valueQuantity": [
                            "value": JSONValue(value) ?? 0, "unit": "kg",
                            "system": "http://unitsofmeasure.org", "code": "kg",
                        ],
                    ]
                )
            )
        }
        await server.store(
            .observation(
                "text",
                of: "Patient/a",
                ["effectiveDateTime": "2026-01-01", "valueString": "well"]
            ),
            [
                "resourceType": "Condition", "id": "c", "subject": ["reference": "Patient/a"],
                "code": ["text": "Hay fever"],
                "clinicalStatus": [
                    "coding": [
                        [
                            "system": "http://terminology.hl7.org/CodeSystem/condition-clinical",
                            "code": "active",
                        ]
                    ]
                ],
                "onsetDateTime": "2020-05",
            ],
            .observation("other", of: "Patient/b", ["valueString": "not hers"])
        )
        let page = await server.get("/patients/a").text
        #expect(page.contains("Ann Moss") && page.contains("1980-02-03"))
        #expect(page.contains("<svg") && page.contains("Body weight") && page.contains("71.25"))
        #expect(
            page.contains("Hay fever") && page.contains("2020-05")
                && page.contains("href=\"/resources/Condition/c\"")
        )
        #expect(page.contains("well") && !page.contains("not hers"))
        #expect(await server.get("/resources/Observation/w1").text.contains("71.25"))
        #expect(await server.get("/patients/nobody").status == 404)
        _ = await server.send("DELETE", "Patient/a")
        #expect(await server.get("/patients/a").status == 410)
    }

    @Test("whatever stands in a resource is text on the pages")
    func escaping() async throws {
        let server = try TestServer { $0.refusesInvalid = false }
        let text = JSONValue(Self.attack)
        await server.store(
            .patient(
                "a",
                family: Self.attack,
                [
                    "birthDate": text, "gender": text, "address": [["text": text]],
                    "telecom": [["value": text]],
                    "identifier": [["value": text, "type": ["text": text]]],
                ]
            ),
            .observation(
                "w",
                of: "Patient/a",
                [
                    "effectiveDateTime": "2026-01-01", "code": ["text": text],
                    "referenceRange": [["low": ["value": 1], "high": ["value": 2]]],
                    "valueQuantity": ["value": 3, "unit": text, "code": text],
                ]
            ),
            .observation(
                "t",
                of: "Patient/a",
                ["code": ["text": text], "valueString": text, "status": text]
            ),
            [
                "resourceType": "Condition", "id": "c", "subject": ["reference": "Patient/a"],
                "code": ["text": text], "onsetDateTime": text,
            ]
        )
        for path in [
            "/", "/?name=%3Cscript%3E", "/patients/a", "/resources/Condition/c", "/resources/Patient/a",
        ] {
            let page = await server.get(path)
            #expect(page.status == 200, "\(path)")
            #expect(!page.text.contains("<script"), "\(path)")
            #expect(!page.text.contains("alert('x')"), "\(path)")
        }
    }

    @Test("strange numbers make no strange drawing")
    func numbers() async throws {
        let server = try TestServer { $0.refusesInvalid = false }
        await server.store(.patient("a", family: "Moss"))
        for (index, digits) in ["1e308", "-1e308", "0", "1e-320", "1e999"].enumerated() {
            await server.store(
                .observation(
                    "w\(index)",
                    of: "Patient/a",
                    [
                        "effectiveDateTime": JSONValue("2026-01-0\(index + 1)"),
                        "valueQuantity": ["value": JSONValue(number: digits) ?? 0, "code": "kg"],
                    ]
                )
            )
        }
        let page = await server.get("/patients/a")
        #expect(page.status == 200)
        #expect(
            !page.text.contains("=\"nan") && !page.text.contains("=\"inf") && !page.text.contains("=\"-inf")
        )
    }

    @Test("activity, heart rate and sleep show by day, month and year in the samples' zone")
    func health() async throws {
        func code(_ system: String, _ code: String) -> JSONValue {
            ["coding": [["system": JSONValue(system), "code": JSONValue(code)]]]
        }
        let healthKit = "http://developer.apple.com/documentation/healthkit"
        func quantity(_ value: Int, _ unit: String) -> JSONValue {
            ["value": JSONValue(value), "system": "http://unitsofmeasure.org", "code": JSONValue(unit)]
        }
        let server = try TestServer()
        await server.store(
            .patient("a", family: "Moss"),
            .patient("b", family: "Reed"),
            .observation(
                "s",
                of: "Patient/a",
                [
                    "code": code("http://loinc.org", "55423-8"), "valueQuantity": quantity(100, "{steps}"),
                    "effectivePeriod": [
                        "start": "2026-03-28T23:30:00+01:00", "end": "2026-03-29T00:30:00+01:00",
                    ],
                ]
            ),
            .observation(
                "n",
                of: "Patient/a",
                [
                    "code": code(healthKit, "HKCategoryTypeIdentifierSleepAnalysis"),
                    "valueCodeableConcept": code("urn:example:sleep", "4"),
                    "effectivePeriod": [
                        "start": "2026-03-29T01:00:00+01:00", "end": "2026-03-29T04:00:00+02:00",
                    ],
                ]
            ),
            .observation(
                "h",
                of: "Patient/a",
                [
                    "code": code(healthKit, "HKCategoryTypeIdentifierHighHeartRateEvent"),
                    "effectiveDateTime": "2026-03-29T10:00:00+02:00",
                    "component": [
                        ["code": code("http://loinc.org", "8867-4"), "valueQuantity": quantity(177, "/min")]
                    ],
                ]
            ),
            .observation(
                "p",
                of: "Patient/a",
                [
                    "code": code("http://loinc.org", "85354-9"),
                    "effectiveDateTime": "2026-03-29T10:00:00+02:00",
                    "component": [
                        [
                            "code": code("http://loinc.org", "8480-6"),
                            "valueQuantity": quantity(128, "mm[Hg]"),
                        ],
                        [
                            "code": code("http://loinc.org", "8462-4"),
                            "valueQuantity": quantity(81, "mm[Hg]"),
                        ],
                    ],
                ]
            ),
            .observation(
                "w",
                of: "Patient/a",
                ["effectiveDateTime": "2026-03-29", "valueQuantity": quantity(70, "kg")]
            ),
            .observation(
                "o",
                of: "Patient/b",
                ["effectiveDateTime": "2026-03-29", "valueQuantity": quantity(99, "kg")]
            )
        )
        #expect(await server.get("/patients/a").text.contains("href=\"/patients/a/health\""))
        let month = await server.get("/patients/a/health?zone=Europe/Berlin")
        #expect(month.status == 200)
        for part in [
            "March 2026", "2026-03-28: 50", "2026-03-29: 50", "2026-03-29, Deep: 2 h 0 min", "128/81 mmHg",
            "70 kg",
        ] {
            #expect(month.text.contains(part), "\(part)")
        }
        #expect(!month.text.contains("177") && !month.text.contains("99 kg"))
        let day = await server.get("/patients/a/health?by=day&on=2026-03-29&zone=Europe/Berlin").text
        #expect(day.contains("Deep: 01:00 to 04:00") && day.contains("<title>Weight, 00:00: 70 kg</title>"))
        let west = await server.get("/patients/a/health?by=day&on=2026-03-28&zone=America/New_York").text
        #expect(west.contains("18:00: 50") && west.contains("19:00: 50") && !west.contains("70 kg"))
        #expect(await server.get("/patients/a/health?by=day&on=2026-03-29").text.contains("value=\"+02:00\""))
        #expect(
            await server.get("/patients/b/health?by=year&on=2020-01-01").text.contains("Nothing was measured")
        )
        for (path, status) in [
            ("a/health?by=week", 400), ("a/health?zone=Europe/Berlim", 400), ("a/health?on=2026-13-01", 400),
            ("c/health", 404),
        ] {
            #expect(await server.get("/patients/\(path)").status == status, "\(path)")
        }
    }

    @Test("pages only show: other methods, and addresses that are none, are refused")
    func methods() async throws {
        let server = try TestServer()
        #expect(await server.send("POST", "/").status == 405)
        #expect(await server.get("/nothing").status == 404)
        #expect(await server.get("/resources/Nothing/x").status == 404)
        #expect(await server.get("/style.css").text.contains(":root"))
    }
}

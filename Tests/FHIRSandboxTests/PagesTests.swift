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
                .observation("w\(index)", of: "Patient/a", [
                    "effectiveDateTime": JSONValue("2026-0\(index + 1)-01"),
                    "valueQuantity": ["value": JSONValue(value) ?? 0, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"],
                ]))
        }
        await server.store(
            .observation("text", of: "Patient/a", ["effectiveDateTime": "2026-01-01", "valueString": "well"]),
            ["resourceType": "Condition", "id": "c", "subject": ["reference": "Patient/a"], "code": ["text": "Hay fever"],
             "clinicalStatus": ["coding": [["code": "active"]]], "onsetDateTime": "2020-05"],
            .observation("other", of: "Patient/b", ["valueString": "not hers"]))
        let page = await server.get("/patients/a").text
        #expect(page.contains("Ann Moss") && page.contains("1980-02-03"))
        #expect(page.contains("<svg") && page.contains("Body weight") && page.contains("71.25"))
        #expect(page.contains("Hay fever") && page.contains("2020-05") && page.contains("href=\"/resources/Condition/c\""))
        #expect(page.contains("well") && !page.contains("not hers"))
        #expect(await server.get("/resources/Observation/w1").text.contains("71.25"))
        #expect(await server.get("/patients/nobody").status == 404)
        _ = await server.send("DELETE", "Patient/a")
        #expect(await server.get("/patients/a").status == 410)
    }

    @Test("whatever stands in a resource is text on the pages")
    func escaping() async throws {
        let server = try TestServer()
        let text = JSONValue(Self.attack)
        await server.store(
            .patient("a", family: Self.attack, ["birthDate": text, "gender": text, "address": [["text": text]], "telecom": [["value": text]],
                "identifier": [["value": text, "type": ["text": text]]]]),
            .observation("w", of: "Patient/a", [
                "effectiveDateTime": "2026-01-01", "code": ["text": text], "referenceRange": [["low": ["value": 1], "high": ["value": 2]]],
                "valueQuantity": ["value": 3, "unit": text, "code": text],
            ]),
            .observation("t", of: "Patient/a", ["code": ["text": text], "valueString": text, "status": text]),
            ["resourceType": "Condition", "id": "c", "subject": ["reference": "Patient/a"], "code": ["text": text], "onsetDateTime": text])
        for path in ["/", "/?name=%3Cscript%3E", "/patients/a", "/resources/Condition/c", "/resources/Patient/a"] {
            let page = await server.get(path)
            #expect(page.status == 200, "\(path)")
            #expect(!page.text.contains("<script"), "\(path)")
            #expect(!page.text.contains("alert('x')"), "\(path)")
        }
    }

    @Test("strange numbers make no strange drawing")
    func numbers() async throws {
        let server = try TestServer()
        await server.store(.patient("a", family: "Moss"))
        for (index, digits) in ["1e308", "-1e308", "0", "1e-320", "1e999"].enumerated() {
            await server.store(
                .observation("w\(index)", of: "Patient/a", [
                    "effectiveDateTime": JSONValue("2026-01-0\(index + 1)"), "valueQuantity": ["value": JSONValue(number: digits) ?? 0, "code": "kg"],
                ]))
        }
        let page = await server.get("/patients/a")
        #expect(page.status == 200)
        #expect(!page.text.contains("=\"nan") && !page.text.contains("=\"inf") && !page.text.contains("=\"-inf"))
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

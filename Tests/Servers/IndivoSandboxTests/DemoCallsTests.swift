import Foundation
import IndivoSandbox
import OAuth1
import Testing

/// The calls of an app's main job, over real HTTP.
@Suite("An app reads, adds, replaces and archives a medication")
struct DemoCallsTests {
    private func medication(_ title: String) -> String {
        """
        <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Medication">\
        <Field name="drugName_title">\(title)</Field><Field name="drugName_identifier">316153</Field>\
        <Field name="drugName_system">http://purl.bioontology.org/ontology/RXNORM/</Field>\
        <Field name="startDate">2026-11-21</Field></Model></Models>
        """
    }

    @Test("reports give the sample medications with their fills, in JSON and in XML")
    func reports() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let json = try await app.get("/records/\(record)/reports/Medication/")
            #expect(json.status == 200)
            #expect(json.header("Content-Type") == "application/json")
            let list = try #require(try JSONSerialization.jsonObject(with: json.body) as? [[String: Any]])
            #expect(list.count == 3)
            #expect(list.contains { ($0["fulfillments"] as? [Any])?.count == 4 })
            let xml = try await app.get(
                """
                /records/\(record)/reports/Medication/?response_format=application/xml&limit=1&\
                order_by=startDate
                """
            )
            #expect(xml.status == 200)
            #expect(xml.header("Content-Type") == "application/xml")
            #expect(xml.text.hasPrefix("<Models><Model documentId="))
            #expect(xml.text.contains("<Field name=\"drugName_title\">Lisinopril 10 MG Oral Tablet</Field>"))
            #expect(xml.text.contains("<Field name=\"dispenseDaysSupply\">90.0</Field>"))
        }
    }

    @Test("each of three people has sample data in every core model", arguments: 0..<3)
    func everyModel(person: Int) async throws {
        try await withSandbox { sandbox async throws in
            let records = try await sandbox.records()
            #expect(records.count == 3)
            let record = records[person].id
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let models = [
                "AllergyExclusion", "Allergy", "Equipment", "Immunization", "LabResult", "Measurement",
                "Medication", "Fill", "Problem",
                "Procedure", "SimpleClinicalNote", "VitalSigns", "Encounter",
            ]
            for model in models {
                let json = try await app.get("/records/\(record)/reports/\(model)/")
                #expect(json.status == 200)
                let list = try #require(try JSONSerialization.jsonObject(with: json.body) as? [[String: Any]])
                #expect(!list.isEmpty, "\(model)")
            }
        }
    }

    @Test("a document is added, labelled, replaced and archived, and its history is told")
    func lifeOfADocument() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let documents = "/records/\(record)/documents/"

            let created = try await app.post(documents, xml: medication("Vitamin C 500 MG"))
            #expect(created.status == 200, "\(created.text)")
            let first = try #require(created.text.firstMatch(of: /<Document id="([^"]+)"/)).output.1
            #expect(created.text.contains("<creator id=\"demo@example.org\" type=\"Account\">"))
            let content = try await app.get(documents + first)
            #expect(content.text == medication("Vitamin C 500 MG"))
            #expect(content.header("Content-Type") == "application/xml")

            let labelled = try await app.send(
                "PUT",
                documents + first + "/label",
                type: "text/plain",
                body: "vitamin & co"
            )
            #expect(labelled.text.contains("<label>vitamin &amp; co</label>"))

            let replaced = try await app.post(
                documents + first + "/replace",
                xml: medication("Vitamin C 1000 MG")
            )
            #expect(replaced.status == 200)
            let second = try #require(replaced.text.firstMatch(of: /<Document id="([^"]+)"/)).output.1
            #expect(replaced.text.contains("<replaces id=\"\(first)\"/><original id=\"\(first)\"/>"))
            let again = try await app.post(documents + first + "/replace", xml: medication("Vitamin C"))
            #expect(again.status == 400)

            let external = "/records/\(record)/documents/external/demo@apps.example.org/vitamin"
            let put = try await app.put(external, xml: medication("Vitamin D"))
            #expect(put.status == 200)
            #expect(try await app.put(external, xml: medication("Vitamin D")).status == 400)
            #expect(try await app.get(external + "/meta").status == 200)
            let third = try await app.put(
                documents + second + "/replace/external/demo@apps.example.org/v3",
                xml: medication("Vitamin C 250 MG")
            )
            #expect(third.status == 200)
            let latest = try #require(third.text.firstMatch(of: /<Document id="([^"]+)"/)).output.1

            let archived = try await app.post(
                documents + latest + "/set-status",
                form: ["status": "archived", "reason": "finished"]
            )
            #expect(archived.status == 200)
            let history = try await app.get(documents + latest + "/status-history")
            #expect(history.text.contains("status=\"archived\"><reason>finished</reason>"))
            let versions = try await app.get(documents + latest + "/versions/")
            #expect(versions.text.contains("total_document_count=\"2\""), "the archived one is not active")
            let report = try await app.get("/records/\(record)/reports/Medication/?status=archived")
            #expect(report.text.contains("Vitamin C 250 MG"))
            let list = try await app.get(documents + "?limit=2&order_by=-created_at")
            #expect(list.status == 200)
        }
    }

    @Test("a wrong consumer secret is refused as everything is")
    func wrongSecret() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let wrong = TestApp(sandbox, secret: "guessed").with(app.token)
            let answer = try await wrong.get("/records/\(record)")
            #expect(answer.status == 403)
            #expect(answer.text == "<h4>Permission Denied</h4>")
            #expect(answer.header("WWW-Authenticate") == nil)
        }
    }

    @Test("the account's record list and the demographics are read, and the latter are set")
    func recordListAndDemographics() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let records = try await app.get("/accounts/demo@example.org/records/")
            #expect(records.text.contains("<Record id=\"\(record)\" label=\"Ines Halloran\" />"))
            let before = try await app.get("/records/\(record)/demographics?response_format=application/xml")
            #expect(before.text.contains("<Field name=\"name_family\">Halloran</Field>"))
            let changed = """
                <Demographics \
                xmlns="http://indivo.org/vocab/xml/documents#"><dateOfBirth>1966-03-14</dateOfBirth>\
                <gender>female</gender><Name><familyName>Brandt</familyName><givenName>Ines</givenName>\
                </Name>\
                </Demographics>
                """
            let set = try await app.put("/records/\(record)/demographics", xml: changed)
            #expect(set.status == 200)
            #expect(set.text.contains("<replaces id="))
            let after = try await app.get("/records/\(record)/demographics?response_format=application/json")
            #expect(after.text.contains("\"name_family\": \"Brandt\""))
            let rdf = try await app.get("/records/\(record)/demographics")
            #expect(rdf.header("Content-Type") == "application/rdf+xml")
            let wrong = try await app.put("/records/\(record)/demographics", xml: "<Demographics/>")
            #expect(wrong.status == 400)
            #expect(wrong.text.hasPrefix("Input document didn't validate, error was: "))
        }
    }
}

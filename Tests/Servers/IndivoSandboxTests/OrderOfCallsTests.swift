import Foundation
import IndivoSandbox
import Testing

@Suite("Calls in an order that an app seldom makes them in")
struct OrderOfCallsTests {
    private func model(_ name: String, _ fields: KeyValuePairs<String, String>) -> String {
        let content = fields.map { "<Field name=\"\($0.key)\">\($0.value)</Field>" }.joined()
        return
            """
            <Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model \
            name=\"\(name)\">\(content)</Model></Models>
            """
    }

    @Test("an attachment reaches a message whoever announced it")
    func attachments() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let admin = TestApp(sandbox, key: "ui-key", secret: "ui-secret")
            let inbox = "/records/\(world.record)/inbox/"
            #expect(
                try await admin.post(inbox + "m2", form: ["subject": "s", "num_attachments": "1"]).status
                    == 200
            )
            #expect(
                try await world.owner.post(inbox + "m2/attachments/1", xml: "<a xmlns=\"urn:a\"/>").status
                    == 200
            )
            let list = try await world.owner.get("/accounts/\(World.victim)/inbox/")
            #expect(list.text.contains("<attachment num=\"1\" type=\"urn:aa\""))
        }
    }

    @Test("a message that is archived again keeps the time of the first")
    func archive() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let inbox = "/accounts/\(World.victim)/inbox/"
            func archivedAt() async throws -> String {
                #expect(try await world.owner.send("POST", inbox + world.message + "/archive").status == 200)
                let list = try await world.owner.get(inbox + "?include_archive=1")
                let match = try #require(list.text.firstMatch(of: /<archived_at>([^<]+)</))
                return String(match.output.1)
            }
            let first = try await archivedAt()
            let second = try await archivedAt()
            #expect(second == first)
        }
    }

    @Test("a carenet lists what was shared when it is voided, and when it is replaced")
    func carenet() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let document = "/records/\(world.record)/documents/\(world.document)"
            let list = "/carenets/\(world.carenet)/documents/"
            #expect(
                try await world.ownerSession.send("PUT", document + "/carenets/" + world.carenet).status
                    == 200
            )
            #expect(
                try await world.owner.post(document + "/set-status", form: ["status": "void", "reason": "r"])
                    .status == 200
            )
            #expect(try await world.owner.get(list).text.contains("<status>void</status>"))
            #expect(try await world.owner.post(document + "/replace", xml: "<a/>").status == 200)
            #expect(try await world.owner.get(list).text.contains("<Document id=\"\(world.document)\""))
            let unknown = list + "?type=urn%3Axsecret"
            #expect(try await world.owner.get(unknown).status == 404)
            #expect(try await world.owner.get(list + "?type=").status == 200)
        }
    }

    @Test("demographics that were replaced as any document is can be set no more")
    func demographics() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let record = "/records/\(world.record)"
            let content = """
                <Demographics xmlns="http://indivo.org/vocab/xml/documents#">\
                <dateOfBirth>1950-01-01</dateOfBirth><gender>male</gender>\
                <Name><familyName>X</familyName><givenName>Y</givenName></Name></Demographics>
                """
            let path = record + "/demographics"
            let set = try await world.owner.send("PUT", path, type: "application/xml", body: content)
            let id = try World.id(set, "Document")
            let again = record + "/documents/\(id)/replace"
            #expect(try await world.owner.post(again, xml: content).status == 200)
            let list = try await world.owner.get(record + "/documents/?limit=500").text
            let refused = try await world.owner.send("PUT", path, type: "application/xml", body: content)
            #expect(refused.status == 500)
            // What was set is known all the same.
            #expect(try await world.owner.get(path).status == 200)
            #expect(try await world.owner.get(record + "/documents/?limit=500").text == list)
        }
    }

    @Test("documents without a label come last in a list by label, and first in reverse")
    func missingLabels() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let documents = "/records/\(world.record)/documents/"
            let label = documents + world.document + "/label"
            let text = "a label"
            #expect(try await world.owner.send("PUT", label, type: "text/plain", body: text).status == 200)
            for (order, isFirst) in [("label", true), ("-label", false)] {
                let list = try await world.owner.get(documents + "?limit=1&order_by=" + order).text
                #expect(list.contains("<label>\(text)</label>") == isFirst, "\(order)")
            }
        }
    }

    @Test("the audit of a record has no calls on its carenets")
    func audit() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            #expect(try await world.owner.get("/carenets/\(world.carenet)/documents/").status == 200)
            #expect(try await world.owner.get("/records/\(world.record)/documents/").status == 200)
            let audit = try await world.owner.get("/records/\(world.record)/audits/query/").text
            #expect(audit.contains("record_document_list") && !audit.contains("carenet_document_list"))
        }
    }

    @Test("content is refused before an unknown relation is")
    func relation() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let relations = "/records/\(world.record)/documents/\(world.document)/rels/"
            #expect(try await world.owner.post(relations + "unknown/", xml: "<a").status == 400)
            let list = "/records/\(world.record)/documents/?limit=500"
            let before = try await world.owner.get(list)
            #expect(try await world.owner.post(relations + "unknown/", xml: "<a/>").status == 404)
            #expect(try await world.owner.get(list).text == before.text)
        }
    }

    @Test("a medication without instructions has empty ones in RDF")
    func instructions() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let medication = model(
                "Medication",
                [
                    "drugName_title": "x", "drugName_identifier": "1", "startDate": "2026-01-02",
                    "drugName_system": "http://purl.bioontology.org/ontology/RXNORM/",
                ]
            )
            let record = "/records/\(world.record)"
            #expect(try await world.owner.post(record + "/documents/", xml: medication).status == 200)
            let graph = try await world.owner.get(record + "/medications/")
            #expect(graph.text.contains("<sp:instructions></sp:instructions>"))
        }
    }

    @Test("vital signs without an encounter and a lone fill have no graph")
    func graphs() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let record = "/records/\(world.record)"
            #expect(try await world.owner.get(record + "/vital_signs/").status == 200)
            #expect(
                try await world.owner.post(
                    record + "/documents/",
                    xml: model("VitalSigns", ["date": "2009-01-01"])
                ).status == 200
            )
            let signs = try await world.owner.get(record + "/vital_signs/")
            #expect(signs.status == 500)
            let encounter = [
                ("startDate", "2009-01-01"), ("encounterType_identifier", "ambulatory"),
                ("encounterType_title", "Ambulatory encounter"),
                ("encounterType_system", "http://smartplatforms.org/terms/codes/EncounterType#"),
            ].map { #"<Field name="\#($0)">\#($1)</Field>"# }.joined()
            let models = "<Model name=\"Encounter\">\(encounter)</Model>"
            let complete = model("VitalSigns", ["date": "2010-01-01", "encounter": models])
            #expect(try await world.owner.post(record + "/documents/", xml: complete).status == 200)
            let newest = "/reports/VitalSigns/?limit=1&response_format=application%2Frdf%2Bxml"
            let graph = try await world.owner.get(record + newest).text
            #expect(graph.contains("sp:bloodPressure") && !graph.contains("sp:systolic"))
            let fill = model("Fill", ["date": "2009-01-01", "dispenseDaysSupply": "3"])
            #expect(try await world.owner.post(record + "/documents/", xml: fill).status == 200)
            #expect(try await world.owner.get(record + "/fulfillments/").status == 500)
        }
    }
}

import Foundation
import IndivoSandbox
import OAuth1
import Testing

private let prefixedModels = """
    <M:Models xmlns:M="http://indivo.org/vocab/xml/documents#"><M:Model name="X"/></M:Models>
    """

@Suite("Messages, relations, app storage and audits")
struct CallTests {
    private func withApp(
        _ configuration: SandboxConfiguration = SandboxConfiguration(),
        _ body: (TestApp, String) async throws -> Void
    ) async throws {
        try await withSandbox(configuration) { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            try await body(app, "/records/\(record)")
        }
    }

    @Test("a message reaches the inbox once, with its attachment, and is marked when read")
    func messages() async throws {
        try await withApp { app, record in
            let form: FormParameters = [
                "subject": "Hello & welcome", "body": "*hi*", "body_type": "markdown", "num_attachments": "1",
            ]
            #expect(try await app.post(record + "/inbox/m1", form: form).status == 200)
            let again = try await app.post(record + "/inbox/m1", form: form)
            #expect(again.status == 400)
            #expect(again.text == "Duplicate external id. Each message requires a unique message_id")
            let attachment = record + "/inbox/m1/attachments/"
            #expect(try await app.post(attachment + "1", xml: "<a xmlns=\"urn:a#\"/>").status == 200)
            #expect(try await app.post(attachment + "1", xml: "<a/>").status == 400)
            #expect(try await app.post(attachment + "2", xml: "<a/>").status == 500)
            let inbox = try await app.get("/accounts/demo@example.org/inbox/")
            #expect(inbox.text.contains("<subject>Hello &amp; welcome</subject>"))
            let id = try World.id(inbox, "Message")
            let message = try await app.get("/accounts/demo@example.org/inbox/\(id)")
            #expect(message.text.contains("<body>&lt;p&gt;&lt;em&gt;hi&lt;/em&gt;&lt;/p&gt;</body>"))
            #expect(message.text.contains("<attachment num=\"1\" type=\"urn:a#a\" size=\"19\" />"))
            #expect(message.text.contains("<read_at>2"))
            #expect(try await app.post(record + "/notify", form: ["content": "ready"]).status == 200)
            let notifications = try await app.get("/accounts/demo@example.org/notifications/")
            #expect(notifications.text.contains("<content>ready</content>"))
        }
    }

    @Test("a path of more than 200 characters gets a 500, and the call is done all the same")
    func longPath() async throws {
        try await withApp { app, record in
            let folder = record + "/documents/external/demo@apps.example.org/"
            let longest = String(repeating: "x", count: 200 - folder.count - "/meta".count)
            #expect(try await app.put(folder + longest, xml: "<a/>").status == 200)
            #expect(try await app.get(folder + longest + "/meta").status == 200)
            let list = record + "/documents/?limit=1&label=" + String(repeating: "z", count: 200)
            let before = try await app.get(list)
            #expect(before.status == 200, "a query does not count")
            let name = String(repeating: "y", count: 201 - folder.count)
            #expect(try await app.put(folder + name, xml: "<a/>").status == 500)
            #expect(
                try await app.with(nil).put(folder + name, xml: "<a/>").status == 403,
                "what is refused is not made"
            )
            let after = try await app.get(list)
            let count = #/total_document_count="(\d+)"/#
            let counts = [before, after].compactMap { $0.text.firstMatch(of: count).flatMap { Int($0.1) } }
            #expect(counts.count == 2 && counts.last == counts.first.map { $0 + 1 })
        }
    }

    @Test("documents are related, in one direction, and told so from both ends")
    func relations() async throws {
        try await withApp { app, record in
            let subject = try World.id(try await app.post(record + "/documents/", xml: "<s/>"), "Document")
            let made = try await app.post(record + "/documents/\(subject)/rels/annotation/", xml: "<note/>")
            #expect(made.status == 200)
            #expect(!made.text.contains("<latest"))
            let object = try World.id(made, "Document")
            let meta = try await app.get(record + "/documents/\(subject)/meta")
            #expect(
                meta.text.contains(
                    """
                    <relatesTo><relation type=\"http://indivo.org/vocab/documentrels#annotation\" \
                    count=\"1\" />
                    """
                )
            )
            let list = try await app.get(record + "/documents/\(subject)/rels/annotation/")
            #expect(list.text.contains("<Document id=\"\(object)\""))
            #expect(
                try await app.send("PUT", record + "/documents/\(subject)/rels/bogus/\(object)").status == 404
            )
        }
    }

    @Test("an app's storage is overwritten in place, listed, and really deleted")
    func appStorage() async throws {
        try await withApp { app, record in
            let storage = record + "/apps/demo@apps.example.org/documents/"
            let first = try World.id(
                try await app.put(storage + "external/prefs", xml: "<p v=\"1\"/>"),
                "Document"
            )
            let second = try World.id(
                try await app.put(storage + "external/prefs", xml: "<p v=\"2\"/>"),
                "Document"
            )
            #expect(first == second)
            #expect(try await app.get(storage + first).text == "<p v=\"2\"/>")
            #expect(
                try await app.get(record + "/documents/\(first)").status == 404,
                "it is no document of the record"
            )
            #expect(try await app.get(storage).text.contains("total_document_count=\"1\""))
            #expect(try await app.send("DELETE", storage + first).status == 200)
            #expect(try await app.send("DELETE", storage + first).status == 404)
            let binary = try await app.send("POST", storage, type: "image/png", body: "not really")
            let image = try await app.get(storage + (try World.id(binary, "Document")))
            #expect(image.header("Content-Type") == "image/png")
            #expect(image.text == "not really")
        }
    }

    @Test("the record's audit tells of reading and writing, of this call too the next time")
    func audits() async throws {
        // Entries are ordered by the second, the newest first, and within one as they were made.
        let start = Date()
        var configuration = SandboxConfiguration()
        configuration.now = { start }
        try await withApp(configuration) { app, record in
            let document = try World.id(try await app.post(record + "/documents/", xml: "<d/>"), "Document")
            _ = try await app.get(record + "/documents/\(document)")
            _ = try await app.post(record + "/documents/", xml: "<broken")
            let audits = try await app.get(record + "/audits/query/?function_name=document_create")
            #expect(audits.text.contains("total_document_count=\"2\""))
            #expect(audits.text.contains("request_successful=\"false\""))
            #expect(
                audits.text.contains(
                    "effective_principal=\"demo@example.org\" proxied_principal=\"demo@apps.example.org\""
                )
            )
            let reads = try await app.get(record + "/audits/documents/\(document)/")
            #expect(reads.text.contains("view_func=\"record_specific_document\""))
            let relations = record + "/documents/\(document)/rels/annotation/"
            #expect(try await app.send("PUT", relations + document).status == 200)
            #expect(try await app.get(relations).status == 200)
            let ofDocument = try await app.get(record + "/audits/query/?document_id=\(document)")
            let functions = ofDocument.text.matches(of: /view_func="([^"]+)"/).map { String($0.output.1) }
            #expect(functions == ["record_specific_document", "audit_document_view", "get_documents_by_rel"])
            let own = try await app.get(record + "/audits/query/?function_name=audit_query")
            #expect(own.text.contains("total_document_count=\"2\""))
        }
    }

    @Test(
        "what is wrong with a document is said as the real server says it",
        arguments: [
            (
                "<bad",
                """
                Input document didn't parse as XML, error was: Couldn't find end of Start Tag bad line 1, \
                line 1, column 5 (line 1)
                """
            ),
            (
                "",
                "Input document didn't parse as XML, error was: Document is empty, line 1, column 1 (line 1)"
            ),
            (
                prefixedModels,
                "Invalid SDM data: SDM model specified a non-existent data-model: X"
            ),
        ]
    )
    func malformed(document: String, sentence: String) async throws {
        try await withApp { app, record in
            let answer = try await app.post(record + "/documents/", xml: document)
            #expect(answer.status == 400)
            #expect(answer.text == "the document submitted is malformed:" + sentence)
        }
    }

    @Test(
        "what is wrong with a field is said as the real server says it",
        arguments: [
            (
                "startDate", "16 May",
                """
                Invalid SDM data: SDM data for field startDate should have been an iso8601 datetime: got 16 \
                May instead
                """
            ),
            (
                "startDate", "2009-05-16T12:00:00+02:00",
                """
                Invalid SDM data: SDM data for field startDate should have been an iso8601 datetime: got \
                2009-05-16T12:00:00+02:00 instead
                """
            ),
            (
                "name_system", "urn:other",
                """
                Problem object didn't validate: name_system -- Invalid value: urn:other. Expected one of: \
                http://purl.bioontology.org/ontology/SNOMEDCT/
                """
            ),
            (
                "name_title", String(repeating: "x", count: 256),
                """
                Problem object didn't validate: name_title -- Ensure this value has at most 255 characters \
                (it has 256).
                """
            ),
            ("colour", "red", "Invalid SDM data: Non-existent data field: colour"),
        ]
    )
    func fields(name: String, value: String, sentence: String) async throws {
        try await withApp { app, record in
            var fields = [
                "name_title": "Backache", "name_identifier": "161891005", "startDate": "2009-05-16",
                "name_system": "http://purl.bioontology.org/ontology/SNOMEDCT/",
            ]
            fields[name] = value
            let content = fields.map { "<Field name=\"\($0.key)\">\($0.value)</Field>" }.joined()
            let answer = try await app.post(
                record + "/documents/",
                xml:
                    """
                    <Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model \
                    name=\"Problem\">\(content)</Model></Models>
                    """
            )
            #expect(answer.status == 400)
            #expect(answer.text == "the document submitted is malformed:" + sentence)
        }
    }
}

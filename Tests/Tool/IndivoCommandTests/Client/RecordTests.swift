import Foundation
import Testing

@Suite("indivo record, demographics, message, notify, audit and app-documents")
struct RecordTests {
    @Test("the record is told in each form")
    func record() async throws {
        try await ClientTool.use { client in
            let table = try await client.run("record")
            #expect(table.output.contains(client.record))
            let object = try jsonObject(try await client.run("record", "--json").output)
            #expect(object["id"] as? String == client.record)
        }
    }

    @Test("demographics come as they can be set again")
    func demographics() async throws {
        try await ClientTool.use { client in
            let xml = try await client.run("demographics", "--xml")
            #expect(xml.status == 0, "\(xml.errors)")
            let changed = try #require(xml.output.contains("<familyName>") ? xml.output : nil)
                .replacing(/<familyName>[^<]*</, with: "<familyName>Oddname<")
            let set = try await client.run("demographics", "set", "-", "--json", input: changed)
            #expect(set.status == 0, "\(set.errors)")
            #expect(try jsonObject(set.output)["id"] as? String != nil)
            #expect(try await client.run("demographics").output.contains("Oddname"))
            let sdmj = try json(try await client.run("demographics", "show", "--json").output)
            #expect(sdmj.first?["__modelname__"] as? String == "Demographics")
            #expect(sdmj.first?["name_family"] as? String == "Oddname")
            let wrong = try await client.run("demographics", "set", "-", input: "<Equipment/>")
            #expect(wrong.status == 2)
            #expect(wrong.errors.contains("indivo demographics --xml"))
        }
    }

    @Test("messages and notifications take their text from standard input, and arrive")
    func messages() async throws {
        try await ClientTool.use { client in
            try client.tool.write(vitaminC, to: "c.xml")
            let sent = try await client.run(
                "message",
                "--attach",
                "c.xml",
                "--severity",
                "high",
                "--json",
                input: "Results\n\nAll is well.\n"
            )
            #expect(sent.status == 0, "\(sent.errors)")
            let id = try #require(try jsonObject(sent.output)["id"] as? String)
            let inbox = try await client.run("call", "GET", "/accounts/demo@example.org/inbox/")
            let found = try client.tool.run("select", "Message", "--attr", "id", input: inbox.output).output
            let message = try await client.run(
                "call",
                "GET",
                "/accounts/demo@example.org/inbox/\(found.dropLast())"
            )
            #expect(message.output.contains(">Results<") && message.output.contains("All is well."))
            #expect(message.output.contains("<attachment "))
            let twice = try await client.run("message", "--id", id, "--subject", "s", "--body", "b")
            #expect(twice.status == 3)
            #expect(try await client.run("message", input: "one line").status == 2)
            #expect(try await client.run("message", "--subject", "s", input: " \n").status == 2)
            #expect(try await client.run("message", "--severity", "grave", input: "a\nb").status == 2)

            let notified = try await client.run("notify", "--body-file", "-", input: "New results are here.")
            #expect(notified.status == 0, "\(notified.errors)")
            let notifications = try await client.run(
                "call",
                "GET",
                "/accounts/demo@example.org/notifications/"
            )
            #expect(notifications.output.contains("New results are here."))
            #expect(try await client.run("notify", "--body", String(repeating: "x", count: 501)).status == 2)
        }
    }

    @Test("audits tell who asked for what, by call and document")
    func audit() async throws {
        try await ClientTool.use { client in
            let id = try await client.addMedication()
            #expect(try await client.run("documents", "get", id).status == 0)
            let audit = try await client.run(
                "audit",
                "--document",
                id,
                "--call",
                "record_specific_document",
                "--json"
            )
            #expect(audit.status == 0, "\(audit.errors)")
            #expect(try json(audit.output).count == 1)
            let table = try await client.run("audit", "--limit", "2")
            #expect(table.output.hasPrefix("date") && table.output.split(separator: "\n").count == 4)
            #expect(try await client.run("audit", "--call", "no_such_call").status == 1)
            let counts = try await client.run(
                "audit",
                "--aggregate",
                "count:function",
                "--group-by",
                "function",
                "--json"
            )
            #expect(try json(counts.output).contains { $0["group"] as? String == "record_specific_document" })
        }
    }

    @Test("the app's own documents are kept in the record and for all records")
    func appDocuments() async throws {
        try await ClientTool.use { client in
            for place in [[], ["--all-records"]] {
                func run(_ arguments: String..., input: String = "") async throws -> Tool.Result {
                    try await client.run(["app-documents"] + arguments + place, input: input)
                }
                #expect(try await run("list").status == 1)
                let added = try await run(
                    "add",
                    "-",
                    "--external-id",
                    "settings",
                    "--json",
                    input: "<a>1</a>"
                )
                let id = try #require(try jsonObject(added.output)["id"] as? String, "\(added.errors)")
                #expect(try json(try await run("list", "--json").output).count == 1)
                #expect(try await run("get", id).output == "<a>1</a>")
                let replaced = try await run("replace", "-", "--external-id", "settings", input: "<a>2</a>")
                #expect(replaced.status == 0, "\(replaced.errors)")
                #expect(try await run("get", "--external-id", "settings").output == "<a>2</a>")
                #expect(try await run("replace", "-", "--external-id", "other", input: "<a/>").status == 1)
                #expect(
                    try jsonObject(try await run("label", id, "mine", "--json").output)["label"] as? String
                        == "mine"
                )
                #expect(try jsonObject(try await run("meta", id, "--json").output)["id"] as? String == id)
                #expect(try await run("delete", id).status == 0)
                #expect(try await run("get", id).status == 1)
            }
            #expect(try await client.withoutToken.run("app-documents", "list", "--all-records").status == 1)
        }
    }
}

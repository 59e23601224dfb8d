import Foundation
import IndivoSandbox
import IndivoXML
import OAuth1
import Testing

@Suite("What XML cannot carry, in the sandbox")
struct ForbiddenCharacterTests {
    @Test(
        "other clients' labels, reasons and messages leave all lists well-formed",
        arguments: ["\u{1}", "\u{B}", "\u{C}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"]
    )
    func lists(character: String) async throws {
        try await withSandbox { sandbox async throws in
            let id = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: id)
            let record = "/records/\(id)"
            let text = "a\(character)b"
            let document = try World.id(try await app.post(record + "/documents/", xml: "<s/>"), "Document")
            let storage = record + "/apps/demo@apps.example.org/documents/"
            let kept = try World.id(try await app.put(storage + "external/prefs", xml: "<p/>"), "Document")
            let answers = [
                try await app.send(
                    "PUT",
                    record + "/documents/\(document)/label",
                    type: "text/plain",
                    body: text
                ),
                try await app.send("PUT", storage + kept + "/label", type: "text/plain", body: text),
                try await app.post(
                    record + "/documents/\(document)/set-status",
                    form: ["status": "void", "reason": text]
                ),
                try await app.post(record + "/inbox/m1", form: ["subject": text, "body": text]),
                try await app.post(record + "/notify", form: ["content": text]),
            ]
            #expect(answers.map(\.status) == [200, 200, 200, 200, 200])
            let inbox = try await app.get("/accounts/demo@example.org/inbox/")
            let lists = [
                answers[0], answers[1], inbox, try await app.get(record + "/documents/?status=void"),
                try await app.get(record + "/documents/\(document)/meta"),
                try await app.get(record + "/documents/\(document)/status-history"),
                try await app.get("/accounts/demo@example.org/inbox/\(try World.id(inbox, "Message"))"),
                try await app.get("/accounts/demo@example.org/notifications/"), try await app.get(storage),
            ]
            for list in lists {
                let root = try XMLNode(parsing: list.body)
                #expect(try root.xml().contains("a\u{FFFD}b"), "\(root.name)")
            }
        }
    }
}

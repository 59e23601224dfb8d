import Foundation
import Testing

@testable import IndivoSandbox

@Suite("Where the real server fails with 500, so does the sandbox, and its page says why")
struct ServerFailureTests {
    private typealias Case = ServerCase

    private static let form = "application/x-www-form-urlencoded"
    private static let xml = "application/xml"
    private static let namespace = "http://indivo.org/vocab/xml/documents#"

    private static func measurement(_ changes: [String: String?] = [:]) -> String {
        let fields = ["type": "q", "value": "1", "unit": "k", "datetime": "2026-01-01T00:00:00Z"].merging(
            changes.compactMapValues(\.self)
        ) { $1 }.filter { changes[$0.key] != .some(nil) }
        return models("Measurement", fields)
    }

    private static func models(_ name: String, _ fields: [String: String]) -> String {
        let content = fields.map { "<Field name=\"\($0.key)\">\($0.value)</Field>" }.joined()
        return
            "<Models xmlns=\"\(namespace)\"><Model name=\"\(name)\">\(content)</Model></Models>"
    }

    @Test("a page that no list has, an order by no column, and an aggregate without groups")
    func lists() async throws {
        let large = String(repeating: "9", count: 20)
        let reports = "{R}/reports/"
        let lists = [
            "{R}/documents/", "{R}/documents/{D}/versions/", reports + "Problem/",
            reports + "minimal/equipment/",
        ]
        let pages = ["limit=-1", "offset=-1", "limit=\(large)", "offset=\(large)"]
        try await checkAnswers(
            lists.flatMap { list in pages.map { Case(list + "?" + $0, 500) } }
                + [
                    // A page may end before it begins, but not before the first row.
                    Case("{R}/documents/?limit=-1&offset=1", 200, "total_document_count="),
                    Case(reports + "Problem/?limit=-2&offset=50", 200, "[]"),
                    Case(reports + "Problem/?limit=-2&offset=1", 500),
                    // A list by type has no pages.
                    Case("{R}/documents/?type=Problem&offset=-1", 200),
                    Case("{R}/documents/?type=Problem&limit=\(large)", 200),
                    Case("{R}/documents/?order_by=nonsense", 500),
                    Case("{R}/documents/{D}/versions/?order_by=x", 500),
                    Case("/accounts/demo@example.org/inbox/?order_by=", 500),
                    Case("/accounts/demo@example.org/inbox/?limit=\(large)", 200),
                    Case("{R}/documents/?limit=\(Int.max)&offset=\(Int.max)", 200),
                    Case(reports + "Problem/?limit=\(Int.max)", 200, "Problem"),
                    Case("{R}/audits/query/?limit=-1", 500),
                    Case("{R}/audits/?limit=\(large)", 500),
                    Case("{R}/audits/?limit=-1", 404),
                    Case(reports + "Measurement/?aggregate_by=count*type", 500),
                    Case(reports + "Measurement/?date_group=value*day&aggregate_by=count*type", 500),
                    Case(reports + "Demographics/", 500),
                    // A sentence of the server that repeats what is not ASCII.
                    Case(reports + "Problem/?order_by=%C3%A9", 500),
                    Case(reports + "Problem/?aggregate_by=%C3%A9*name_title", 500),
                    Case(reports + "Problem/?name_title=%C3%A9", 400, "u'\\xe9'"),
                    Case(reports + "Problem/?name_title=a%00b", 400, "cannot contain NUL (0x00)"),
                    Case(reports + "minimal/equipment/?equipment_name=%00", 400, "cannot contain NUL"),
                    Case("{R}/audits/query/?document_id=x%7Ca%00", 400, "cannot contain NUL"),
                    Case("{R}/documents/?status=a%00", 400, "Argument status must be formatted"),
                ]
        )
    }

    @Test("messages that do not fit, and names of what is not there, fail with 500")
    func messages() async throws {
        func long(_ count: Int) -> String { String(repeating: "x", count: count) }
        try await checkAnswers([
            Case("POST", "{R}/inbox/m1", type: Self.form, "num_attachments=1", 200),
            Case("POST", "{R}/inbox/m2", type: Self.form, "subject=\(long(101))", 500),
            Case("POST", "{R}/inbox/m2", type: Self.form, "body_type=\(long(101))", 500),
            Case("POST", "{R}/inbox/m2", type: Self.form, "subject=a%00b", 500),
            Case("POST", "{R}/inbox/m2", type: Self.form, "body=a%00b", 500),
            Case("POST", "{R}/inbox/m2", type: Self.form, "num_attachments=x", 500),
            Case("POST", "{R}/inbox/m2", type: Self.form, "num_attachments=3000000000", 500),
            Case("POST", "{R}/inbox/m1/attachments/2", type: Self.xml, "<a/>", 500),
            Case("POST", "{R}/inbox/m1/attachments/x", type: Self.xml, "<a/>", 500),
            Case("POST", "{R}/inbox/m1/attachments/1", type: Self.xml, "<a>", 500),
            Case("POST", "{R}/notifications/", type: Self.form, "content=\(long(501))", 500),
            Case("POST", "{R}/notifications/", type: Self.form, "content=a%00b", 500),
            Case("POST", "{R}/notifications/", type: Self.form, "content=x&app_url=\(long(501))", 500),
            Case("POST", "{R}/notifications/", type: Self.form, "content=x&document_id=none", 500),
            Case("/accounts/demo@example.org/inbox/none", 500),
            Case("POST", "/accounts/demo@example.org/inbox/none/archive", 500),
            Case("POST", "/accounts/demo@example.org/inbox/none/attachments/1/accept", 500),
        ])
    }

    @Test("an attachment is accepted once, by its number")
    func acceptedAttachments() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let sent = "/records/\(world.record)/inbox/m9"
            _ = try await world.owner.post(sent, form: ["num_attachments": "1"])
            let inbox = "/accounts/\(World.victim)/inbox/"
            let message = try World.id(try await world.owner.get(inbox), "Message")
            #expect(try await world.owner.post(sent + "/attachments/1", xml: "<a/>").status == 200)
            let accepted = "\(inbox)\(message)/attachments/"
            for (number, status) in [("2", 500), ("x", 400), ("1", 200), ("1", 500)] {
                let answer = try await world.owner.send("POST", accepted + number + "/accept")
                #expect(answer.status == status, "\(number): \(answer.text)")
                #expect(status != 400 || answer.text == "invalid literal for int() with base 10: 'x'")
            }
        }
    }

    @Test("documents that its database has no room for, and a label that is no text")
    func documents() async throws {
        let namespace = "<a xmlns=\"b:\(String(repeating: "x", count: 252))\"/>"
        let longer = namespace.replacing("b:", with: "b:x")
        let type = "a/" + String(repeating: "x", count: 99)
        let label = String(repeating: "x", count: 101)
        try await checkAnswers([
            Case("POST", "{R}/documents/", type: Self.xml, namespace, 200),
            Case("POST", "{R}/documents/", type: Self.xml, longer, 500),
            Case("POST", "{R}/documents/{D}/replace", type: Self.xml, longer, 404),
            Case("POST", "{R}/apps/{A}/documents/", type: Self.xml, longer, 500),
            Case("POST", "{R}/documents/", type: type, "x", 500),
            Case("PUT", "{R}/documents/{D}/label", type: "text/plain", label, 500),
            Case("PUT", "{R}/documents/{D}/label", type: "text/plain", "a\0b", 500),
        ])
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let documents = "/records/\(world.record)/documents/"
            let bytes = Data([0xFF, 0xFE])
            for (method, path, status) in [
                ("PUT", world.document + "/label", 500), ("POST", "", 500),
                ("POST", world.document + "/replace", 404),
                ("POST", world.document + "/rels/annotation/", 500),
            ] {
                let answer = try await world.owner.send(
                    method,
                    documents + path,
                    type: "text/plain",
                    data: bytes
                )
                #expect(answer.status == status, "\(path): \(answer.text)")
            }
        }
    }

    @Test(
        "a fact without a value that it must have is not stored, nor is its document",
        arguments: ["type", "unit", "value", "datetime"]
    )
    func emptyFields(field: String) async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let documents = "/records/\(world.record)/documents/"
            let before = try await world.owner.get(documents + "?limit=500").text
            for (method, path, status) in [
                ("POST", "", 500), ("PUT", "external/demo@apps.example.org/e9", 500),
                ("POST", world.document + "/replace", 404),
                ("POST", world.document + "/rels/annotation/", 500),
            ] {
                let document = Self.measurement([field: ""])
                let answer = try await world.owner.send(
                    method,
                    documents + path,
                    type: Self.xml,
                    body: document
                )
                #expect(answer.status == status, "\(path): \(answer.text)")
            }
            #expect(try await world.owner.get(documents + "?limit=500").text == before)
            // One that is left out is "" where it is a text.
            let isText = field == "type" || field == "unit"
            let omitted = try await world.owner.post(documents, xml: Self.measurement([field: nil]))
            #expect(omitted.status == (isText ? 200 : 500))
        }
    }

    @Test("a mistake beside an empty field is told first; an empty name is no equipment")
    func orderOfMistakes() async throws {
        let empty = ["type": "", "value": "1", "unit": "k", "datetime": "2026-01-01"]
        let equipment = "<Equipment xmlns=\"\(Self.namespace)\"><name>n</name><vendor></vendor></Equipment>"
        let path = "{R}/documents/"
        try await checkAnswers([
            Case(
                "POST",
                path,
                type: Self.xml,
                Self.models("Measurement", empty.merging(["foo": "1"]) { $1 }),
                400,
                "Non-existent data field: foo"
            ),
            Case(
                "POST",
                path,
                type: Self.xml,
                Self.models("Measurement", empty.merging(["unit": "123456789"]) { $1 }),
                400,
                "unit -- Ensure"
            ),
            Case("POST", path, type: Self.xml, equipment, 200),
            Case("POST", path, type: Self.xml, equipment.replacing(">n<", with: "><"), 500),
        ])
    }

    @Test("digits of any script make a number, and what is no number is an error")
    func digits() async throws {
        let good = ["٣", "३٣.٥", "-３", "1e٢", "\u{A0}7", "𝟛"]
        let bad = [("²", 500), ("é", 500), ("−3", 500), ("1_0", 400), ("0x1", 400)]
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let record = "/records/\(world.record)"
            for (value, status) in good.map({ ($0, 200) }) + bad {
                let document = Self.measurement(["type": "dig", "value": value])
                let answer = try await world.owner.post(record + "/documents/", xml: document)
                #expect(answer.status == status, "\(value): \(answer.text)")
            }
            let report = try await world.owner.get(record + "/reports/Measurement/?type=dig")
            let values = report.text.matches(of: /"value": ([^,}]+)/).map { String($0.output.1) }
            #expect(values == ["3.0", "7.0", "100.0", "-3.0", "33.5", "3.0"])
            let filtered = try await world.owner.get(record + "/reports/Measurement/?type=dig&value=%D9%A3")
            #expect(filtered.text.matches(of: /"value": 3.0/).count == 2)
            for (field, value, status) in [
                ("datetime", "٢026-01-01T00:00:00Z", 500), ("fooé", "1", 500), ("datetime", "soon", 400),
            ] {
                let document = Self.measurement([field: value])
                #expect(try await world.owner.post(record + "/documents/", xml: document).status == status)
            }
            let unknown = Self.models("Mé", ["type": "x"])
            #expect(try await world.owner.post(record + "/documents/", xml: unknown).status == 200)
        }
    }

    @Test("the home page's log has the reason that the answer leaves out")
    func reasons() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let label = "/records/\(world.record)/documents/\(world.document)/label"
            let long = String(repeating: "x", count: 101)
            let answer = try await world.owner.send("PUT", label, type: "text/plain", body: long)
            #expect(answer.status == 500 && answer.text == "<h4>Internal Server Error</h4>\n")
            let entry = try #require(sandbox.context.requests.latest.first)
            #expect(entry.reason.contains("at most 100 characters"))
            #expect(entry.reason.contains("the real server fails"))
        }
    }
}

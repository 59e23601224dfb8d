import Foundation
import Testing

@Suite("indivo documents")
struct DocumentsTests {
    @Test("a document is added, listed, read, replaced, labelled, archived and traced")
    func life() async throws {
        try await ClientTool.use { client in
            try client.tool.write(vitaminC, to: "c.xml")
            let added = try await client.run("documents", "add", "c.xml", "--json", "--label", "breakfast")
            #expect(added.status == 0, "\(added.errors)")
            let metadata = try jsonObject(added.output)
            let id = try #require(metadata["id"] as? String)
            #expect(metadata["label"] as? String == "breakfast")
            #expect(metadata["size"] as? Int == vitaminC.utf8.count)

            let list = try await client.run("documents", "list", "--json")
            #expect(try json(list.output).contains { $0["id"] as? String == id })
            #expect(try await client.run("documents", "get", id).output == vitaminC)
            #expect(try await client.run("documents", "get", id, "-o", "copy.xml").output.isEmpty)
            #expect(try client.tool.read("copy.xml") == vitaminC)

            let changed = vitaminC.replacing("316153", with: "316154")
            let replaced = try await client.run("documents", "replace", id, "-", "--json", input: changed)
            #expect(replaced.status == 0, "\(replaced.errors)")
            let newer = try #require(try jsonObject(replaced.output)["id"] as? String)
            #expect(newer != id)
            #expect(try await client.run("documents", "get", newer).output == changed)

            let again = try await client.run("documents", "replace", id, "c.xml")
            #expect(again.status == 3)
            #expect(again.errors.contains("indivo documents versions \(id)"))

            let label = try await client.run("documents", "label", newer, "at noon", "--json")
            #expect(try jsonObject(label.output)["label"] as? String == "at noon")
            #expect(try await client.run("documents", "history", newer).status == 1)
            let status = try await client.run(
                "documents",
                "status",
                newer,
                "archived",
                "--reason",
                "finished"
            )
            #expect(status.status == 0, "\(status.errors)")
            let history = try await client.run("documents", "history", newer, "--json")
            let change = try #require(try json(history.output).first)
            #expect(change["status"] as? String == "archived")
            #expect(change["reason"] as? String == "finished")
            #expect(
                try jsonObject(try await client.run("documents", "meta", newer, "--json").output)["status"]
                    as? String == "archived"
            )
            let versions = try await client.run("documents", "versions", newer, "--json")
            #expect(try json(versions.output).compactMap { $0["id"] as? String } == [id, newer])
        }
    }

    @Test("documents are related, added as related, and found")
    func relations() async throws {
        try await ClientTool.use { client in
            let one = try await client.addMedication()
            let two = try await client.addMedication()
            #expect(try await client.run("documents", "related", one, "--as", "annotation").status == 1)
            #expect(try await client.run("documents", "relate", one, two, "--as", "annotation").status == 0)
            let third = try await client.run(
                "documents",
                "add",
                "-",
                "--related-to",
                one,
                "--as",
                "annotation",
                "--json",
                input: vitaminC
            )
            let id = try #require(try jsonObject(third.output)["id"] as? String)
            let related = try await client.run("documents", "related", one, "--as", "annotation", "--json")
            #expect(try Set(json(related.output).compactMap { $0["id"] as? String }) == [two, id])
            #expect(try await client.run("documents", "related", one, "--as", "cousin").status == 2)
            #expect(try await client.run("documents", "carenets", one).status == 1)
        }
    }

    @Test("an external id names a document, and belongs to one only")
    func externalIDs() async throws {
        try await ClientTool.use { client in
            let first = try await client.run(
                "documents",
                "add",
                "-",
                "--external-id",
                "c-1",
                "--json",
                input: vitaminC
            )
            let id = try #require(try jsonObject(first.output)["id"] as? String)
            let meta = try await client.run("documents", "meta", "--external-id", "c-1", "--json")
            #expect(try jsonObject(meta.output)["id"] as? String == id)
            #expect(try await client.run("documents", "get", "--external-id", "c-2").status == 1)
            let other = vitaminC + "<!-- another -->"
            let second = try await client.run("documents", "add", "-", "--external-id", "c-1", input: other)
            #expect(second.status == 3)
            #expect(second.errors.contains("--external-id"))
        }
    }

    @Test("lists come as table and JSON; what is not there is nothing found")
    func forms() async throws {
        try await ClientTool.use { client in
            let id = try await client.addMedication()
            let label = "a \"b\", c"
            #expect(try await client.run("documents", "label", id, label).status == 0)
            let listed = try json(try await client.run("documents", "list", "--json", "--limit", "1").output)
            #expect(listed.map { $0["id"] as? String } == [id])
            #expect(listed.first?["label"] as? String == label)
            let table = try await client.run("documents", "list", "--limit", "1")
            #expect(table.output.hasPrefix("document "))
            #expect(table.output.contains(id))
            #expect(table.output.contains(label))
            let none = try await client.run("documents", "list", "--status", "void", "--json")
            #expect(none.status == 1)
            #expect(none.output == "[]\n")
            #expect(try await client.run("documents", "list", "--csv").status == 2)
            #expect(try await client.run("documents", "list", "--limit", "0").status == 2)
        }
    }

    @Test("what is no document is refused before sending, with its place and next step")
    func badInput() async throws {
        try await ClientTool.use { client in
            try client.tool.write("<Models>\n<Model>\n</Models>", to: "broken.xml")
            let broken = try await client.run("documents", "add", "broken.xml")
            #expect(broken.status == 2)
            #expect(broken.errors.contains("broken.xml:3:"))
            let missing = try await client.run("documents", "add", "missing.xml")
            #expect(missing.status == 2)
            #expect(missing.errors.contains("missing.xml: there is no such file"))
            #expect(try await client.run("documents", "add", "-").status == 2)
            #expect(try await client.run("documents", "get", "../../version").status == 2)
            #expect(try await client.run("documents", "get").status == 2)
            let unknown = try await client.run("documents", "get", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff")
            #expect(unknown.status == 1)
            #expect(unknown.errors.contains("indivo documents list"))
            #expect(try await client.run("documents", "status", "x", "gone", "--reason", "r").status == 2)
            #expect(try await client.run("documents", "status", "x", "void").status == 2)
            try client.tool.write(vitaminC.replacing("drugName_title", with: "colour"), to: "wrong.xml")
            let refused = try await client.run("documents", "add", "wrong.xml")
            #expect(refused.status == 3)
            #expect(refused.errors.contains("indivo document check wrong.xml"))
            let unfit = try await client.run(
                "documents",
                "replace",
                try await client.addMedication(),
                "wrong.xml"
            )
            #expect(unfit.status == 3)
            #expect(unfit.errors.contains("indivo document check wrong.xml"))
        }
    }
}

import Foundation
import Testing

@Suite("indivo call and indivo calls")
struct CallTests {
    @Test("calls are listed with number, name, method, path and Swift method")
    func calls() throws {
        try Tool.use { tool in
            let calls = try json(tool.run("calls", "--json").output)
            #expect(calls.compactMap { $0["number"] as? Int } == Array(1...41))
            #expect(
                calls.allSatisfy {
                    Set($0.keys) == ["number", "name", "method", "path", "swift", "deprecated"]
                }
            )
            #expect(calls.contains { $0["number"] is NSNull })
            #expect(calls.filter { $0["deprecated"] as? Bool == true }.count == 3)
            let record = try #require(calls.first)
            #expect(record["name"] as? String == "record")
            #expect(record["method"] as? String == "GET")
            #expect(record["path"] as? String == "/records/{record}")
            #expect(record["swift"] as? String == "IndivoRecord.information()")
            #expect(try tool.run("calls").output.contains("generic_list"))
            #expect(try tool.run("calls").output.split(separator: "\n").count == calls.count + 2)
            #expect(try json(tool.run("calls", "ccr", "--json").output).count == 1)
            #expect(try tool.run("calls", "nonsense").status == 1)
        }
    }

    @Test("any call is made as it is written, signed by whom it takes")
    func call() async throws {
        try await ClientTool.use { client in
            let version = try await client.withoutToken.with(["INDIVO_CONSUMER_SECRET": nil]).run(
                "call",
                "GET",
                "/version"
            )
            #expect(version.status == 0, "\(version.errors)")
            #expect(version.output == "2.0.0")
            let list = try await client.run(
                "call",
                "get",
                "/records/{record}/documents/?limit=1",
                "--query",
                "offset=1"
            )
            #expect(
                try client.tool.run("select", "Documents > Document", "--count", input: list.output).output
                    == "1\n"
            )
            let id = try await client.addMedication()
            let label = try await client.run(
                "call",
                "PUT",
                "/records/{record}/documents/\(id)/label",
                "--body",
                "-",
                input: "by hand"
            )
            #expect(label.status == 0, "\(label.errors)")
            #expect(label.output.contains("by hand"))
            let notified = try await client.run(
                "call",
                "POST",
                "/records/{record}/notifications/",
                "--form",
                "content=a b&c=ü"
            )
            #expect(notified.status == 0, "\(notified.errors)")
            #expect(try await client.withoutToken.run("call", "GET", "/apps/{app}/documents/").status == 0)
            #expect(try await client.run("call", "GET", "/nothing/here").status == 1)
            #expect(try await client.run("call", "GET", "version").status == 2)
            #expect(try await client.run("call", "PATCH", "/version").status == 2)
            #expect(try await client.run("call", "GET", "/records/{document}").status == 2)
            #expect(try await client.run("call", "POST", "/records/{record}/documents/?a=b").status == 2)
            #expect(
                try await client.run("call", "PUT", "/records/{record}/demographics", "--body", "missing.xml")
                    .status == 2
            )
        }
    }
}

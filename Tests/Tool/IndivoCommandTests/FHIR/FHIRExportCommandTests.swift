import Foundation
import Testing

@Suite("indivo fhir export")
struct FHIRExportCommandTests {
    private let problem = """
        <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Problem"><Field \
        name="name_title">Asthma</Field>\
        <Field name="mood">SECRET</Field></Model></Models>
        """

    @Test("a report goes into a pipe and through a link, and replaces neither")
    func reportElsewhere() throws {
        try Tool.use { tool in
            try tool.write(problem, to: "ana/doc_1.xml")
            try tool.write("old", to: "report.json")
            let link = tool.folder.appending(path: "link.json").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "report.json")
            let linked = try tool.run("fhir", "export", "--from", "ana", "--report", "link.json")
            let report = try tool.read("report.json")
            #expect(linked.status == 0 && report.hasPrefix("["), "\(linked.errors)")
            let early = tool.folder.appending(path: "early.json").path
            try FileManager.default.createSymbolicLink(atPath: early, withDestinationPath: "later.json")
            let made = try tool.run("fhir", "export", "--from", "ana", "--report", "early.json")
            let later = try tool.read("later.json")
            #expect(made.status == 0 && later == report, "\(made.errors)")
            let pipe = tool.folder.appending(path: "pipe").path
            try #require(mkfifo(pipe, 0o600) == 0)
            // Without a writer it is open at once; what is written stays in it for this reader.
            let reader = FileHandle(
                fileDescriptor: open(pipe, O_RDONLY | O_NONBLOCK),
                closeOnDealloc: true
            )
            let piped = try tool.run("fhir", "export", "--from", "ana", "--report", "pipe")
            let sent = try reader.readToEnd() ?? Data()
            #expect(piped.status == 0 && String(decoding: sent, as: UTF8.self) == report)
        }
    }

    @Test("a folder becomes a bundle; what had no element is counted and listed")
    func folder() throws {
        try Tool.use { tool in
            try tool.write(problem, to: "ana/doc_2.xml")
            try tool.write(medications, to: "ana/doc_10.xml")
            try tool.write("notes", to: "ana/README.md")
            let result = try tool.run("fhir", "export", "--from", "ana", "--report", "report.json")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("{\n  \"resourceType\": \"Bundle\",\n  \"type\": \"collection\""))
            #expect(result.errors.contains("5 resources; 1 field had no element"), "\(result.errors)")
            #expect(result.errors.contains("1 × Problem.mood: no-element"))
            #expect(result.errors.contains("1 file is not XML"))
            let report = try json(try tool.read("report.json"))
            #expect(report.count == 1)
            #expect(report[0]["document"] as? String == "ana/doc_2.xml")
            #expect(report[0]["field"] as? String == "mood")
            #expect(report[0]["reason"] as? String == "no-element")
            #expect(!result.errors.contains("SECRET") && !result.output.contains("SECRET"))
            try tool.write(result.output, to: "bundle.json")
            let checked = try tool.run("fhir", "check", "bundle.json")
            #expect(!checked.output.contains(": error: "), "\(checked.output)")
        }
    }

    @Test("a transaction puts each resource at its own address, the same each time")
    func transaction() throws {
        try Tool.use { tool in
            try tool.write(problem, to: "ana/doc.xml")
            let result = try tool.run(
                "fhir",
                "export",
                "--from",
                "ana",
                "--transaction",
                "--compact",
                "--quiet"
            )
            #expect(result.output.contains("\"value\":\"ana/doc.xml\""))
            #expect(result.output.contains("\"request\":{\"method\":\"PUT\",\"url\":\"Patient/ana\"}"))
            #expect(result.errors.isEmpty)
            #expect(
                try tool.run("fhir", "export", "--from", "ana", "--transaction", "--compact").output
                    == result.output
            )
            try tool.write(problem, to: "tom/doc.xml")
            let other = try tool.run("fhir", "export", "--from", "tom", "--transaction", "--compact")
            let addresses = [result, other].map {
                Set($0.output.matches(of: /"url":"([^"]+)"/).map { String($0.1) })
            }
            #expect(addresses[0].count == 2 && addresses[0].isDisjoint(with: addresses[1]))
        }
    }

    @Test("folders that are no record end in 2 with the file's name")
    func refused() throws {
        try Tool.use { tool in
            try tool.write("<a>", to: "bad/doc.xml")
            try tool.write("text", to: "empty/doc.txt")
            let demographics = "<Demographics xmlns=\"http://indivo.org/vocab/xml/documents#\"/>"
            try tool.write(demographics, to: "two/a.xml")
            try tool.write(demographics, to: "two/b.xml")
            for (folder, message) in [
                ("bad", "bad: doc.xml: error: "), ("empty", "there is no XML file"),
                ("two", "two: b.xml: error: "),
                ("none", "error: none: the folder cannot be read"),
            ] {
                let result = try tool.run("fhir", "export", "--from", folder)
                #expect(result.status == 2)
                #expect(result.output.isEmpty)
                #expect(result.errors.contains(message), "\(result.errors)")
            }
        }
    }

    @Test("the record of who is logged in is exported")
    func record() async throws {
        try await ClientTool.use { client in
            let result = try await client.run("fhir", "export", "--compact")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("0 fields had no element"))
            #expect(result.output.contains("{\"resourceType\":\"Patient\",\"id\":\"\(client.record)\""))
            #expect(result.output.contains("\"resourceType\":\"Provenance\""))
        }
    }
}

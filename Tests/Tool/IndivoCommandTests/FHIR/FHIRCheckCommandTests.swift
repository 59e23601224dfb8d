import Foundation
import Testing

@Suite("indivo fhir check")
struct FHIRCheckCommandTests {
    private let good = """
        {"resourceType":"Patient","text":{"status":"generated","div":"<div \
        xmlns=\\"http://www.w3.org/1999/xhtml\\">A</div>"}}
        """
    private let bad = """
        {"resourceType":"Patient",
         "gender":"m"}
        """

    @Test("a valid resource ends in 0 and prints nothing")
    func valid() throws {
        try Tool.use { tool in
            try tool.write(good, to: "good.json")
            for result in [
                try tool.run("fhir", "check", "good.json"), try tool.run("fhir", "check", input: good),
            ] {
                #expect(result.status == 0)
                #expect(result.output.isEmpty)
                #expect(result.errors.isEmpty)
            }
        }
    }

    @Test("an error ends in 1, with file, line, column, severity and path")
    func invalid() throws {
        try Tool.use { tool in
            try tool.write(bad, to: "bad.json")
            let result = try tool.run("fhir", "check", "bad.json")
            #expect(result.status == 1)
            #expect(
                result.output.contains("bad.json:2:11: error: Patient.gender: the code is not in"),
                "\(result.output)"
            )
            let advised = try tool.run("fhir", "check", "--best-practice", "bad.json")
            #expect(
                advised.output.contains(
                    "bad.json:1:1: warning: Patient: dom-6: A resource should have narrative"
                )
            )
            #expect(!result.output.contains("dom-6"))
            let errors = try tool.run("fhir", "check", "--errors-only", "-", input: bad)
            #expect(errors.status == 1)
            #expect(errors.output.hasPrefix("standard input:2:11: error: "))
            #expect(errors.output.split(separator: "\n").count == 1)
        }
    }

    @Test("warnings alone end in 0")
    func warnings() throws {
        try Tool.use { tool in
            let result = try tool.run(
                "fhir",
                "check",
                "--best-practice",
                input: "{\"resourceType\":\"Patient\"}"
            )
            #expect(result.status == 0)
            #expect(result.output.contains("warning: Patient: dom-6: A resource should have narrative"))
        }
    }

    @Test(
        "XML in UTF-16 is refused for its encoding",
        arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian],
        [true, false]
    )
    func utf16(encoding: String.Encoding, hasMark: Bool) throws {
        try Tool.use { tool in
            let text =
                (hasMark ? "\u{FEFF}" : "")
                + "<Patient xmlns=\"http://hl7.org/fhir\"><gender value=\"m\"/></Patient>"
            try #require(text.data(using: encoding)).write(to: tool.folder.appending(path: "patient.xml"))
            let result = try tool.run("fhir", "check", "patient.xml")
            #expect(result.status == 2)
            #expect(result.errors.contains("patient.xml:1:1: error: the encoding is not UTF-8"))
        }
    }

    @Test("--json is an array of files with their issues")
    func jsonOutput() throws {
        try Tool.use { tool in
            try tool.write(bad, to: "bad.json")
            try tool.write(good, to: "good.json")
            let result = try tool.run("fhir", "check", "--json", "good.json", "bad.json")
            #expect(result.status == 1)
            let files = try json(result.output)
            #expect(files.compactMap { $0["file"] as? String } == ["good.json", "bad.json"])
            #expect((files.first?["issues"] as? [Any])?.isEmpty == true)
            let issues = try #require(files.last?["issues"] as? [[String: Any]])
            let issue = try #require(issues.first { $0["severity"] as? String == "error" })
            #expect(issue["code"] as? String == "code-invalid")
            #expect(issue["expression"] as? String == "Patient.gender")
            #expect(issue["line"] as? Int == 2)
            #expect(issue["column"] as? Int == 11)
        }
    }

    @Test("of a folder every resource is checked, and what is none is named")
    func folder() throws {
        try Tool.use { tool in
            try tool.write(bad, to: "all/one/bad.json")
            try tool.write(good, to: "all/good.json")
            try tool.write("[1]", to: "all/list.json")
            try tool.write("no JSON", to: "all/notes.txt")
            let result = try tool.run("fhir", "check", "all")
            #expect(result.status == 1)
            #expect(result.output.contains("all/one/bad.json:2:11: error: "))
            #expect(result.errors == "all/list.json: skipped, this is no resource\n")
        }
    }

    @Test("what cannot be read ends in 2, and stops no other file")
    func unreadable() throws {
        try Tool.use { tool in
            try tool.write("{\"resourceType\":\n\"Patient\",}", to: "broken.json")
            try tool.write(bad, to: "bad.json")
            let result = try tool.run("fhir", "check", "broken.json", "missing.json", "bad.json")
            #expect(result.status == 2)
            #expect(result.errors.contains("broken.json:2:11: error: "), "\(result.errors)")
            #expect(result.errors.contains("missing.json"))
            #expect(result.output.contains("bad.json:2:11: error: "))
            #expect(try tool.run("fhir", "check", "--bogus").status == 2)
        }
    }

    @Test(
        "what is no resource, or of no known type, is an issue",
        arguments: ["[]", "{}", "{\"resourceType\":\"Foo\"}"]
    )
    func noResource(_ text: String) throws {
        try Tool.use { tool in
            let result = try tool.run("fhir", "check", input: text)
            #expect(result.status == 1)
            #expect(result.output.contains(": fatal: "), "\(result.output)")
        }
    }
}

import Foundation
import IndivoSandbox
import Logging
import OAuth1
import Testing

@Suite("Models of one's own")
struct CustomModelTests {
    private static let sleep = """
        { "__modelname__": "SleepNight", "started": "Date", "score": "Number", "device": "CodedValue",
          "phases": [ { "__modelname__": "SleepPhase", "kind": "String", "duration": "ValueAndUnit" } ] }
        """
    private static let walk = "{ \"__modelname__\": \"Walk\", \"day\": \"Date\", \"steps\": \"Number\" }"
    /// A comma is missing at the end of the first line.
    private static let broken = "{ \"__modelname__\": \"Broken\"\n  \"a\": \"String\" }"

    private func write(_ sdml: String, _ name: String, in folder: URL) throws {
        try Data(sdml.utf8).write(to: folder.appending(path: name))
    }

    private func configuration(_ folder: URL) -> SandboxConfiguration {
        var configuration = SandboxConfiguration()
        configuration.modelFolder = folder
        return configuration
    }

    private func withApp(_ sandbox: Sandbox) async throws -> (TestApp, String) {
        let record = try #require(try await sandbox.records().first?.id)
        return (try await TestApp(sandbox).authorized(sandbox, record: record), "/records/\(record)")
    }

    private func document(_ model: String, _ fields: [(String, String)]) -> String {
        let content = fields.map { "<Field name=\"\($0.0)\">\($0.1)</Field>" }.joined()
        return
            """
            <Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model \
            name=\"\(model)\">\(content)</Model></Models>
            """
    }

    @Test("documents of custom models are taken, reported, filtered, grouped and aggregated")
    func reports() async throws {
        try await withFolder { folder async throws in
            try write(Self.sleep, "sleep.sdml", in: folder)
            try await withSandbox(configuration(folder)) { sandbox async throws in
                let (app, record) = try await withApp(sandbox)
                let made = try await app.post(
                    record + "/documents/",
                    xml: document(
                        "SleepNight",
                        [
                            ("started", "2026-11-20T22:10:00Z"), ("score", "81"), ("device_title", "Ring"),
                            (
                                "phases",
                                "<Models><Model name=\"SleepPhase\"><Field name=\"kind\">deep</Field>"
                                    + "<Field name=\"duration_value\">90</Field></Model></Models>"
                            ),
                        ]
                    )
                )
                #expect(made.status == 200, "\(made.text)")
                let report = try await app.get(
                    record + "/reports/sleepnight/?score=81&response_format=application/xml"
                )
                #expect(report.text.contains("<Field name=\"score\">81.0</Field>"))
                #expect(report.text.contains("name=\"SleepPhase\""))
                let average = try await app.get(
                    record + "/reports/SleepNight/?aggregate_by=avg*score&date_group=started*month"
                )
                #expect(average.text.contains("\"2026-11\""))
                let rdf = try await app.get(
                    record + "/reports/SleepNight/?response_format=application/rdf%2Bxml"
                )
                #expect(rdf.status == 400)
                var browser = TestBrowser(sandbox)
                try await browser.logIn("demo", "demo")
                #expect(try await browser.get(record).text.contains("Sleep night"))
            }
        }
    }

    @Test(
        "what is wrong with a document of them is said as the real server says it",
        arguments: [
            ("naps", "1", "Non-existent data field: naps"),
            (
                "started", "yesterday",
                "SDM data for field started should have been an iso8601 datetime: got yesterday instead"
            ),
            ("score", "good", "SDM data for field score should have been numeric: got good instead"),
        ]
    )
    func mistakes(field: String, value: String, sentence: String) async throws {
        try await withFolder { folder async throws in
            try write(Self.sleep, "sleep.sdml", in: folder)
            try await withSandbox(configuration(folder)) { sandbox async throws in
                let (app, record) = try await withApp(sandbox)
                let answer = try await app.post(
                    record + "/documents/",
                    xml: document("SleepNight", [(field, value)])
                )
                #expect(answer.status == 400)
                #expect(answer.text == "the document submitted is malformed:Invalid SDM data: " + sentence)
            }
        }
    }

    @Test("a file with a mistake is reported with its place, and the other models are known")
    func brokenFile() async throws {
        try await withFolder { folder async throws in
            try write(Self.sleep, "sleep.sdml", in: folder)
            try write(Self.broken, "broken.sdml", in: folder)
            try write(Self.walk, "walk.sdml", in: folder)
            try write("{ \"__modelname__\": \"Problem\", \"a\": \"String\" }", "clash.sdml", in: folder)
            try await withSandbox(configuration(folder)) { sandbox async throws in
                let problems = sandbox.modelProblems
                #expect(
                    problems.contains { $0.hasPrefix(folder.path + "/broken.sdml:1:28: error: ") },
                    "\(problems)"
                )
                #expect(
                    problems.contains { $0.contains("clash.sdml:1:") && $0.contains("Problem") },
                    "\(problems)"
                )
                let (app, record) = try await withApp(sandbox)
                for (model, status) in [
                    ("SleepNight", 200), ("SleepPhase", 200), ("Walk", 200), ("Broken", 404),
                ] {
                    #expect(try await app.get(record + "/reports/\(model)/").status == status, "\(model)")
                }
                #expect(try await app.get(record + "/reports/Problem/").text.contains("name_title"))
                var browser = TestBrowser(sandbox)
                try await browser.logIn("demo", "demo")
                let home = try await browser.get("/").text
                #expect(home.contains("broken.sdml:1:28: error: "))
                #expect(home.contains("<code>Walk</code>"))
            }
        }
    }

    @Test("a folder that is not there is named in the error")
    func missingFolder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "no-such-\(UUID().uuidString)")
        let error = await #expect(throws: SandboxError.self) {
            try await Sandbox.start(configuration(folder)).stop()
        }
        #expect(error?.description.contains(folder.path) == true)
    }

    @Test("models come, change and go with their files")
    func reload() async throws {
        try await withFolder { folder async throws in
            try await withSandbox(configuration(folder)) { sandbox async throws in
                let (app, record) = try await withApp(sandbox)
                #expect(try await app.get(record + "/reports/Walk/").status == 404)
                try write(Self.walk, "walk.sdml", in: folder)
                try sandbox.reloadModels()
                #expect(
                    try await app.post(record + "/documents/", xml: document("Walk", [("steps", "9000")]))
                        .status == 200
                )
                #expect(try await app.get(record + "/reports/Walk/?steps=9000").text.contains("9000.0"))
                try write(Self.walk.replacing("steps", with: "metres"), "walk.sdml", in: folder)
                try sandbox.reloadModels()
                #expect(
                    try await app.post(record + "/documents/", xml: document("Walk", [("steps", "9000")]))
                        .status == 400
                )
                try write(Self.broken, "walk.sdml", in: folder)
                try sandbox.reloadModels()
                #expect(sandbox.modelProblems.count == 1)
                #expect(try await app.get(record + "/reports/Walk/").status == 404)
                try FileManager.default.removeItem(at: folder.appending(path: "walk.sdml"))
                try sandbox.reloadModels()
                #expect(sandbox.modelProblems.isEmpty)
            }
        }
    }

    @Test("a change in the folder is noticed without being told", .timeLimit(.minutes(10)))
    func watched() async throws {
        try await withFolder { folder async throws in
            var configuration = configuration(folder)
            let (messages, continuation) = AsyncStream.makeStream(of: String.self)
            configuration.logger = Logger(label: "test") { _ in MessageStream(continuation) }
            try await withSandbox(configuration) { _ async throws in
                try write(Self.walk, "walk.sdml", in: folder)
                for await message in messages where message.hasSuffix("Walk") { break }
            }
        }
    }
}

import Foundation
import Testing

/// `indivo study consent` and `indivo study due`, as a user runs them.
struct StudyConsentCommandTests {
    private static let consent = """
        {"id": "c", "version": "1", "title": "Consent", "study": "s", "organization": "o", \
        "requiresSignatureImage": false,
         "sections": [{"title": "Welcome", "text": "Hello."}]}
        """
    private static let answers = """
        {"participant": "6F1B0F0E-5D0B-4E9C-9A53-0E0B5A7C2D11", "givenName": "Ada", "familyName": "Lovelace",
         "signedAt": "2026-11-22T09:30:00+01:00", "agrees": true}
        """

    @Test("consent writes private files once, and refuses to overwrite what was signed")
    func consent() throws {
        try Tool.use { tool in
            try tool.write(Self.consent, to: "c.json")
            try tool.write(Self.answers, to: "a.json")
            let run = try tool.run("study", "consent", "c.json", "--answers", "a.json", "--output", "out")
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            #expect(
                run.output
                    == "out/form.pdf\nout/Contract.json\nout/Contract-c3pro.json\nout/Contract-dstu2.json\nout/Consent.json\n"
            )
            let contract = try tool.read("out/Contract.json")
            #expect(contract.contains("Patient/6F1B0F0E-5D0B-4E9C-9A53-0E0B5A7C2D11"))
            let mode = try FileManager.default.attributesOfItem(
                atPath: tool.folder.appending(path: "out/form.pdf").path
            )
            #expect(mode[.posixPermissions] as? Int == 0o600)
            let again = try tool.run("study", "consent", "c.json", "--answers", "a.json", "--output", "out")
            #expect(again.status == 2 && again.errors.contains("is there already"))
            #expect(try tool.read("out/Contract.json") == contract)
        }
    }

    @Test("missing answers are named, warnings printed, and a second signature is refused")
    func refusals() throws {
        try Tool.use { tool in
            try tool.write(
                Self.consent.replacing(#""id": "c","#, with: #""id": "c", "colour": 1,"#),
                to: "c.json"
            )
            try tool.write(
                Self.answers.replacing(#""givenName": "Ada", "familyName": "Lovelace","#, with: ""),
                to: "a.json"
            )
            let run = try tool.run("study", "consent", "c.json", "--answers", "a.json", "--output", "out")
            #expect(run.status == 1 && run.errors.contains("missing from the answers: givenName, familyName"))
            #expect(run.errors.contains("the member “colour” is not known"))
            #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "out").path))
            let png =
                """
                iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4////fwAJ+wP9KobjigAAAABJRU5ErkJgg\
                g==
                """
            try tool.write(
                Self.answers.replacing(#""agrees""#, with: #""signature": "\#(png)", "agrees""#),
                to: "b.json"
            )
            try Data(base64Encoded: png)?.write(to: tool.folder.appending(path: "s.png"))
            let two = try tool.run(
                "study",
                "consent",
                "c.json",
                "--answers",
                "b.json",
                "--output",
                "out",
                "--signature",
                "s.png"
            )
            #expect(two.status == 2 && two.errors.contains("leave one out"))
            let wrong = try tool.run("study", "consent", "a.json", "--answers", "a.json", "--output", "out")
            #expect(wrong.status == 2 && wrong.errors.contains("a.json:1:1: error: id is missing"))
        }
    }

    @Test("due lists by zone and time, and a task id may have an equals sign")
    func due() throws {
        try Tool.use { tool in
            try tool.write(
                """
                {"tasks": [{"taskId": "a=b", "taskType": "survey", "repeats": "1d", "expires": "2d", \
                "delayMax": "1d"}]}
                """,
                to: "s.json"
            )
            let arguments = ["study", "due", "s.json", "--enrolled", "2026-03-28", "--zone", "Europe/Berlin"]
            let due = try tool.run(arguments + ["--at", "2026-03-29T01:30:00+01:00", "--json"])
            let rows = try json(due.output)
            #expect(
                rows.map { $0["due"] as? String } == ["2026-03-29"]
                    && rows.map { $0["state"] as? String } == ["due"]
            )
            #expect(rows.map { $0["expires"] as? String } == ["2026-03-30T00:00:00+02:00"])
            let done = try tool.run(
                arguments + ["--at", "2026-03-29T12:00:00Z", "--done", "a=b=2026-03-29T10:00:00Z"]
            )
            #expect(done.status == 1 && done.output.isEmpty)
            #expect(try tool.run(arguments + ["--all", "--done", "c=2026-03-29"]).status == 2)
            #expect(try tool.run("study", "due", "s.json", "--enrolled", "2026-13-01").status == 2)
        }
    }
}

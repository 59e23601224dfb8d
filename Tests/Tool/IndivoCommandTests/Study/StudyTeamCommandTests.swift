import Foundation
import Testing

/// What those who run a study look at: keys, the audit log, and messages that failed.
struct StudyTeamCommandTests {
    @Test("a digest that is none is wrong use, not a log that does not hold")
    func head() throws {
        try Tool.use { tool in
            for head in ["5f0c", String(repeating: "g", count: 64)] {
                let run = try tool.run(["study", "audit", "verify", "audit.jsonl", "--head=\(head)"])
                #expect(run.status == 2 && run.errors.contains("64 hexadecimal digits"), "\(run.errors)")
            }
        }
    }

    @Test("a key that was revoked is not revoked again, and it says when it was")
    func revokedTwice() throws {
        try Tool.use { tool in
            let made = try tool.run(["study", "keys", "rotate", "keys", "--bits", "2048"])
            #expect(made.status == 0, "\(made.errors)")
            let first = try tool.run(["study", "keys", "revoke", "keys", "key-1", "--reason", "stolen"])
            #expect(first.status == 0, "\(first.errors)")
            let second = try tool.run(["study", "keys", "revoke", "keys", "key-1"])
            #expect(second.status != 0 && second.errors.contains("was revoked at 20"), "\(second.errors)")
            let listed = try tool.run(["study", "keys", "list", "keys"])
            #expect(listed.output.contains("key-1  revoked 20"), "\(listed.output)")
        }
    }

    @Test("keys that are made and published are written down where that is asked for")
    func audit() throws {
        try Tool.use { tool in
            let log = ["INDIVO_STUDY_AUDIT": "audit.jsonl"]
            let commands = [
                ["keys", "make", "keys/key-1", "--bits", "2048"],
                ["keys", "make", "signing", "--bits", "2048"],
                [
                    "keys", "publish", "keys", "--study", "s", "--signing-key", "signing/private-key.pem",
                    "--output", "keys.jwt",
                ],
            ]
            for command in commands {
                let run = try tool.run(["study"] + command, environment: log)
                #expect(run.status == 0, "\(run.errors)")
            }
            let listed = try tool.run(["study", "audit", "list", "audit.jsonl"])
            let actions = listed.output.split(separator: "\n").map { $0.components(separatedBy: "  ")[2] }
            #expect(actions == ["make keys", "make keys", "publish keys"])
        }
    }
}

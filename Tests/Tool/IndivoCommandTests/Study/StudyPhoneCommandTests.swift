import Foundation
import Testing

/// What the phone's side of a study refuses before it is queued.
struct StudyPhoneCommandTests {
    private static let participant = "0b0c3a5e-6f0e-4a9d-9e0b-0a4b6e2f1c11"

    private func use(_ body: (Tool) throws -> Void) throws {
        try Tool.use { tool in
            try tool.write(
                """
                {"study": "org.example.sleep", "subject": "\(Self.participant)", "protocol": "c3pro",
                 "server": "http://127.0.0.1:1/c3pro/", "queue": "queue"}
                """,
                to: "phone.json"
            )
            try tool.write(
                #"{"source": "SLEEP", "store": "sqlite:s.sqlite", "receiver": {"studies": ["s"]}}"#,
                to: "study.json"
            )
            try body(tool)
        }
    }

    @Test(
        "answers of nobody or of somebody else are refused, and are not in the queue",
        arguments: [
            (#", "subject": {"reference": "Patient/ada"}"#, false), ("", false),
            (#", "subject": {"reference": "Patient/\#(participant.uppercased())"}"#, true),
        ]
    )
    func subject(subject: String, isTaken: Bool) throws {
        try use { tool in
            try tool.write(
                #"{"resourceType": "QuestionnaireResponse", "status": "completed"\#(subject)}"#,
                to: "answers.json"
            )
            let environment = ["INDIVO_STUDY_ANTISPAM": "token"]
            let run = try tool.run(
                ["study", "submit", "answers.json", "--config", "phone.json"],
                environment: environment
            )
            // 4: the server is not reached, and the answers wait.
            #expect(run.status == (isTaken ? 4 : 2), "\(run.errors)")
            #expect(isTaken || run.errors.contains("Patient/\(Self.participant)"), "\(run.errors)")
            let list = try tool.run(["study", "queue", "list", "--config", "phone.json"])
            #expect(list.output.contains("queued") == isTaken, "\(list.output)")
        }
    }

    @Test("the server's configuration in place of the phone's, or vice versa, is reported")
    func otherConfiguration() throws {
        try use { tool in
            let phone = try tool.run(["study", "queue", "list", "--config", "study.json"])
            #expect(phone.status == 2 && phone.errors.contains("indivo study up"), "\(phone.errors)")
            let server = try tool.run(["study", "up", "--config", "phone.json", "--check"])
            #expect(server.status == 2 && server.errors.contains("indivo study submit"), "\(server.errors)")
        }
    }
}

import Foundation
import StudyTesting
import Testing

/// `indivo study receipt`, and the registration that demands what it verifies.
struct StudyReceiptCommandTests {
    private static var receipt: TestReceipt {
        var receipt = TestReceipt()
        receipt.created = Date(timeIntervalSinceNow: -86_400).formatted(.iso8601)
        receipt.certificateEnd = "2039-01-01T00:00:00Z"
        return receipt
    }

    @Test("a genuine receipt is shown, from its file or from base64, and others are refused")
    func receipt() throws {
        try Tool.use { tool in
            let signed = try Self.receipt.signed(by: .apple)
            try tool.write(TestAuthority.apple.rootPEM, to: "root.pem")
            try tool.write(signed.base64EncodedString(options: .lineLength76Characters), to: "receipt.txt")
            try signed.write(to: tool.folder.appending(path: "receipt"))
            for file in ["receipt", "receipt.txt"] {
                let run = try tool.run(
                    "study",
                    "receipt",
                    file,
                    "--root",
                    "root.pem",
                    "--bundle",
                    "org.example.sleep"
                )
                #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
                #expect(run.output.hasPrefix("bundle: org.example.sleep\nversion: 7\noriginalVersion: 1\n"))
            }
            let json = try tool.run("study", "receipt", "receipt", "--root", "root.pem", "--json")
            #expect(json.output.contains(#""bundle": "org.example.sleep""#))
            let other = try tool.run(
                "study",
                "receipt",
                "receipt",
                "--root",
                "root.pem",
                "--bundle",
                "org.example.game"
            )
            #expect(other.status == 1 && other.output.isEmpty)
            #expect(
                other.errors.contains("it is one of the app “org.example.sleep”, not of org.example.game")
            )
            try tool.write(TestAuthority.other.rootPEM, to: "other.pem")
            #expect(try tool.run("study", "receipt", "receipt", "--root", "other.pem").status == 1)
            try tool.write("no receipt!", to: "text")
            #expect(try tool.run("study", "receipt", "text", "--root", "root.pem").status == 2)
            #expect(try tool.run("study", "receipt", "receipt", "--root", "text").status == 2)
        }
    }

    @Test(
        "a registration that demands Apple's word says what its configuration lacks",
        arguments: [
            (#"{"registration": "appReceipt", "apps": ["org.example.sleep"]}"#, "needs “appleRoot”"),
            (#"{"registration": "appAttest", "appleRoot": "root.pem"}"#, "no app says whose keys"),
            (
                #"{"registration": "appAttest", "appleRoot": "root.pem", "apps": ["org.example.sleep"]}"#,
                "no app’s identifier with its team’s"
            ),
            (
                #"{"registration": "appReceipt", "appleRoot": "root.pem", "apps": []}"#,
                "no bundle identifier"
            ),
            (#"{"registration": "apple"}"#, "closed, codes, appReceipt, appAttest or open"),
        ]
    )
    func configuration(text: String, reason: String) throws {
        try Tool.use { tool in
            try tool.write(TestAuthority.apple.rootPEM, to: "root.pem")
            try tool.write(text, to: "receiver.json")
            let run = try tool.run("study", "serve", "--config", "receiver.json", "--port", "0")
            #expect(run.status == 2 && run.errors.contains(reason), "\(run.errors)")
        }
    }
}

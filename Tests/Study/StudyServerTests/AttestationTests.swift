import Foundation
import HTTPTypes
import OrderedJSON
import StudyServer
import StudyTesting
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// Registration where Apple says which app it is.
extension ReceiverTests {
    private static let now = StudyTime(text: "2026-11-27T10:00:00Z") ?? .now
    private static let app = "A1B2C3D4E5.org.example.sleep"

    private static var apple: TrustAnchors {
        get throws { try TrustAnchors(TestAuthority.apple.rootDER) }
    }

    @Test("with receipts demanded only the study's app registers, and refusals say why")
    func receipts() async throws {
        let receipts = try AppReceiptAttestation(bundles: ["org.example.sleep"], trusting: Self.apple) {
            Self.now
        }
        try await with(.open { $0.attestation = receipts }) { phone, _ async throws in
            let good = try TestReceipt().signed(by: .apple).base64EncodedString()
            #expect(try await phone.token(receipt: good) != nil)
            var other = TestReceipt()
            other.bundle = "org.example.game"
            for receipt in [
                try other.signed(by: .apple).base64EncodedString(),
                try TestReceipt().signed(by: .other).base64EncodedString(), "NO-APP-RECEIPT", "",
            ] {
                #expect(try await phone.token(receipt: receipt) == nil)
            }
            let body = #"{"receipt-data": "\#(try other.signed(by: .apple).base64EncodedString())"}"#
            let answer = try await phone.send(.post, "/c3pro/register", ["Antispam": "spam-secret"], body)
            #expect(answer.status == 401)
            #expect(answer.json?["error_description"]?.string?.contains("“org.example.game”") == true)
            #expect(
                try await phone.send(.post, "/c3pro/challenge", ["Antispam": "spam-secret"]).status == 404
            )
        }
    }

    @Test("with App Attest demanded, a phone gets a challenge, registers, and delivers")
    func keys() async throws {
        let keys = try AppKeyAttestation(apps: [Self.app], trusting: Self.apple) { Self.now }
        let folder = try Folder()
        try await with(.open { $0.attestation = keys }) { phone, queue async throws in
            let key = TestAttestation()
            let endpoint = try C3ProEndpoint(
                phone.url.appending(path: "c3pro"),
                antispam: "spam-secret",
                attestation: .appAttest { challenge in
                    (key.keyID.base64EncodedString(), try key.object(for: challenge, by: .apple))
                },
                clients: .file(folder.file("clients.json"))
            )
            let subject = UUID()
            let study = try StudyQueue(
                in: folder.file("phone"),
                study: "org.example.sleep",
                subject: subject,
                keys: FileKeyStore(folder.file("phone.key"))
            )
            try await study.submit(
                resource: Data(Given.response(subject).utf8),
                protection: .c3ProEnvelope(for: StudyKeys.certificate(), keyID: StudyKeys.id)
            )
            #expect(try await study.deliver(to: endpoint).delivered.count == 1)
            #expect(try await queue.status().depth == 1)
            // A receipt is no proof here.
            #expect(try await phone.token(receipt: "receipt") == nil)
        }
    }

    @Test("a challenge is used once, in five minutes, and only one that was given out")
    func challenges() async throws {
        let keys = try AppKeyAttestation(apps: [Self.app], trusting: Self.apple) { Self.now }
        try await with(.open { $0.attestation = keys }) { phone, _ async throws in
            let fields = ["Antispam": "spam-secret"]
            #expect(try await phone.send(.post, "/c3pro/challenge").status == 401)
            #expect(try await phone.send(.get, "/c3pro/challenge", fields).status == 405)
            func register(_ challenge: String, _ made: Data) async throws -> Int {
                let key = TestAttestation()
                let object = try key.object(for: made, by: .apple).base64EncodedString()
                let body: JSONValue = [
                    "challenge": JSONValue(challenge),
                    "key-id": JSONValue(key.keyID.base64EncodedString()),
                    "attestation": JSONValue(object),
                ]
                return try await phone.send(.post, "/c3pro/register", fields, body.text()).status
            }
            func challenge() async throws -> String {
                let answer = try await phone.send(.post, "/c3pro/challenge", fields)
                #expect(answer.json?["expires_in"]?.integer == 300)
                return try #require(answer.json?["challenge"]?.string)
            }
            let first = try await challenge()
            let bytes = try #require(Data(base64Encoded: first))
            #expect(bytes.count == 32)
            #expect(try await register(first, bytes) == 201)
            #expect(try await register(first, bytes) == 401)
            let own = Data(count: 32)
            #expect(try await register(own.base64EncodedString(), own) == 401)
            // What was made for another challenge does not pass, and uses the challenge up.
            let second = try await challenge()
            #expect(try await register(second, own) == 401)
            #expect(try await register(second, try #require(Data(base64Encoded: second))) == 401)
        }
    }

    @Test("no receiver demands proofs of no app, or of one without a team")
    func nobody() throws {
        let apple = try Self.apple
        #expect(throws: StudyError.self) { try AppReceiptAttestation(bundles: [], trusting: apple) }
        #expect(throws: StudyError.self) { try AppKeyAttestation(apps: [], trusting: apple) }
        #expect(throws: StudyError.self) {
            try AppKeyAttestation(apps: ["org.example.sleep"], trusting: apple)
        }
    }
}

import Foundation
import StudyTesting
import Testing

@testable import StudyFormats

struct AppAttestationTests {
    private static let now = StudyTime(text: "2026-11-27T10:00:00Z") ?? .now
    private static let challenge = Data("thirty-two bytes of a challenge.".utf8)
    private static let app = "A1B2C3D4E5.org.example.sleep"

    private static func verified(
        _ attestation: TestAttestation,
        challenge: Data = challenge,
        keyID: Data? = nil,
        environments: Set<AppAttestation.Environment> = [.production],
        by authority: TestAuthority = .apple
    ) async throws -> AppAttestation {
        try await AppAttestation(
            attestation.object(for: Self.challenge, by: authority),
            keyID: keyID ?? attestation.keyID,
            challenge: challenge,
            apps: [app, "A1B2C3D4E5.org.example.other"],
            environments: environments,
            trusting: TrustAnchors(TestAuthority.apple.rootDER),
            now: now
        )
    }

    private static func made(_ change: (inout TestAttestation) -> Void) -> TestAttestation {
        var attestation = TestAttestation()
        change(&attestation)
        return attestation
    }

    @Test("an attestation gives the key, the app and Apple's receipt")
    func verifies() async throws {
        let key = TestAttestation()
        let attestation = try await Self.verified(key)
        #expect(attestation.publicKey == key.publicKey && attestation.keyID == key.keyID)
        #expect(attestation.app == Self.app && attestation.environment == .production)
        #expect(attestation.receipt == Data("risk".utf8))
    }

    @Test("an app that is being developed counts only where that is allowed")
    func development() async throws {
        let key = Self.made { $0.authenticator = Data("appattestdevelop".utf8) }
        await #expect(throws: StudyError.self) { try await Self.verified(key) }
        let attestation = try await Self.verified(key, environments: [.development])
        #expect(attestation.environment == .development)
    }

    @Test(
        "each step of the check refuses with its reason",
        arguments: [
            ("of another app", made { $0.app = "A1B2C3D4E5.org.example.copy" }),
            ("used before", made { $0.counter = 1 }),
            ("kind of authenticator", made { $0.authenticator = Data("another authentic".utf8.prefix(16)) }),
            ("another id", made { $0.credentialID = Data(count: 32) }),
            ("no chain that is valid", made { $0.certificateEnd = "2026-11-20T00:00:00Z" }),
            ("has no nonce", made { $0.hasNonce = false }),
        ]
    )
    func refuses(reason: String, key: TestAttestation) async throws {
        let error = await #expect(throws: StudyError.self) { try await Self.verified(key) }
        guard case .notGenuine(_, let found)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found.contains(reason))
    }

    @Test("another challenge, another key and another authority are refused")
    func others() async throws {
        let key = TestAttestation()
        await #expect(throws: StudyError.self) {
            try await Self.verified(key, challenge: Data("another".utf8))
        }
        await #expect(throws: StudyError.self) { try await Self.verified(key, keyID: Data(count: 32)) }
        await #expect(throws: StudyError.self) { try await Self.verified(key, by: .other) }
        await #expect(throws: StudyError.self) { try await Self.verified(Self.made { $0.format = "packed" }) }
    }

    @Test("an attestation that is cut or changed anywhere is refused or the same")
    func damaged() async throws {
        let key = TestAttestation()
        let whole = try key.object(for: Self.challenge, by: .apple)
        let roots = try TrustAnchors(TestAuthority.apple.rootDER)
        func read(_ data: Data) async throws -> AppAttestation {
            try await AppAttestation(
                data,
                keyID: key.keyID,
                challenge: Self.challenge,
                apps: [Self.app],
                trusting: roots,
                now: Self.now
            )
        }
        let good = try await read(whole)
        for step in 0..<60 {
            let index = whole.count * step / 60
            await #expect(throws: StudyError.self) { try await read(whole.prefix(index)) }
            var changed = whole
            changed[index] ^= 0x5A
            // Apple's receipt is outside of what is signed.
            if let found = try? await read(changed) {
                #expect(found.publicKey == good.publicKey && found.app == good.app, "byte \(index)")
            }
        }
    }

    @Test("requests that the key signed are told from others, and from those shown before")
    func assertions() throws {
        let key = TestAttestation()
        let request = Data(#"{"challenge": "x"}"#.utf8)
        func read(_ assertion: Data, _ data: Data, after last: UInt32) throws -> AppAssertion {
            try AppAssertion(
                assertion,
                clientData: data,
                publicKey: key.publicKey,
                app: Self.app,
                after: last
            )
        }
        let first = try key.assertion(for: request, counter: 1)
        #expect(try read(first, request, after: 0).counter == 1)
        #expect(throws: StudyError.self) { try read(first, request, after: 1) }
        #expect(throws: StudyError.self) { try read(first, Data("other".utf8), after: 0) }
        let other = try TestAttestation().assertion(for: request, counter: 2)
        #expect(throws: StudyError.self) { try read(other, request, after: 1) }
        let copy = Self.made { $0.app = "A1B2C3D4E5.org.example.copy" }
        #expect(throws: StudyError.self) {
            try AppAssertion(
                copy.assertion(for: request, counter: 3),
                clientData: request,
                publicKey: copy.publicKey,
                app: Self.app,
                after: 1
            )
        }
    }

    @Test(
        "CBOR that is no value of definite length is refused with its offset",
        arguments: [
            ([], 0), ([0x5F], 0), ([0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 0),
            ([0x9A, 0x00, 0x10, 0x00, 0x00], 0), ([0x81, 0x61, 0xFF], 1), ([0x00, 0x00], 1),
            ([0xC0, 0x00], 0),
            ([0xFB, 0, 0, 0, 0, 0, 0, 0, 0], 0), ([0xA2, 0x00, 0x00, 0x00, 0x00], 4),
            ([0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x00], 8), ([0x43, 0x00], 1),
        ] as [([UInt8], Int)]
    )
    func malformedCBOR(bytes: [UInt8], offset: Int) {
        let error = #expect(throws: StudyError.self) { try CBORValue(Data(bytes), of: "test") }
        guard case .malformed(_, let found?, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found == offset)
    }
}

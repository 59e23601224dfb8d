import Foundation
import StudyTesting
import Testing

@testable import StudyFormats

struct AppReceiptTests {
    private static let now = StudyTime(text: "2026-11-27T10:00:00Z") ?? .now
    private static let apps: Set = ["org.example.sleep"]

    private static func receipt(
        _ receipt: TestReceipt = TestReceipt(),
        by authority: TestAuthority = .apple,
        allowsSHA1: Bool = false
    ) async throws -> AppReceipt {
        try await AppReceipt(
            receipt.signed(by: authority),
            trusting: TrustAnchors(TestAuthority.apple.rootDER),
            allowsSHA1: allowsSHA1,
            now: now
        )
    }

    private static func made(_ change: (inout TestReceipt) -> Void) -> TestReceipt {
        var receipt = TestReceipt()
        change(&receipt)
        return receipt
    }

    @Test("a receipt is read and verified, also after its certificate has expired")
    func reads() async throws {
        let device = UUID()
        let receipt = try await Self.receipt(Self.made { $0.device = device })
        #expect(receipt.bundleID == "org.example.sleep")
        #expect(receipt.appVersion == "7" && receipt.originalAppVersion == "1")
        #expect(receipt.created.description == "2026-11-01T10:00:00Z")
        #expect(receipt.expires == nil && receipt.environment == "Production" && receipt.purchases == 1)
        #expect(receipt.signer == "CN=Test Receipt Signing")
        #expect(receipt.isFor(device: device))
        #expect(!receipt.isFor(device: UUID()))
        try receipt.check(bundles: Self.apps, now: Self.now)
    }

    @Test("signed attributes are verified, and the content is checked against them")
    func attributes() async throws {
        _ = try await Self.receipt(Self.made { $0.hasAttributes = true })
        await #expect(throws: StudyError.self) {
            try await Self.receipt(
                Self.made {
                    $0.hasAttributes = true
                    $0.isChanged = true
                }
            )
        }
    }

    @Test("a signature over SHA-1 counts only where it is allowed")
    func sha1() async throws {
        let old = Self.made { $0.usesSHA1 = true }
        await #expect(
            throws: StudyError.notGenuine(
                what: "the signed message",
                reason: "its signature is over SHA-1"
            )
        ) {
            try await Self.receipt(old)
        }
        #expect(try await Self.receipt(old, allowsSHA1: true).bundleID == "org.example.sleep")
    }

    @Test(
        "what proves nothing is refused with the reason",
        arguments: [
            ("bytes were changed", made { $0.isChanged = true }, TestAuthority.apple),
            ("to a trusted root", made { _ in }, .other),
            ("no certificate with which the App Store signs", made { $0.isMarked = false }, .apple),
            ("still to come", made { $0.created = "2026-11-28T10:00:00Z" }, .apple),
            ("no chain that is valid at", made { $0.created = "2026-11-20T10:00:00Z" }, .apple),
        ]
    )
    func refuses(reason: String, receipt: TestReceipt, authority: TestAuthority) async throws {
        let error = await #expect(throws: StudyError.self) { try await Self.receipt(receipt, by: authority) }
        guard case .notGenuine(_, let found)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found.contains(reason))
    }

    @Test("any developer's certificate of Apple's signs no receipts")
    func developers() async throws {
        let authority = try TestAuthority(isDeveloperAuthority: false)
        await #expect(throws: StudyError.self) {
            try await AppReceipt(
                TestReceipt().signed(by: authority),
                trusting: TrustAnchors(authority.rootDER),
                now: Self.now
            )
        }
    }

    @Test("a receipt of another app, or one that has expired, is refused")
    func checks() async throws {
        let receipt = try await Self.receipt(Self.made { $0.expires = "2026-11-20T00:00:00Z" })
        #expect(throws: StudyError.self) { try receipt.check(bundles: ["org.example.other"], now: Self.now) }
        #expect(throws: StudyError.self) { try receipt.check(bundles: Self.apps, now: Self.now) }
        try receipt.check(bundles: Self.apps, now: receipt.created)
    }

    @Test("a receipt that is cut or changed anywhere never passes, and ends nothing")
    func damaged() async throws {
        let whole = try TestReceipt().signed(by: .apple)
        let roots = try TrustAnchors(TestAuthority.apple.rootDER)
        let good = try await AppReceipt(whole, trusting: roots, now: Self.now)
        for step in 0..<60 {
            let index = whole.count * step / 60
            await #expect(throws: StudyError.self) {
                try await AppReceipt(whole.prefix(index), trusting: roots, now: Self.now)
            }
            var changed = whole
            changed[index] ^= 0x5A
            // What is changed outside of what is signed and trusted may still be read; then it says the same.
            if let read = try? await AppReceipt(changed, trusting: roots, now: Self.now) {
                #expect(read == good, "byte \(index)")
            }
        }
    }

    @Test("an encrypted message, and a message without content, are no receipts")
    func others() async throws {
        let roots = try TrustAnchors(Data(TestAuthority.apple.rootPEM.utf8))
        let encrypted = try CMSEncryption(for: [TestKeys.first.certificate]).message(Data("x".utf8))
        await #expect(throws: StudyError.self) { try await AppReceipt(encrypted, trusting: roots) }
        await #expect(throws: StudyError.self) { try await AppReceipt(Data(), trusting: roots) }
        #expect(throws: StudyError.self) { try TrustAnchors(Data("no certificate".utf8)) }
    }

    private static let extensions = """
        [root]
        basicConstraints = critical, CA:TRUE
        keyUsage = critical, keyCertSign
        [intermediate]
        basicConstraints = critical, CA:TRUE
        keyUsage = critical, keyCertSign
        subjectKeyIdentifier = hash
        1.2.840.113635.100.6.2.1 = ASN1:NULL
        [leaf]
        basicConstraints = critical, CA:FALSE
        keyUsage = critical, digitalSignature
        subjectKeyIdentifier = hash
        authorityKeyIdentifier = keyid
        1.2.840.113635.100.6.11.1 = ASN1:NULL
        """

    @Test(
        "receipts signed by openssl are read, with or without attributes, also streamed",
        .enabled(if: FileManager.default.isExecutableFile(atPath: OpenSSL.tool), "there is no openssl")
    )
    func signedByOpenSSL() async throws {
        let scratch = try Scratch()
        func path(_ name: String) -> String { scratch.folder.appending(path: name).path }
        _ = try scratch.file("extensions", Data(Self.extensions.utf8))
        for (name, issuer) in [("root", nil), ("intermediate", "root"), ("leaf", "intermediate")] {
            try await OpenSSL.run([
                "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=openssl \(name)",
                "-keyout", path("\(name).key"), "-out", path("\(name).csr"),
            ])
            let signer =
                issuer.map { ["-CA", path("\($0).pem"), "-CAkey", path("\($0).key"), "-CAcreateserial"] }
                ?? ["-signkey", path("root.key")]
            try await OpenSSL.run(
                ["x509", "-req", "-days", "30", "-extfile", path("extensions"), "-extensions", name]
                    + ["-in", path("\(name).csr"), "-out", path("\(name).pem")] + signer
            )
        }
        var receipt = TestReceipt()
        // The certificates are valid from now on.
        receipt.created = Date(timeIntervalSinceNow: 60).formatted(.iso8601)
        _ = try scratch.file("payload", receipt.payload)
        let roots = try TrustAnchors(Data(contentsOf: scratch.folder.appending(path: "root.pem")))
        for options in [["-noattr"], [], ["-keyid"], ["-stream"], ["-noattr", "-md", "sha1"]] {
            try await OpenSSL.run(
                ["cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-in", path("payload")]
                    + ["-signer", path("leaf.pem"), "-inkey", path("leaf.key")]
                    + ["-certfile", path("intermediate.pem"), "-out", path("receipt")] + options
            )
            let signed = try Data(contentsOf: scratch.folder.appending(path: "receipt"))
            let read = try await AppReceipt(signed, trusting: roots, allowsSHA1: options.contains("sha1"))
            #expect(read.bundleID == "org.example.sleep" && read.signer == "CN=openssl leaf", "\(options)")
            await #expect(throws: StudyError.self) {
                try await AppReceipt(signed, trusting: TrustAnchors(TestAuthority.apple.rootDER))
            }
        }
    }
}

import Foundation
import IndivoBase
import Testing

@testable import StudyDelivery
@testable import StudyFormats

@Suite("Keys and certificates")
struct CertificateTests {
    @Test("a certificate says whose it is, and its PEM reads back as it was")
    func reading() throws {
        let certificate = TestKeys.first.certificate
        #expect(
            certificate.subject.contains("Study 7") && certificate.keyBits == 2048
                && certificate.problems().isEmpty
        )
        #expect(try StudyCertificate(Data(certificate.pem.utf8)) == certificate)
        #expect(
            try StudyCertificate.all(in: Data((certificate.pem + TestKeys.second.certificate.pem).utf8)).count
                == 2
        )
        #expect(certificate.fingerprint.utf8.count == 64)
    }

    @Test("an expired certificate, and one of tomorrow, are refused unless that is allowed")
    func expiry() throws {
        let certificate = TestKeys.first.certificate
        let late = StudyTime(seconds: certificate.notAfter.seconds + 1)
        let early = StudyTime(seconds: certificate.notBefore.seconds - 1)
        #expect(certificate.problems(at: late) == [.expired(certificate.notAfter)])
        #expect(certificate.problems(at: early) == [.notYetValid(certificate.notBefore)])
        let error = #expect(throws: StudyError.self) { try CMSEncryption(for: [certificate], at: late) }
        #expect("\(try #require(error))".contains("it expired at \(certificate.notAfter)"))
        #expect(throws: Never.self) { try CMSEncryption(for: [certificate], at: late, allowsExpired: true) }
    }

    @Test("a chain leads to a trusted certificate or to none")
    func chains() async throws {
        try await TestKeys.first.certificate.verify(through: [], trusting: [TestKeys.first.certificate])
        await #expect(throws: StudyError.self) {
            try await TestKeys.first.certificate.verify(through: [], trusting: [TestKeys.second.certificate])
        }
    }

    @Test("a private key reads back from its PEM, and never shows itself")
    func privateKey() throws {
        let key = TestKeys.first.key
        #expect(try StudyPrivateKey(Data(key.pem.utf8)).publicKeyDER == key.publicKeyDER)
        #expect("\(key)" == "•••" && Mirror(reflecting: key).children.isEmpty)
        #expect(throws: StudyError.self) {
            try StudyPrivateKey(Data("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----".utf8))
        }
        #expect(throws: StudyError.self) { try StudyPrivateKey(bits: 1024) }
    }

    @Test(
        "a subject is read part by part, and a bad one is named",
        arguments: ["", "CN", "CN=", "XX=a", "CN=\(String(repeating: "a", count: 65))", "CN=a,,O=b"]
    )
    func badSubjects(subject: String) {
        #expect(throws: StudyError.self) { try TestKeys.first.key.certificate(subject: subject, days: 1) }
    }

    @Test("a comma in a subject is escaped")
    func subject() throws {
        let certificate = try TestKeys.first.key.certificate(
            subject: #"CN=Sleep\, deep, O=Hospital"#,
            days: 1
        )
        #expect(certificate.subject.contains("Sleep") && certificate.subject.contains("deep"))
    }
}

@Suite("Key lists")
struct KeyListTests {
    private func list(issued: StudyTime = .now) throws -> StudyKeyList {
        let old = try TestKeys.first.key.certificate(
            subject: "CN=old",
            days: 400,
            from: StudyTime(seconds: issued.seconds - 86_400 * 300)
        )
        let new = try TestKeys.second.key.certificate(
            subject: "CN=new",
            days: 400,
            from: StudyTime(seconds: issued.seconds - 86_400)
        )
        let future = try TestKeys.second.key.certificate(
            subject: "CN=future",
            days: 400,
            from: StudyTime(seconds: issued.seconds + 86_400)
        )
        return StudyKeyList(
            study: "org.example.sleep",
            keys: [
                .init(id: try KeyID("a"), certificate: old), .init(id: try KeyID("b"), certificate: new),
                .init(id: try KeyID("c"), certificate: future),
            ],
            issued: issued
        )
    }

    @Test("the newest valid key is taken from a list that reads back as it was signed")
    func newest() throws {
        let list = try list()
        let text = try list.signed(by: TestKeys.first.key)
        let read = try StudyKeyList(text, study: "org.example.sleep", signedBy: TestKeys.first.certificate)
        #expect(read == list)
        #expect(try read.newestKey().id.description == "b")
    }

    @Test("a list that is changed, expired, outdated or another signer's is refused")
    func refused() throws {
        let list = try list()
        let text = try list.signed(by: TestKeys.first.key)
        func read(
            _ text: String,
            study: String = "org.example.sleep",
            by pair: TestKeys.Pair = TestKeys.first,
            notBefore: StudyTime? = nil,
            at time: StudyTime = .now
        ) throws {
            _ = try StudyKeyList(
                text,
                study: study,
                signedBy: pair.certificate,
                notBefore: notBefore,
                at: time
            )
        }
        #expect(throws: StudyError.self) { try read(text, by: TestKeys.second) }
        #expect(throws: StudyError.self) { try read(text, study: "org.example.other") }
        #expect(throws: StudyError.self) { try read(text, at: StudyTime(seconds: list.expires.seconds + 1)) }
        #expect(throws: StudyError.self) {
            try read(text, at: StudyTime(seconds: list.issued.seconds - 90_000))
        }
        #expect(throws: StudyError.self) {
            try read(text, notBefore: StudyTime(seconds: list.issued.seconds + 1))
        }
        #expect(throws: StudyError.self) { try read(text + "=") }
        #expect(throws: StudyError.self) { try read(String(text.dropLast(4))) }
        let parts = text.split(separator: ".")
        #expect(throws: StudyError.self) { try read("\(parts[0]).\(parts[1])A.\(parts[2])") }
        #expect(throws: StudyError.self) { try read("eyJhbGciOiJub25lIn0.\(parts[1]).") }
    }
}

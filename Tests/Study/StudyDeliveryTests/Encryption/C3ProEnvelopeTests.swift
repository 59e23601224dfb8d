import Crypto
import CryptoExtras
import Foundation
import OrderedJSON
import Testing

@testable import StudyDelivery
@testable import StudyFormats

@Suite("Envelopes of C3-PRO")
struct C3ProEnvelopeTests {
    private let resource = Data(#"{"resourceType":"Patient","id":"7","birthDate":"1950"}"#.utf8)

    private func envelope(_ form: C3ProEnvelope.Form) throws -> C3ProEnvelope {
        try C3ProEnvelope(sealing: resource, for: TestKeys.first.certificate, keyID: KeyID("k-1"), form: form)
    }

    @Test(
        "both forms open, from the wire too, and no two messages are alike",
        arguments: C3ProEnvelope.Form.allCases
    )
    func roundTrip(form: C3ProEnvelope.Form) throws {
        let envelope = try envelope(form)
        let read = try C3ProEnvelope(parsing: envelope.data)
        #expect(
            read == envelope && read.keyID?.description == "k-1"
                && read.resource == (form == .second ? "Patient/7" : nil)
        )
        #expect(try read.open(with: TestKeys.first.key) == resource)
        #expect(try self.envelope(form).json["message"]?.string != envelope.json["message"]?.string)
    }

    @Test("the reference's vector of AES-128-CBC with an initial vector of zeros")
    func vector() throws {
        var cipher = try CBCCipher(
            key: SymmetricKey(data: Data("why-is-this-here".utf8)),
            iv: AES._CBC.IV(ivBytes: Data(count: 16))
        )
        let message = try #require(Data(base64Encoded: "Iy8Mbj2ye1fI0yUWvyzwWw=="))
        #expect(try cipher.decrypt(message) + cipher.finishDecrypting() == Data("Let's encrypt!".utf8))
    }

    @Test("lines that Android's encoder breaks are read", arguments: ["\\n", "\\r\\n", " "])
    func brokenLines(end: String) throws {
        let json = try envelope(.first).json
        func broken(_ name: String) -> String {
            let text = Array((json[name]?.string ?? "").utf8)
            let lines = stride(from: 0, to: text.count, by: 76).map {
                String(decoding: text[$0..<min($0 + 76, text.count)], as: UTF8.self) + end
            }
            return lines.joined()
        }
        let text = """
            {"key_id": "k-1", "version": "1.0.2", "symmetric_key": "\(broken("symmetric_key"))", \
            "message": "\(broken("message"))"}
            """
        let read = try C3ProEnvelope(parsing: Data(text.utf8))
        #expect(try read.open(with: TestKeys.first.key) == resource)
        let wrong = text.replacing(#""message": ""#, with: #""message": "!"#)
        #expect(throws: StudyError.self) { try C3ProEnvelope(parsing: Data(wrong.utf8)) }
    }

    @Test("a key of PKCS#1 version 1.5 opens only where that is allowed")
    func olderTransport() throws {
        let key = SymmetricKey(size: .bits256)
        let publicKey = try _RSA.Encryption.PublicKey(derRepresentation: TestKeys.first.key.publicKeyDER)
        let wrapped = try publicKey.encrypt(
            key.withUnsafeBytes { Data($0) },
            padding: ._WEAK_AND_INSECURE_PKCS_V1_5
        )
        let iv = try AES._CBC.IV(ivBytes: Data(count: 16))
        let message = try AES._CBC.encrypt(resource, using: key, iv: iv)
        var json = try envelope(.first).json
        json["symmetric_key"] = JSONValue(wrapped.base64EncodedString())
        json["message"] = JSONValue(message.base64EncodedString())
        let older = try C3ProEnvelope(parsing: Data(json.utf8()))
        #expect(throws: StudyError.wrongKeyOrDamaged) { try older.open(with: TestKeys.first.key) }
        #expect(try older.open(with: TestKeys.first.key, allowsPKCS1: true) == resource)
        #expect(throws: StudyError.wrongKeyOrDamaged) {
            try older.open(with: TestKeys.second.key, allowsPKCS1: true)
        }
        // What is encrypted by OAEP opens all the same.
        #expect(try envelope(.first).open(with: TestKeys.first.key, allowsPKCS1: true) == resource)
    }

    @Test("a private key in DER is PKCS#8, and is read again")
    func privateKeyInDER() throws {
        let key = TestKeys.first.key
        #expect(try StudyPrivateKey(key.der).publicKeyDER == key.publicKeyDER)
        let pem = key.pem.split(separator: "\n").dropFirst().dropLast().joined()
        #expect(key.der.base64EncodedString() == pem)
    }

    @Test("a wrong key never opens one", arguments: C3ProEnvelope.Form.allCases)
    func wrongKey(form: C3ProEnvelope.Form) throws {
        for _ in 0..<300 {
            let envelope = try envelope(form)
            #expect(throws: StudyError.wrongKeyOrDamaged) { try envelope.open(with: TestKeys.second.key) }
        }
    }

    @Test(
        "of the second form, whatever is changed is noticed",
        arguments: ["key_id", "version", "resource", "message", "symmetric_key"]
    )
    func changed(member: String) throws {
        var json = try envelope(.second).json
        let text = try #require(json[member]?.string)
        if let bytes = Data(base64Encoded: text), bytes.count > 20 {
            var bytes = bytes
            bytes[bytes.count / 2] ^= 1
            json[member] = JSONValue(bytes.base64EncodedString())
        } else {
            json[member] = JSONValue(text + "1")
        }
        let changed = try C3ProEnvelope(parsing: Data(json.utf8()))
        #expect(throws: StudyError.wrongKeyOrDamaged) { try changed.open(with: TestKeys.first.key) }
    }

    @Test(
        "key ids that could leave a folder are refused",
        arguments: [
            "..", "../x", "a/b", "a..b", ".ssh", "a\\b", "", "ä", "a b", String(repeating: "a", count: 129),
        ]
    )
    func keyIDs(id: String) throws {
        #expect(throws: StudyError.self) { try KeyID(id) }
        guard !id.isEmpty else { return }
        var json = try envelope(.first).json
        json["key_id"] = JSONValue(id)
        #expect(throws: StudyError.self) { try C3ProEnvelope(parsing: Data(json.utf8())) }
    }

    @Test(
        "other JSON, and envelopes that are not whole, say what is wrong",
        arguments: [
            ("{}", "this is JSON, but not an envelope of C3-PRO"),
            ("[1]", "this is JSON, but not an envelope of C3-PRO"),
            (#"{"symmetric_key":1,"message":"","key_id":"","version":""}"#, "symmetric_key"),
            (#"{"symmetric_key":"%%","message":"","key_id":"","version":""}"#, "not base64"),
            (
                #"{"symmetric_key":"AA==","message":"AA==","key_id":"","version":""}"#,
                "whole number of blocks"
            ),
            (#"{"symmetric_key":"AA==","message":"","key_id":"","version":"","envelope":"9"}"#, "not 2"),
            ("{", "byte 1"),
        ]
    )
    func malformed(text: String, reason: String) {
        let error = #expect(throws: StudyError.self) { try C3ProEnvelope(parsing: Data(text.utf8)) }
        #expect(error.map { "\($0)" }?.contains(reason) == true, "\(String(describing: error))")
    }
}

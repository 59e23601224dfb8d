import Crypto
import CryptoExtras
import Foundation
import HTTPCalls
import IndivoBase
import SwiftASN1

/// An encrypted CMS message: EnvelopedData (RFC 5652, section 6) or AuthEnvelopedData (RFC 5083), in DER or
/// BER.
public struct CMSMessage: Sendable {
    /// How the content is encrypted.
    public let cipher: CMSCipher
    /// Who can read it.
    public let recipients: [Recipient]

    private let iv: Data
    private let tagLength: Int
    /// The position of the content, and the containers around it.
    private let content: BERStream
    private let containers: [BERStream.Container]

    private static let maximumRecipients = 1000

    /// Somebody who can read a message.
    public struct Recipient: Sendable, Hashable, CustomStringConvertible {
        /// Issuer and serial number, or the subject's key identifier, of the certificate.
        public let description: String
        /// How the content's key is encrypted; `nil` for other algorithms than RSA's.
        public let keyTransport: CMSKeyTransport?
        /// Why the recipient's key cannot be read here.
        public let problem: String?
        let issuerAndSerial: Data?
        let encryptedKey: Data
    }

    /// Reads a message's description of itself: type, algorithms, recipients.
    ///
    /// - Throws: ``StudyError`` with the offset of what is wrong.
    public init(_ source: BodySource) throws {
        var stream = BERStream(source)
        let info = try stream.enter(0x30, "a ContentInfo", in: stream.whole)
        let kind = try Self.identifier(stream.element(in: info), stream)
        guard kind == .envelopedData || kind == .authEnvelopedData else {
            throw StudyError.unsupported(
                format: "CMS message",
                reason: "it is \(kind.name), not EnvelopedData or AuthEnvelopedData"
            )
        }
        let wrapper = try stream.enter(0xA0, "its content", in: info)
        let enveloped = try stream.enter(0x30, "EnvelopedData", in: wrapper)
        guard try stream.isNext(0x02, in: enveloped) else { throw stream.malformed("a version is expected") }
        _ = try stream.element(in: enveloped)
        if try stream.isNext(0xA0, in: enveloped) { _ = try stream.element(in: enveloped) }
        guard try stream.isNext(0x31, in: enveloped) else {
            throw stream.malformed("a set of recipients is expected")
        }
        let offset = stream.offset
        recipients = try Self.located(offset) {
            try Self.recipients(BER.parse(stream.element(in: enveloped)))
        }
        let encrypted = try stream.enter(0x30, "EncryptedContentInfo", in: enveloped)
        _ = try Self.identifier(stream.element(in: encrypted), stream)
        let algorithm = stream.offset
        (cipher, iv, tagLength) = try Self.located(algorithm) {
            try CMSCipher.read(BER.parse(stream.element(in: encrypted)))
        }
        guard cipher.isAuthenticated == (kind == .authEnvelopedData) else {
            throw stream.malformed(
                "\(kind == .envelopedData ? "EnvelopedData" : "AuthEnvelopedData") with \(cipher.rawValue)",
                at: algorithm
            )
        }
        guard try !stream.isAtEnd(of: encrypted) else {
            throw StudyError.unsupported(format: "CMS message", reason: "its content is not in it")
        }
        content = stream
        containers = [encrypted, enveloped, wrapper, info]
    }

    /// Decrypts the content and writes it in pieces.
    ///
    /// With an authenticated cipher, nothing is written unless all of the content is unchanged. Without one,
    /// use the written bytes only once this returns: only then are they known to be complete.
    ///
    /// - Parameter certificate: The key's certificate, to find the key's recipient; without it each recipient
    ///   is tried.
    /// - Throws: ``StudyError/notForThisKey(recipients:)``, ``StudyError/wrongKeyOrDamaged``,
    ///   ``StudyError/tooLarge(what:limit:)`` for authenticated content of more than
    ///   ``CMSCipher/maximumAuthenticatedLength`` bytes, and what `write` throws.
    public func decrypt(
        with key: StudyPrivateKey,
        certificate: StudyCertificate? = nil,
        to write: (Data) throws -> Void
    ) throws {
        if let certificate, certificate.publicKey != key.publicKey {
            throw StudyError.unusableKey(
                reason: "it is not the key of the certificate “\(certificate.subject)”"
            )
        }
        try decrypt(under: contentKey(key, certificate), to: write)
    }

    private func contentKey(_ key: StudyPrivateKey, _ certificate: StudyCertificate?) throws -> SymmetricKey {
        var candidates = recipients.filter { $0.encryptedKey.count == key.modulusLength }
        if let certificate {
            candidates = candidates.filter {
                $0.issuerAndSerial == nil || $0.issuerAndSerial == certificate.issuerAndSerial
            }
        }
        guard !candidates.isEmpty else {
            throw StudyError.notForThisKey(recipients: recipients.prefix(10).map(\.description))
        }
        // OAEP detects a wrong key. PKCS#1 version 1.5 does not: the content shows it.
        var failure = StudyError.wrongKeyOrDamaged
        var plain: SymmetricKey?
        for candidate in candidates {
            guard let transport = candidate.keyTransport else {
                failure = .unsupported(format: "CMS message", reason: candidate.problem ?? "its key")
                continue
            }
            do {
                let found = try key.unwrap(candidate.encryptedKey, by: transport, lengths: [cipher.keyLength])
                if transport != .pkcs1 { return found }
                if try candidates.count == 1 || opens(under: found) { return found }
                plain = plain ?? found
            } catch let error as StudyError {
                failure = error
            }
        }
        guard let plain else { throw failure }
        return plain
    }

    /// Whether the content can be decrypted with a key.
    private func opens(under key: SymmetricKey) throws -> Bool {
        do {
            try decrypt(under: key) { _ in }
            return true
        } catch StudyError.wrongKeyOrDamaged {
            return false
        }
    }

    private func decrypt(under key: SymmetricKey, to write: (Data) throws -> Void) throws {
        var stream = content
        // The structure is checked first: its errors must be the same whatever the key decrypts.
        if cipher.isAuthenticated {
            var ciphertext = Data()
            try stream.octets(0x80, "the encrypted content", in: containers[0]) { piece in
                guard piece.count <= CMSCipher.maximumAuthenticatedLength - ciphertext.count else {
                    throw StudyError.tooLarge(
                        what: """
                            content by \(cipher.rawValue), in bytes (have the sender make smaller packages \
                            or use \(cipher.withoutAuthentication.rawValue))
                            """,
                        limit: CMSCipher.maximumAuthenticatedLength
                    )
                }
                ciphertext.append(piece)
            }
            let tag = try readEnd(&stream)
            try BodySource.data(opened(ciphertext, tag, key)).forEachPiece(write)
        } else {
            var decryptor = CBCCipher(key: key, iv: try AES._CBC.IV(ivBytes: iv))
            try stream.octets(0x80, "the encrypted content", in: containers[0]) { piece in
                let plain = try decryptor.decrypt(piece)
                if !plain.isEmpty { try write(plain) }
            }
            _ = try readEnd(&stream)
            let rest = try decryptor.finishDecrypting()
            if !rest.isEmpty { try write(rest) }
        }
    }

    /// Decrypts content whose tag is right.
    private func opened(_ ciphertext: Data, _ tag: Data, _ key: SymmetricKey) throws -> Data {
        guard tag.count == tagLength else { throw StudyError.wrongKeyOrDamaged }
        let nonce = try AES.GCM.Nonce(data: iv)
        guard tagLength < CMSCipher.tagLength else {
            do {
                let box = try AES.GCM.SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag)
                return try AES.GCM.open(box, using: key)
            } catch {
                throw StudyError.wrongKeyOrDamaged
            }
        }
        // The library opens no message with a shorter tag, although RFC 5084 allows it and has it as its
        // default. In this mode encryption is its own inverse, and sealing the content again gives the whole
        // tag.
        let plain = try AES.GCM.seal(ciphertext, using: key, nonce: nonce).ciphertext
        let whole = try AES.GCM.seal(plain, using: key, nonce: nonce).tag
        guard constantTimeEqual(whole.prefix(tagLength), tag) else { throw StudyError.wrongKeyOrDamaged }
        return plain
    }

    /// Reads what follows the content up to the message's end, and returns the authentication tag, which is
    /// empty without authentication.
    private func readEnd(_ stream: inout BERStream) throws -> Data {
        try stream.leave(containers[0], "EncryptedContentInfo")
        if try stream.isNext(0xA1, in: containers[1]) {
            guard !cipher.isAuthenticated else {
                throw StudyError.unsupported(format: "CMS message", reason: "it has authenticated attributes")
            }
            _ = try stream.element(in: containers[1])
        }
        var tag = Data()
        if cipher.isAuthenticated {
            try stream.octets(0x04, "an authentication tag", in: containers[1]) { piece in
                tag.append(piece.prefix(CMSCipher.tagLength + 1 - tag.count))
            }
            if try stream.isNext(0xA2, in: containers[1]) { _ = try stream.element(in: containers[1]) }
        }
        for (container, name) in zip(containers.dropFirst(), ["EnvelopedData", "its content", "ContentInfo"])
        {
            try stream.leave(container, name)
        }
        guard stream.offset == stream.whole.end else {
            throw stream.malformed("there are bytes behind the message")
        }
        return tag
    }

    // MARK: Reading the parts

    /// Runs a parser of SwiftASN1, and adds the offset that its errors lack.
    private static func located<Value>(_ offset: Int, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as StudyError {
            throw error
        } catch let error as ASN1Error {
            throw StudyError.malformed(format: "CMS message", offset: offset, reason: "\(error.code)")
        }
    }

    private static func identifier(_ element: [UInt8], _ stream: BERStream) throws -> ASN1ObjectIdentifier {
        do {
            return try ASN1ObjectIdentifier(derEncoded: element)
        } catch {
            throw stream.malformed("an object identifier is expected", at: stream.offset - element.count)
        }
    }

    private static func recipients(_ set: ASN1Node) throws -> [Recipient] {
        guard case .constructed(let nodes) = set.content else { return [] }
        var recipients: [Recipient] = []
        for node in nodes {
            guard recipients.count < maximumRecipients else {
                throw StudyError.tooLarge(what: "the recipients of the message", limit: maximumRecipients)
            }
            recipients.append(node.identifier == .sequence ? try keyTransport(node) : other(node))
        }
        return recipients
    }

    private static func other(_ node: ASN1Node) -> Recipient {
        let kinds: [UInt: String] = [
            1: "key agreement", 2: "a shared key", 3: "a password", 4: "another scheme",
        ]
        let kind = kinds[node.identifier.tagNumber] ?? "another scheme"
        return Recipient(
            description: "a recipient by \(kind)",
            keyTransport: nil,
            problem: "its key is encrypted by \(kind)",
            issuerAndSerial: nil,
            encryptedKey: Data()
        )
    }

    private static func keyTransport(_ node: ASN1Node) throws -> Recipient {
        try DER.sequence(node, identifier: .sequence) { nodes in
            _ = try Int(derEncoded: &nodes)
            guard let identifier = nodes.next(), let algorithm = nodes.next() else {
                throw StudyError.malformed(
                    format: "CMS message",
                    reason: "a recipient without a key"
                )
            }
            let encrypted = try ASN1OctetString(derEncoded: &nodes)
            var transport: CMSKeyTransport?
            var problem: String?
            do {
                transport = try CMSKeyTransport.read(algorithm)
            } catch StudyError.unsupported(_, let reason) {
                problem = reason
            }
            let isByIssuer = identifier.identifier == .sequence
            return Recipient(
                description: isByIssuer
                    ? RecipientName.describe(identifier) : "the key \(RecipientName.digits(identifier))",
                keyTransport: transport,
                problem: problem,
                issuerAndSerial: isByIssuer ? Data(identifier.encodedBytes) : nil,
                encryptedKey: Data(encrypted.bytes)
            )
        }
    }
}

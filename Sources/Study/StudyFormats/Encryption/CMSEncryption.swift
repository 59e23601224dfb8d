import Crypto
import CryptoExtras
import Foundation
import HTTPCalls
import SwiftASN1

/// How packages are encrypted as CMS messages (RFC 5652; with authentication RFC 5083), and for whom.
///
/// ```swift
/// let encryption = try CMSEncryption(for: [StudyCertificate(Data(contentsOf: file))])
/// ```
/// Lengths are definite (DER), which every reader of CMS understands.
public struct CMSEncryption: Sendable {
    /// Who can read it: each by itself.
    public let recipients: [StudyCertificate]
    /// How the content is encrypted: content of more than ``CMSCipher/maximumAuthenticatedLength`` bytes by
    /// ``CMSCipher/withoutAuthentication``.
    public let cipher: CMSCipher
    /// How the content's key is encrypted for each recipient.
    public let keyTransport: CMSKeyTransport

    private static let maximumRecipients = 100

    /// The form that ResearchKit's servers read: AES-128-CBC, with PKCS#1 version 1.5.
    public static func researchKit(_ recipients: [StudyCertificate]) throws(StudyError) -> CMSEncryption {
        try CMSEncryption(for: recipients, cipher: .aes128CBC, keyTransport: .pkcs1)
    }

    /// - Parameters:
    ///   - time: When the certificates must be valid.
    ///   - allowsExpired: Whether one that is not valid at the time is used all the same.
    /// - Throws: ``StudyError/unusableCertificate(subject:reason:)``.
    public init(
        for recipients: [StudyCertificate],
        cipher: CMSCipher = .aes256GCM,
        keyTransport: CMSKeyTransport = .oaepSHA256,
        at time: StudyTime = .now,
        allowsExpired: Bool = false
    ) throws(StudyError) {
        guard !recipients.isEmpty else {
            throw .badInput(reason: "nobody to encrypt for: name at least one certificate")
        }
        guard recipients.count <= Self.maximumRecipients else {
            throw .tooLarge(what: "\(recipients.count) recipients", limit: Self.maximumRecipients)
        }
        for recipient in recipients {
            let problems = recipient.problems(at: time).filter {
                switch $0 {
                case .expired, .notYetValid: !allowsExpired
                case .wrongKeyUse, .shortKey: true
                }
            }
            guard problems.isEmpty else {
                throw .unusableCertificate(
                    subject: recipient.subject,
                    reason: problems.map(\.description).joined(separator: "; ")
                )
            }
        }
        self.recipients = recipients
        self.cipher = cipher
        self.keyTransport = keyTransport
    }

    /// Encrypts a file of any length into a new file, for its owner only. The file need not be an archive.
    ///
    /// - Throws: ``StudyError``; then there is no new file.
    public func encrypt(contentsOf file: URL, to output: URL) throws {
        let content = try BodySource.file(file)
        try NewFile(output).write { write in
            let envelope = try CMSEnvelope(self)
            if cipher.isAuthenticated, content.size <= CMSCipher.maximumAuthenticatedLength {
                try envelope.sealed(content.data(), by: cipher).forEachPiece(write)
                return
            }
            let iv = AES._CBC.IV()
            var encryptor = CBCCipher(key: envelope.key, iv: iv)
            let length = CBCCipher.encryptedLength(of: content.size)
            try write(envelope.head(of: cipher.withoutAuthentication, iv: Data(iv), ciphertextLength: length))
            try content.forEachPiece { try write(encryptor.encrypt($0)) }
            try write(encryptor.finishEncrypting())
        }
    }

    /// Encrypts what `content` writes, of whatever length.
    ///
    /// What an authenticated cipher may yet encrypt is kept in memory. The ciphertext of anything else waits
    /// in a file without a name until its length is known; the plain text is never on the disk.
    package func encrypt(
        in folder: URL? = nil,
        _ content: (_ write: @escaping (Data) throws -> Void) throws -> Void
    ) throws -> BodySource {
        let envelope = try CMSEnvelope(self)
        let iv = AES._CBC.IV()
        var encryptor = CBCCipher(key: envelope.key, iv: iv)
        var scratch = cipher.isAuthenticated ? nil : try ScratchFile(in: folder)
        var kept = Data()
        try content { piece in
            if let scratch {
                try scratch.append(encryptor.encrypt(piece))
            } else if piece.count <= CMSCipher.maximumAuthenticatedLength - kept.count {
                kept.append(piece)
            } else {
                let started = try ScratchFile(in: folder)
                try BodySource.data(kept).forEachPiece { try started.append(encryptor.encrypt($0)) }
                try started.append(encryptor.encrypt(piece))
                kept = Data()
                scratch = started
            }
        }
        guard let scratch else { return try envelope.sealed(kept, by: cipher) }
        try scratch.append(encryptor.finishEncrypting())
        let ciphertext = scratch.source
        let head = envelope.head(
            of: cipher.withoutAuthentication,
            iv: Data(iv),
            ciphertextLength: ciphertext.size
        )
        return .joined([.data(head), ciphertext])
    }
}

/// What is around the content of one CMS message. Its key is new.
struct CMSEnvelope {
    let key: SymmetricKey
    private let recipients: Data

    init(_ encryption: CMSEncryption) throws {
        let key = SymmetricKey(size: SymmetricKeySize(bitCount: encryption.cipher.keyLength * 8))
        self.key = key
        recipients = DERBytes.set(
            try encryption.recipients.map { recipient in
                let wrapped = try key.withUnsafeBytes {
                    try recipient.wrap(Data($0), by: encryption.keyTransport)
                }
                return DERBytes.sequence(
                    DERBytes.integer(0),
                    recipient.issuerAndSerial,
                    encryption.keyTransport.algorithm,
                    DERBytes.octets(wrapped)
                )
            }
        )
    }

    /// The whole message, of content that an authenticated cipher encrypts.
    func sealed(_ content: Data, by cipher: CMSCipher) throws -> BodySource {
        let box = try AES.GCM.seal(content, using: key)
        let head = head(of: cipher, iv: Data(box.nonce), ciphertextLength: content.count)
        return .joined([.data(head), .data(box.ciphertext), .data(DERBytes.octets(box.tag))])
    }

    /// What is before the ciphertext.
    func head(of cipher: CMSCipher, iv: Data, ciphertextLength length: Int) -> Data {
        let tagLength = CMSCipher.tagLength
        let tail = cipher.isAuthenticated ? DERBytes.head(0x04, tagLength).count + tagLength : 0
        let described =
            DERBytes.identifier(.data) + cipher.algorithm(iv: iv) + DERBytes.head(0x80, length)
        let content = DERBytes.head(0x30, described.count + length) + described
        let body = DERBytes.integer(0) + recipients + content
        let enveloped = DERBytes.head(0x30, body.count + length + tail) + body
        let wrapped = DERBytes.head(0xA0, enveloped.count + length + tail) + enveloped
        let type = DERBytes.identifier(cipher.isAuthenticated ? .authEnvelopedData : .envelopedData)
        let whole = type + wrapped
        return DERBytes.head(0x30, whole.count + length + tail) + whole
    }
}

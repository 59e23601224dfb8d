import Crypto
import Foundation
import HTTPCalls
import SwiftASN1

/// How packages are encrypted as CMS messages (RFC 5652; with authentication RFC 5083), and for whom.
///
/// ```swift
/// let encryption = try CMSEncryption(for: [StudyCertificate(file)])
/// ```
/// Lengths are definite (DER), which every reader of CMS understands.
public struct CMSEncryption: Sendable {
    /// Who can read it: each by itself.
    public let recipients: [StudyCertificate]
    /// How the content is encrypted.
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
            var encryptor = try CMSEncryptor(self)
            try write(encryptor.head(ciphertextLength: cipher.encryptedLength(of: content.size)))
            try content.forEachPiece { try write(encryptor.encrypt($0)) }
            let (rest, tail) = try encryptor.finish()
            try write(rest + tail)
        }
    }

    /// Encrypts what `content` writes, of whatever length.
    ///
    /// The ciphertext waits in a file without a name until its length is known; the plain text is never on
    /// the disk.
    package func encrypt(
        in folder: URL? = nil,
        _ content: (_ write: @escaping (Data) throws -> Void) throws -> Void
    ) throws -> BodySource {
        let scratch = try ScratchFile(in: folder)
        var encryptor = try CMSEncryptor(self)
        try content { try scratch.append(encryptor.encrypt($0)) }
        let (rest, tail) = try encryptor.finish()
        try scratch.append(rest)
        let ciphertext = scratch.source
        return .joined([.data(encryptor.head(ciphertextLength: ciphertext.size)), ciphertext, .data(tail)])
    }
}

/// One CMS message while it is written: its key is new.
struct CMSEncryptor {
    private var cipher: any ContentCipher
    private let algorithm: Data
    private let isAuthenticated: Bool
    private let recipients: Data

    init(_ encryption: CMSEncryption) throws {
        let key = SymmetricKey(size: SymmetricKeySize(bitCount: encryption.cipher.keyLength * 8))
        let iv = Data(
            (0..<(encryption.cipher.isAuthenticated ? GCMCipher.nonceLength : CBCCipher.blockLength)).map {
                _ in
                UInt8.random(in: .min ... .max)
            }
        )
        cipher = try encryption.cipher.content(key: key, iv: iv)
        algorithm = encryption.cipher.algorithm(iv: iv)
        isAuthenticated = encryption.cipher.isAuthenticated
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

    mutating func encrypt(_ piece: Data) throws -> Data { try cipher.encrypt(piece) }

    /// The last bytes of the ciphertext, and what follows it in the message.
    mutating func finish() throws -> (rest: Data, tail: Data) {
        let (rest, tag) = try cipher.finish(isEncrypting: true)
        return (rest, isAuthenticated ? DERBytes.octets(tag) : Data())
    }

    /// What stands before the ciphertext.
    func head(ciphertextLength length: Int) -> Data {
        let tail = isAuthenticated ? DERBytes.head(0x04, GCMCipher.tagLength).count + GCMCipher.tagLength : 0
        let described = DERBytes.identifier(.data) + algorithm + DERBytes.head(0x80, length)
        let content = DERBytes.head(0x30, described.count + length) + described
        let body = DERBytes.integer(0) + recipients + content
        let enveloped = DERBytes.head(0x30, body.count + length + tail) + body
        let wrapped = DERBytes.head(0xA0, enveloped.count + length + tail) + enveloped
        let whole = DERBytes.identifier(isAuthenticated ? .authEnvelopedData : .envelopedData) + wrapped
        return DERBytes.head(0x30, whole.count + length + tail) + whole
    }
}

import ArgumentParser
import Foundation
import HTTPTransport
import SecretText
import StudyDelivery

/// With what packages are opened.
struct StudyKeyOptions: ParsableArguments {
    @Option(help: "The private key, PEM or DER. Its pass phrase comes from INDIVO_KEY_PASSPHRASE.", completion: .file())
    var key: String?

    @Option(help: "The key’s certificate, which finds it among several recipients.", completion: .file())
    var certificate: String?

    func keys() throws -> [StudyPackage.Key] {
        guard let key else { return [] }
        let passphrase = ProcessInfo.processInfo.environment["INDIVO_KEY_PASSPHRASE"].map { Secret($0) }
        return [
            StudyPackage.Key(
                try StudyPrivateKey(StudyFile.read(key, limit: 1 << 16), passphrase: passphrase),
                certificate: try certificate.map { try StudyCertificate(StudyFile.read($0, limit: 1 << 20)) })
        ]
    }
}

/// For whom packages are encrypted, and how.
struct StudyEncryptionOptions: ParsableArguments {
    @Option(name: .customLong("encrypt"), help: "A recipient’s certificate, PEM or DER; may be repeated.", completion: .file())
    var recipients: [String] = []

    @Option(help: "How a CMS message is encrypted: \(CMSCipher.allCases.map(\.rawValue).joined(separator: ", ")).")
    var cipher: CMSCipher = .aes256GCM

    @Option(help: "How its key is: \(CMSKeyTransport.allCases.map(\.rawValue).joined(separator: ", ")).")
    var keyTransport: CMSKeyTransport = .oaepSHA256

    @ArgumentParser.Flag(help: "Encrypt for a certificate that is not valid now, too.")
    var allowExpired = false

    @Option(help: "An authority’s certificate; each recipient’s must lead to one, by those in its file. May be repeated.",
        completion: .file())
    var trust: [String] = []

    /// Checks that each recipient’s certificate leads to one that is trusted, when any is named.
    func verify() async throws {
        guard !trust.isEmpty else { return }
        let roots = try trust.flatMap { try StudyCertificate.all(in: StudyFile.read($0, limit: 1 << 20)) }
        for recipient in recipients {
            let chain = try StudyCertificate.all(in: StudyFile.read(recipient, limit: 1 << 20))
            try await chain.first?.verify(through: Array(chain.dropFirst()), trusting: roots)
        }
    }

    var certificates: [StudyCertificate] {
        get throws { try recipients.map { try StudyCertificate(StudyFile.read($0, limit: 1 << 20)) } }
    }

    func encryption() throws -> CMSEncryption? {
        guard !recipients.isEmpty else { return nil }
        return try CMSEncryption(
            for: certificates, cipher: cipher, keyTransport: keyTransport, allowsExpired: allowExpired)
    }
}

extension CMSCipher: ExpressibleByArgument {}
extension CMSKeyTransport: ExpressibleByArgument {}
extension C3ProEnvelope.Form: ExpressibleByArgument {}

/// A small file that a person named, read up to a bound.
enum StudyFile {
    static func read(_ path: String, limit: Int) throws -> Data {
        let source = try ByteSource.file(URL(filePath: path))
        guard source.size <= limit else {
            throw CommandFailure("\(path) has \(source.size) bytes, more than the \(limit) that are read")
        }
        return try source.data()
    }
}

import ArgumentParser
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyDelivery

struct StudyKeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make a study's keys, replace, revoke, publish and list them.",
        discussion: """
            Without a word of these, keys DIR makes a key pair in DIR, as keys make DIR does. The folder \
            that DIR is in is the folder of keys, KEYS, of the other commands: a consumer has all of them.
            """,
        subcommands: [
            StudyKeysMakeCommand.self, StudyKeysRotateCommand.self, StudyKeysRevokeCommand.self,
            StudyKeysPublishCommand.self, StudyKeysListCommand.self,
        ],
        defaultSubcommand: StudyKeysMakeCommand.self
    )
}

struct StudyKeysMakeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Make a study's key pair.",
        discussion: """
            DIR gets private-key.pem (PKCS#8, mode 0600), certificate.pem and certificate.der (signed by \
            the key itself), and public-key.pem and public-key.der; with --c3pro also private-c3pro.der, as \
            C3-PRO's own consumer reads it (PKCS#8, mode 0600). Nothing that is there is overwritten. \
            \(ExitStatus.help)
            """
    )

    @Argument(help: "The folder, made when it is not there.", completion: .directory)
    var dir: String

    @Option(help: "The subject of the certificate, as in “CN=Study 7,O=Example Hospital”.")
    var subject = "CN=Study"

    @Option(help: "How many days the certificate is valid.")
    var days = 730

    @Option(help: "The length of the key.")
    var bits = 3072

    @Flag(name: .customLong("c3pro"), help: "Write private-c3pro.der, too.")
    var isForC3Pro = false

    @OptionGroup var console: MessageOptions

    func run() throws {
        let folder = URL(filePath: dir, directoryHint: .isDirectory)
        try StudyAudit.record("make keys", ["folder": dir])
        let key = try StudyPrivateKey(bits: bits)
        let certificate = try key.certificate(subject: subject, days: days)
        let files =
            [
                ("private-key.pem", Data(key.pem.utf8)), ("certificate.pem", Data(certificate.pem.utf8)),
                ("certificate.der", certificate.der), ("public-key.pem", Data(key.publicKeyPEM.utf8)),
                ("public-key.der", key.publicKeyDER),
            ] + (isForC3Pro ? [("private-c3pro.der", key.der)] : [])
        try NewFile.write(files, in: folder)
        console.note(
            "made \(files.map(\.0).joined(separator: ", ")) in \(dir); valid until \(certificate.notAfter)"
        )
        try StandardStreams.say(certificate.fingerprint)
    }
}

/// With what packages are opened.
struct StudyKeyOptions: ParsableArguments {
    @Option(
        help: "The private key, PEM or DER. Its pass phrase comes from INDIVO_KEY_PASSPHRASE.",
        completion: .file()
    )
    var key: String?

    @Option(help: "The key’s certificate, which finds it among several recipients.", completion: .file())
    var certificate: String?

    @Flag(
        name: .customLong("allow-pkcs1"),
        help: "Open envelopes whose key is encrypted by PKCS#1 version 1.5, too, as C3-PRO's Android apps do."
    )
    var allowsPKCS1 = false

    func keys() throws -> [StudyPackage.Key] {
        guard let key else { return [] }
        return [
            StudyPackage.Key(
                try StudyFile.privateKey(key),
                certificate: try certificate.map { try StudyCertificate(StudyFile.read($0, limit: 1 << 20)) },
                allowsPKCS1: allowsPKCS1
            )
        ]
    }
}

/// By what lists for phones are signed.
struct StudySigningOptions: ParsableArguments {
    @Option(help: "The study’s identifier, as the app has it.")
    var study: String

    @Option(
        help: "The private key that signs lists; a pass phrase comes from INDIVO_KEY_PASSPHRASE.",
        completion: .file()
    )
    var signingKey: String

    @Option(help: "How many days phones take the list.")
    var days = 90

    func validate() throws {
        guard (1...3650).contains(days) else { throw ValidationError("--days is a number from 1 to 3650.") }
    }

    func key() throws -> StudyPrivateKey { try StudyFile.privateKey(signingKey) }
}

/// For whom packages are encrypted, and how.
struct StudyEncryptionOptions: ParsableArguments {
    @Option(
        name: .customLong("encrypt"),
        help: "A recipient’s certificate, PEM or DER; may be repeated.",
        completion: .file()
    )
    var recipients: [String] = []

    @Option(
        help:
            """
            How a CMS message is encrypted: \(CMSCipher.allCases.map(\.rawValue).joined(separator: ", ")). \
            Content of more than \(CMSCipher.maximumAuthenticatedLength >> 20) MiB is encrypted by CBC, \
            which does not detect changes.
            """
    )
    var cipher: CMSCipher = .aes256GCM

    @Option(
        help: ArgumentHelp(
            "How the content's key is encrypted: "
                + "\(CMSKeyTransport.allCases.map(\.rawValue).joined(separator: ", "))."
        )
    )
    var keyTransport: CMSKeyTransport = .oaepSHA256

    @Flag(help: "Encrypt also for a certificate that is expired or not valid yet.")
    var allowExpired = false

    @Option(
        help:
            """
            An authority’s certificate; each recipient’s must lead to one, by those in its file. \
            May be repeated.
            """,
        completion: .file()
    )
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
            for: certificates,
            cipher: cipher,
            keyTransport: keyTransport,
            allowsExpired: allowExpired
        )
    }
}

extension CMSCipher: ExpressibleByArgument {}

extension CMSKeyTransport: ExpressibleByArgument {}

extension C3ProEnvelope.Form: ExpressibleByArgument {}

/// A small file that a person named, read up to a bound.
enum StudyFile {
    static func read(_ path: String, limit: Int) throws -> Data {
        let source = try BodySource.file(URL(filePath: path))
        guard source.size <= limit else {
            throw CommandFailure("\(path) has \(source.size) bytes, more than the \(limit) that are read")
        }
        return try source.data()
    }

    /// The JSON of a configuration.
    static func json(_ path: String) throws -> JSONValue { try json(read(path, limit: 1 << 20), path) }

    static func json(_ data: Data, _ path: String) throws -> JSONValue {
        do {
            return try JSONValue(parsing: data)
        } catch {
            throw CommandFailure("\(error.reason)", at: "\(path):\(error.location):")
        }
    }

    /// What decrypts private keys.
    static var passphrase: Secret? {
        ProcessInfo.processInfo.environment["INDIVO_KEY_PASSPHRASE"].map { Secret($0) }
    }

    static func privateKey(_ path: String) throws -> StudyPrivateKey {
        try StudyPrivateKey(read(path, limit: 1 << 16), passphrase: passphrase)
    }
}

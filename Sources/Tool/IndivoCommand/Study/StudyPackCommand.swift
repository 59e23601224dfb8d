import ArgumentParser
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import StudyDelivery

struct StudyPackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Make a package of files, encrypted or not.",
        discussion: """
            A package is a zip archive with info.json, encrypted as a CMS message when there are recipients. \
            With --envelope it is C3-PRO’s envelope of one FHIR resource. OUTPUT is never overwritten. \
            \(ExitStatus.help)
            """
    )

    enum Format: String, EnumerableFlag { case cms, envelope }

    @Argument(help: "The files.", completion: .file())
    var files: [String]

    @Option(help: "The study, as in org.example.sleep.")
    var study: String?

    @Option(help: "What was asked or measured, as in task_001.step_001.")
    var item: String?

    @Option(help: "The run of the task, a UUID.")
    var taskRun: String?

    @ArgumentParser.Flag(exclusivity: .exclusive, help: "How it is encrypted.")
    var format: Format?

    @Option(help: "The id of the key that an envelope names; it may be left out where the study has one key.")
    var keyID: String?

    @Option(help: "The form of an envelope: 1, which C3-PRO’s servers read, or 2, which is authenticated.")
    var envelopeForm: C3ProEnvelope.Form = .first

    @Option(help: "The FHIR version that an envelope names.")
    var fhirVersion = "4.0.1"

    @OptionGroup var encryption: StudyEncryptionOptions

    @Option(name: .shortAndLong, help: "The package.", completion: .file())
    var output: String

    @OptionGroup var talk: MessageOptions

    func validate() throws {
        switch format ?? .cms {
        case .cms:
            guard study != nil, item != nil else {
                throw ValidationError("A package needs --study and --item.")
            }
            guard taskRun.map({ UUID(uuidString: $0) != nil }) ?? true else {
                throw ValidationError("--task-run is no UUID.")
            }
            guard format == nil || !encryption.recipients.isEmpty else {
                throw ValidationError("A CMS message needs a recipient; give --encrypt, or leave out --cms.")
            }
        case .envelope:
            guard files.count == 1 else {
                throw ValidationError("An envelope holds one resource; name one file.")
            }
            guard encryption.recipients.count == 1 else {
                throw ValidationError("An envelope has one recipient; give --encrypt once.")
            }
        }
    }

    func run() async throws {
        try await encryption.verify()
        let file = URL(filePath: output)
        switch format ?? .cms {
        case .envelope:
            let envelope = try C3ProEnvelope(
                sealing: StudyFile.read(files[0], limit: C3ProEnvelope.maximumBytes / 2),
                for: encryption.certificates[0],
                keyID: keyID.map { try KeyID($0) },
                version: fhirVersion,
                form: envelopeForm,
                allowsExpired: encryption.allowExpired
            )
            try NewFile(file).write { try $0(envelope.data) }
        case .cms:
            var archive = try StudyArchive(
                ArchiveInfo(
                    study: study ?? "",
                    item: item ?? "",
                    taskRun: taskRun.flatMap { UUID(uuidString: $0) }
                )
            )
            for path in files { try archive.add(contentsOf: URL(filePath: path)) }
            let encryption = try encryption.encryption()
            try archive.write(to: file, encryption: encryption)
            if encryption == nil { talk.note("not encrypted: everybody who gets \(output) can read it") }
        }
    }
}

struct StudyUnpackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpack",
        abstract: "Open packages of any form.",
        discussion: """
            DIR/NAME gets info.json and the files of each package NAME, with their times. \
            Of several packages those that can be opened are. The exit status is 0 when all were opened, \
            1 when some were, 2 when none was.
            """
    )

    @Argument(help: "The packages.", completion: .file())
    var files: [String]

    @OptionGroup var keys: StudyKeyOptions

    @Option(name: .shortAndLong, help: "Where the folders of the packages are made.", completion: .directory)
    var output: String

    @OptionGroup var talk: MessageOptions

    func run() throws {
        let keys = try keys.keys()
        var failed = 0
        for path in files {
            let name = URL(filePath: path).deletingPathExtension().lastPathComponent
            let folder = URL(filePath: output, directoryHint: .isDirectory).appending(path: name)
            do {
                try StudyPackage(contentsOf: URL(filePath: path)).open(with: keys).write(to: folder)
                try StandardStreams.say(folder.path(percentEncoded: false))
            } catch let error as StudyError {
                failed += 1
                StandardStreams.printError("\(path): error: \(error)")
            }
        }
        if failed == files.count { throw ExitCode(ExitStatus.wrongUse.rawValue) }
        if failed > 0 { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }
}

struct StudyInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a package is, for whom, and how it is encrypted; never its content.",
        discussion: ExitStatus.help
    )

    @Argument(help: "The package.", completion: .file())
    var file: String

    @ArgumentParser.Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let package = try StudyPackage(contentsOf: URL(filePath: file))
        var facts: [(String, JSONValue)] = []
        switch package.kind {
        case .cms:
            let message = try package.message()
            facts = [
                ("form", "cms"), ("cipher", JSONValue(message.cipher.rawValue)),
                ("authenticated", JSONValue(message.cipher.isAuthenticated)),
                (
                    "recipients",
                    JSONValue(
                        message.recipients.map { recipient -> JSONValue in
                            [
                                "certificate": JSONValue(recipient.description),
                                "keyTransport": JSONValue(
                                    recipient.keyTransport?.rawValue ?? recipient.problem
                                ),
                            ]
                        }
                    )
                ),
            ]
        case .envelope:
            let envelope = try package.envelope()
            facts = [
                ("form", JSONValue("envelope \(envelope.form.rawValue)")),
                ("keyID", JSONValue(envelope.keyID?.description)),
                ("fhirVersion", JSONValue(envelope.version)),
                ("authenticated", JSONValue(envelope.form == .second)),
            ]
            if let resource = envelope.resource { facts.append(("resource", JSONValue(resource))) }
        case .zip, .bzip2:
            let info = try package.open().info
            facts = [
                ("form", JSONValue(package.kind.rawValue)), ("encrypted", false),
                ("study", JSONValue(info.study)),
                ("item", JSONValue(info.item)), ("taskRun", JSONValue(info.taskRun)),
                ("timestamp", JSONValue(info.timestamp?.description)),
                ("files", JSONValue(info.files.map { JSONValue($0.name) })),
            ]
        }
        let object = JSONValue(members: facts.map { JSONMember(name: $0.0, value: $0.1) })
        if json { return try StandardStreams.write(Data(object.utf8(.pretty) + [0x0A])) }
        for (name, value) in facts where !value.isNull {
            let texts =
                value.elements.map { $0.map { $0.string ?? Self.line($0) } } ?? [value.string ?? value.text()]
            for text in texts { try StandardStreams.say("\(name): \(text)") }
        }
    }

    private static func line(_ object: JSONValue) -> String {
        (object.members ?? []).map { $0.value.string ?? "" }.joined(separator: ", ")
    }
}

struct StudyKeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
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

    @ArgumentParser.Flag(name: .customLong("c3pro"), help: "Write private-c3pro.der, too.")
    var isForC3Pro = false

    @OptionGroup var talk: MessageOptions

    func run() throws {
        let folder = URL(filePath: dir, directoryHint: .isDirectory)
        let key = try StudyPrivateKey(bits: bits)
        let certificate = try key.certificate(subject: subject, days: days)
        let files =
            [
                ("private-key.pem", Data(key.pem.utf8)), ("certificate.pem", Data(certificate.pem.utf8)),
                ("certificate.der", certificate.der), ("public-key.pem", Data(key.publicKeyPEM.utf8)),
                ("public-key.der", key.publicKeyDER),
            ] + (isForC3Pro ? [("private-c3pro.der", key.der)] : [])
        try NewFile.write(files, in: folder)
        talk.note(
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

    @ArgumentParser.Flag(
        name: .customLong("allow-pkcs1"),
        help: "Open envelopes whose key is encrypted by PKCS#1 version 1.5, too, as C3-PRO's Android apps do."
    )
    var allowsPKCS1 = false

    func keys() throws -> [StudyPackage.Key] {
        guard let key else { return [] }
        let passphrase = ProcessInfo.processInfo.environment["INDIVO_KEY_PASSPHRASE"].map { Secret($0) }
        return [
            StudyPackage.Key(
                try StudyPrivateKey(StudyFile.read(key, limit: 1 << 16), passphrase: passphrase),
                certificate: try certificate.map { try StudyCertificate(StudyFile.read($0, limit: 1 << 20)) },
                allowsPKCS1: allowsPKCS1
            )
        ]
    }
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

    @ArgumentParser.Flag(help: "Encrypt also for a certificate that is expired or not valid yet.")
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
}

import ArgumentParser
import Foundation
import StudyDelivery

struct StudyKeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make a study's key pair.",
        discussion: """
            DIR gets private-key.pem (PKCS#8, mode 0600), certificate.pem and certificate.der (signed by the key itself), and \
            public-key.pem and public-key.der. Nothing that is there is overwritten. \(ExitStatus.help)
            """)

    @Argument(help: "The folder, made when it is not there.", completion: .directory)
    var dir: String

    @Option(help: "Whose it is, as in “CN=Study 7,O=Example Hospital”.")
    var subject = "CN=Study"

    @Option(help: "How many days the certificate is valid.")
    var days = 730

    @Option(help: "The length of the key.")
    var bits = 3072

    @OptionGroup var talk: TalkOptions

    func run() throws {
        let folder = URL(filePath: dir, directoryHint: .isDirectory)
        let key = try StudyPrivateKey(bits: bits)
        let certificate = try key.certificate(subject: subject, days: days)
        let files = [
            ("private-key.pem", Data(key.pem.utf8)), ("certificate.pem", Data(certificate.pem.utf8)),
            ("certificate.der", certificate.der), ("public-key.pem", Data(key.publicKeyPEM.utf8)),
            ("public-key.der", key.publicKeyDER),
        ]
        try NewFile.write(files, in: folder)
        talk.note("made \(files.map(\.0).joined(separator: ", ")) in \(dir); valid until \(certificate.notAfter)")
        try StandardStreams.say(certificate.fingerprint)
    }
}

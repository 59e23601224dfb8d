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
        let names = ["private-key.pem", "certificate.pem", "certificate.der", "public-key.pem", "public-key.der"]
        if let name = names.first(where: { FileManager.default.fileExists(atPath: folder.appending(path: $0).path) }) {
            throw CommandFailure("\(dir)/\(name) is there already, and is not overwritten; choose another folder")
        }
        let key = try StudyPrivateKey(bits: bits)
        let certificate = try key.certificate(subject: subject, days: days)
        let contents = [
            Data(key.pem.utf8), Data(certificate.pem.utf8), certificate.der, Data(key.publicKeyPEM.utf8), key.publicKeyDER,
        ]
        try PrivateFolder.make(folder)
        for (name, content) in zip(names, contents) { try NewFile(folder.appending(path: name)).write { try $0(content) } }
        talk.note("made \(names.joined(separator: ", ")) in \(dir); valid until \(certificate.notAfter)")
        try StandardStreams.say(certificate.fingerprint)
    }
}

import ArgumentParser
import Foundation
import HTTPCalls
import OrderedJSON
import RecordCommands
import StudyDelivery

struct StudyInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a package is, for whom, and how it is encrypted; never its content.",
        discussion: ExitStatus.help
    )

    @Argument(help: "The package.", completion: .file())
    var file: String

    @Flag(help: "Print JSON.")
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

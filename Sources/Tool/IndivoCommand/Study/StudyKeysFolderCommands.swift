import ArgumentParser
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyServer
import StudyWarehouse

struct StudyKeysRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Make a study's next key beside those that it has.",
        discussion: """
            KEYS gets a folder with the new key, key-2 after key-1. A running consumer takes it at the first \
            message for it. Publish it next (indivo study keys publish); phones use the newest. Older keys \
            stay: phones and queues may hold what is encrypted for them.
            """
    )

    @Argument(help: "The folder of keys.", completion: .directory)
    var keys: String

    @Option(help: "The new key's id; key- and the next number without it.")
    var id: String?

    @Option(help: "The subject of the certificate.")
    var subject = "CN=Study"

    @Option(help: "How many days the certificate is valid.")
    var days = 730

    @Option(help: "The length of the key.")
    var bits = 3072

    func run() throws {
        let folder = StudyKeyFolder(URL(filePath: keys, directoryHint: .isDirectory))
        try StudyAudit.record("rotate keys", ["folder": keys])
        let entry = try folder.rotate(
            id: try id.map { try KeyID($0) },
            subject: subject,
            days: days,
            bits: bits
        )
        try StandardStreams.say("\(entry.id) \(entry.certificate?.fingerprint ?? "")")
        StandardStreams.printError("Copy \(keys)/\(entry.id) to where no fire reaches both; then publish it.")
    }
}

struct StudyKeysRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Mark a key that phones shall use no more.",
        discussion: """
            The next list that is published has it no more (indivo study keys publish; phones take the new \
            list when they fetch it, at the latest when theirs expires). The private key stays, since what \
            phones have encrypted for it can be opened with it alone; whoever stole it can, too.
            """
    )

    @Argument(help: "The folder of keys.", completion: .directory)
    var keys: String

    @Argument(help: "The key's id.")
    var id: String

    @Option(help: "Why, for those who read the folder later.")
    var reason = ""

    func run() throws {
        try StudyAudit.record("revoke key", ["key": id, "reason": reason])
        try StudyKeyFolder(URL(filePath: keys, directoryHint: .isDirectory)).revoke(KeyID(id), reason: reason)
        try StandardStreams.say("revoked \(id)")
        StandardStreams.printError("Publish the list anew: indivo study keys publish \(keys) …")
    }
}

struct StudyKeysPublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Write the signed list of keys that phones fetch.",
        discussion: """
            The list has the keys of the folder that are valid and not revoked. It is a JWK Set signed as \
            JWS, by a key of its own whose certificate is part of the app (StudyKeyList reads it). The \
            receiver serves it at /c3pro/keys.jwt, where its configuration has "keyList": FILE; the file \
            is replaced as a whole. Publish it again before it expires.
            """
    )

    @Argument(help: "The folder of keys.", completion: .directory)
    var keys: String

    @OptionGroup var signing: StudySigningOptions

    @Option(name: .shortAndLong, help: "The file.", completion: .file())
    var output: String

    func run() throws {
        let folder = StudyKeyFolder(URL(filePath: keys, directoryHint: .isDirectory))
        let key = try signing.key()
        let list = try folder.list(study: signing.study, signedBy: key, days: signing.days)
        try StudyAudit.record("publish keys", ["folder": keys, "output": output])
        do { try Data(list.text.utf8).write(toFileNamed: output) } catch {
            throw CommandFailure("\(output) cannot be written: \(error.localizedDescription)")
        }
        try StandardStreams.say(list.keys.map(\.description).joined(separator: "\n"))
        let digest = StudyContents.digest(of: key.publicKeyDER)
        StandardStreams.printError(
            """
            Signed by \(signing.signingKey), whose public key has the SHA-256 \(digest): \
            the app needs its certificate.
            """
        )
    }
}

struct StudyKeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List a study's keys, and what would be lost without each.",
        discussion: """
            With --store the envelopes that the warehouse keeps are counted by the keys that they need. What \
            was loaded is in the tables, and stays without its key; what waits or failed is lost with it, \
            and so is the right to load anything again. A key that is named and not in the folder is \
            missing. Messages that are still in the queue are not counted: run the consumer first. \
            Envelopes that name no key have a line of their own, since any key may be theirs. Packages name \
            no key, and are not counted. The exit status is 1 when a key is missing.
            """
    )

    @Argument(help: "The folder of keys.", completion: .directory)
    var keys: String

    @Option(help: .value("url", "The warehouse: sqlite:FILE or postgresql://…."))
    var store: String?

    @Option(help: "The study’s code in the warehouse; without it that of the warehouse, STUDY in a new one.")
    var source: String?

    @Flag(help: "A line of JSON for each key.")
    var json = false

    func run() async throws {
        let entries = try StudyKeyFolder(URL(filePath: keys, directoryHint: .isDirectory)).entries()
        var kept: KeptEnvelopes?
        if let store {
            let place = try StudyPlace(store, option: "store", takesSQS: false)
            let warehouse = try await StudyBackEnd.warehouse(place, source: source, makes: false)
            kept = try await warehouse.read { try KeptEnvelopes($0) }
        }
        let known = Set(entries.filter(\.hasPrivateKey).map(\.id.description))
        let missing = (kept?.byKey.keys.filter { !$0.isEmpty && !known.contains($0) } ?? []).sorted()
        for entry in entries {
            let state =
                entry.revoked.map { "revoked \($0.at)" } ?? (entry.hasPrivateKey ? "valid" : "no private key")
            try say(entry.id.description, state, until: entry.certificate?.notAfter.description, kept)
        }
        for id in missing where !entries.contains(where: { $0.id.description == id }) {
            try say(id, "missing", until: nil, kept)
        }
        if kept?.byKey[""] != nil { try say("", "named by no key", until: nil, kept) }
        guard missing.isEmpty else { throw ExitCode.nothingFound }
    }

    private func say(_ id: String, _ state: String, until: String?, _ kept: KeptEnvelopes?) throws {
        let counts = kept.map { ($0.byKey[id] ?? 0, $0.unread[id] ?? 0) }
        let line: JSONValue = [
            "id": JSONValue(id), "state": JSONValue(state), "until": JSONValue(until),
            "envelopes": counts.map { JSONValue($0.0) } ?? .null,
            "unread": counts.map { JSONValue($0.1) } ?? .null,
        ]
        let words = counts.map { "  needed by \($0.0) envelopes, \($0.1) of them not loaded" } ?? ""
        try StandardStreams.say(json ? line.text() : "\(id)  \(state)  until \(until ?? "?")\(words)")
    }
}

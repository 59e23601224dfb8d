import ArgumentParser
import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyServer

struct StudyServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a study's receiver: take what phones deliver, encrypted, and queue it.",
        discussion: """
            It speaks C3-PRO's protocol below /c3pro and ResearchKit's at /api/upload; \
            /health and /metrics (for this machine alone) are for those who run it. \
            It holds no private key. It speaks HTTP, without TLS: a proxy such as nginx ends that before it. \
            The documentation of StudyServer has a configuration.

            The configuration is JSON; every member may be left out:

            {"studies": ["org.example.sleep"], "registration": "closed", "codes": "codes.txt", "antispam": \
            "antispam.txt", "apps": ["org.example.sleep"], "appleRoot": "AppleRootCA.pem", \
            "allowsSHA1": false, "allowsDevelopment": false,
             "clients": "clients.sqlite", "certificate": "certificate.pem", "keyID": "…", "questionnaires": \
            ["phq9.json"],
             "answers": "standard", "takesPackages": true, "takesUnencrypted": false, "trustsProxy": false, \
            "requestsPerMinute": 600,
             "connectionsPerAddress": 64, "queuedMessages": 1000000, "queuedBytes": 17179869184, \
            "keyList": "keys.jwt", "contents": "published"}

            clients is where registered apps are: a file, or postgresql://… . With a queue of PostgreSQL \
            it is left out: they are in the same database, and known to each of its receivers; \
            a file from before is named for one start, which copies its apps there. \
            Several receivers of an SQS queue need a postgresql://… .

            registration is closed, codes (receipt-data is a line of the file codes), appReceipt (a receipt \
            of Apple's App Store for one of apps, as org.example.sleep), appAttest (a key of Apple's App \
            Attest of one of apps, as A1B2C3D4E5.org.example.sleep) or open (without attestation). \
            appleRoot is a file of Apple's root certificate for either. The files codes and antispam have \
            a secret in each line and mode 0600; one anti-spam token may come from INDIVO_STUDY_ANTISPAM. \
            answers is standard, or original for the statuses of C3-PRO's first receiver. queuedMessages and \
            queuedBytes are what the queue may hold: beyond that, phones get 503 and try again later.

            \(StudyPlace.help) sqs:https://sqs.REGION.amazonaws.com/ACCOUNT/NAME?bucket=BUCKET is Amazon's: \
            large messages go into the bucket of S3, keys come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY \
            and AWS_SESSION_TOKEN, dead letters go where the queue's redrive policy says, or into &dead=NAME.
            """
    )

    @OptionGroup var queue: StudyQueueURLOptions

    @Option(help: "The configuration.", completion: .json)
    var config: String?

    @Option(help: "The port; 0 for a free one.")
    var port: UInt16 = 8084

    @Option(help: "Listen on this IPv4 address; anything but loopback puts the receiver on the network.")
    var address = "127.0.0.1"

    @Flag(help: "Print one line of JSON first, for programs.")
    var json = false

    func run() async throws {
        let file = try config.map(ReceiverFile.init)
        var configuration = try file?.configuration() ?? ReceiverConfiguration()
        let place = try StudyPlace(queue.queue, option: "queue", takesSQS: true)
        let clients = try file?.clients(beside: place, configuration) ?? .besideQueue
        let queue = try await queue.open()
        configuration.address = address
        configuration.port = port
        if let token = ProcessInfo.processInfo.environment["INDIVO_STUDY_ANTISPAM"], !token.isEmpty {
            configuration.antispam.append(Secret(token))
        }
        let receiver = try await CommandFailure.starting("the receiver") {
            try await Receiver.start(queue: queue, clients: clients, configuration)
        }
        let url = receiver.url.absoluteString
        if json { try StandardStreams.say((["url": JSONValue(url)] as JSONValue).text()) }
        StandardStreams.printError(
            """
            The receiver is at \(url) (C3-PRO: \(url)/c3pro, ResearchKit: \
            \(url)/api/upload)\nStop it with Control-C.
            """
        )
        await Interrupt.wait()
        await receiver.stop()
    }
}

/// The file of a receiver's configuration.
struct ReceiverFile: StudyServerFile {
    let path: String
    let json: JSONValue

    private static let members: Set = [
        "studies", "registration", "codes", "apps", "appleRoot", "allowsSHA1", "allowsDevelopment",
        "antispam", "clients", "certificate", "keyID", "questionnaires",
        "answers",
        "takesPackages", "takesUnencrypted", "trustsProxy", "requestsPerMinute", "connectionsPerAddress",
        "queuedMessages", "queuedBytes", "keyList", "contents",
    ]

    init(_ path: String) throws { try self.init(StudyFile.json(path), path: path) }

    /// A configuration that is in a file.
    init(_ json: JSONValue, path: String) throws {
        self.path = path
        self.json = json
        guard let members = json.members else { throw CommandFailure("it is no object", at: "\(path):") }
        if let unknown = members.first(where: { !Self.members.contains($0.name) }) {
            throw refuse(
                "“\(unknown.name)” is not known; there are \(Self.members.sorted().joined(separator: ", "))"
            )
        }
    }

    /// Reads a file; its errors name it.
    private func reading<Value>(_ name: String, _ read: (Data) throws -> Value) throws -> Value {
        let path = file(name)
        return try StudyBackEnd.naming(path) { try read(InputFile(path: path).read()) }
    }

    private func flag(_ name: String, _ standard: Bool = false) throws -> Bool {
        guard let value = json[name] else { return standard }
        guard let flag = value.boolean else { throw refuse("“\(name)” is true or false") }
        return flag
    }

    private func read(_ name: String, atMost most: Int, into value: inout Int) throws {
        guard let given = json[name] else { return }
        guard let number = given.integer, (1...most).contains(number) else {
            throw refuse("“\(name)” is a number from 1 to \(most)")
        }
        value = number
    }

    /// Where the apps are that register. What several receivers would not share is refused, where there may
    /// be several.
    func clients(beside queue: StudyPlace, _ configuration: ReceiverConfiguration) throws -> ReceiverClients {
        let clients: ReceiverClients =
            try text("clients").map { text in
                text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
                    ? .postgreSQL(text) : .file(URL(filePath: file(text)))
            } ?? .besideQueue
        switch (queue, clients) {
        case (.postgreSQL, .file(let file)):
            // A new file would be made otherwise, and be of no use.
            let name = file.filePath
            guard name.fileExists else {
                throw CommandFailure(
                    """
                    \(name) is not there; the queue’s database has the registered apps: \
                    take “clients” out of \(path)
                    """
                )
            }
            StandardStreams.printError(
                "The apps of \(name) are copied into the queue’s database, which has them from now on; "
                    + "take “clients” out of \(path)."
            )
            return clients
        case (.postgreSQL, .postgreSQL):
            throw CommandFailure(
                """
                the queue’s database has the registered apps, for all receivers; \
                take “clients” out of \(path)
                """
            )
        case (.sqs, .besideQueue) where configuration.attestation != nil:
            throw CommandFailure(
                "SQS keeps no registered apps; “clients” in the configuration is postgresql://… "
                    + "for several receivers, or a file for one"
            )
        default: return clients
        }
    }

    private func appleRoot() throws -> TrustAnchors {
        guard let name = try text("appleRoot") else {
            throw refuse(
                "this registration needs “appleRoot”, a file of Apple’s root certificate, "
                    + "from https://www.apple.com/certificateauthority/"
            )
        }
        return try reading(name) { try TrustAnchors($0) }
    }

    func configuration() throws -> ReceiverConfiguration {
        var configuration = ReceiverConfiguration()
        configuration.studies = Set(try texts("studies"))
        if let answers = try text("answers") {
            guard let answers = ReceiverConfiguration.Answers(rawValue: answers) else {
                throw refuse("“answers” is standard or original")
            }
            configuration.answers = answers
        }
        configuration.takesPackages = try flag("takesPackages", true)
        configuration.takesUnencrypted = try flag("takesUnencrypted")
        configuration.trustsProxy = try flag("trustsProxy")
        try read("requestsPerMinute", atMost: 10_000_000, into: &configuration.requestsPerMinute)
        try read("connectionsPerAddress", atMost: 10_000, into: &configuration.connectionsPerAddress)
        try read("queuedMessages", atMost: 1 << 40, into: &configuration.depthLimit)
        try read("queuedBytes", atMost: 1 << 50, into: &configuration.byteLimit)
        if let name = try text("antispam") { configuration.antispam = try StudyBackEnd.secrets(file(name)) }
        switch try text("registration") ?? "closed" {
        case "closed": break
        case "open": configuration.attestation = NoAttestation()
        case "codes":
            guard let name = try text("codes") else {
                throw refuse("the registration by codes needs “codes”, a file of them")
            }
            let path = file(name)
            configuration.attestation = try StudyBackEnd.naming(path) {
                try CodeAttestation(StudyBackEnd.secrets(path))
            }
        case "appReceipt":
            configuration.attestation = try AppReceiptAttestation(
                bundles: Set(texts("apps")),
                trusting: appleRoot(),
                allowsSHA1: flag("allowsSHA1")
            )
        case "appAttest":
            configuration.attestation = try AppKeyAttestation(
                apps: Set(texts("apps")),
                environments: flag("allowsDevelopment") ? [.production, .development] : [.production],
                trusting: appleRoot()
            )
        default: throw refuse("“registration” is closed, codes, appReceipt, appAttest or open")
        }
        if let name = try text("certificate") {
            guard let id = try text("keyID") else { throw refuse("a “certificate” needs “keyID”") }
            configuration.sealing = .init(
                try reading(name) { try StudyCertificate($0) },
                keyID: try KeyID(id)
            )
        }
        configuration.keyList = try text("keyList").map { URL(filePath: file($0)) }
        if let name = try text("contents") {
            let folder = URL(filePath: file(name), directoryHint: .isDirectory)
            configuration.contents = folder
            Self.warn(of: StudyContentsFolder(folder))
        }
        for questionnaire in try StudyBackEnd.questionnaires(texts("questionnaires").map(file)) {
            guard let id = questionnaire.id else {
                throw refuse("a questionnaire without an id cannot be served")
            }
            configuration.questionnaires[id] = questionnaire.json()
        }
        return configuration
    }

    /// Tells of a folder of contents that phones would get nothing from.
    private static func warn(of folder: StudyContentsFolder) {
        let path = folder.url.filePath
        do {
            let expires = try folder.contents().expires
            guard expires <= .now else { return }
            StandardStreams.printError(
                "warning: \(path): the list expired at \(expires), and phones take it no more; publish again"
            )
        } catch {
            StandardStreams.printError("warning: \(path): phones get nothing: \(error)")
        }
    }
}

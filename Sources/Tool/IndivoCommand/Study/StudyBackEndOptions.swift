import ArgumentParser
import FHIR
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyServer
import StudyWarehouse
import Surveys

/// The location of a queue or a warehouse, as the user gives it.
enum StudyPlace: Hashable {
    /// A file, as in `sqlite:study.sqlite`, or with slashes as in `sqlite:///var/lib/study.sqlite`.
    case file(URL)
    /// A database, as in `postgresql://user@host/database`.
    case postgreSQL(String)
    /// What is behind `sqs:`.
    case sqs(String)

    static let help = """
        sqlite:FILE is for one machine. postgresql://USER@HOST/DATABASE is for several; a password comes \
        from PGPASSWORD or ~/.pgpass, never from the URL, which everybody sees who lists the processes; \
        to another machine TLS is used, and the server's name verified, unless the URL has sslmode.
        """

    /// Errors do not quote the text: somebody may have put a password into it.
    init(_ text: String, option: String, takesSQS: Bool) throws {
        if text.hasPrefix("sqlite:") {
            var path = String(text.dropFirst("sqlite:".count))
            if path.hasPrefix("///") { path.removeFirst(2) }
            guard !path.isEmpty, !path.hasPrefix("//") else {
                throw CommandFailure(
                    """
                    --\(option) names no file; it looks like sqlite:study.sqlite or \
                    sqlite:///var/lib/study.sqlite
                    """
                )
            }
            self = .file(URL(filePath: path))
        } else if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
            self = .postgreSQL(text)
        } else if text.hasPrefix("sqs:"), takesSQS {
            self = .sqs(String(text.dropFirst("sqs:".count)))
        } else {
            throw CommandFailure(
                "--\(option) is not understood; it begins with "
                    + (takesSQS ? "sqlite:, postgresql:// or sqs:" : "sqlite: or postgresql://")
            )
        }
    }
}

/// The option for the queue of a study.
struct StudyQueueURLOptions: ParsableArguments {
    @Option(
        help: .value(
            "url",
            "The queue: sqlite:FILE, postgresql://… or sqs:URL; a file or tables are made."
        )
    )
    var queue = "sqlite:queue.sqlite"

    func open() async throws -> any MessageQueue {
        try await StudyBackEnd.queue(try StudyPlace(queue, option: "queue", takesSQS: true))
    }
}

/// The options for the warehouse of a study.
struct StudyStoreOptions: ParsableArguments {
    @Option(help: .value("url", "The warehouse: sqlite:FILE or postgresql://…."))
    var store = "sqlite:study.sqlite"

    @Option(help: "The study’s code in the warehouse; without it that of the warehouse, STUDY in a new one.")
    var source: String?

    var place: StudyPlace { get throws { try StudyPlace(store, option: "store", takesSQS: false) } }

    /// - Parameter makes: Whether a new one is made.
    func open(makes: Bool) async throws -> Warehouse {
        try await StudyBackEnd.warehouse(place, source: source, makes: makes)
    }
}

/// The option for what is encrypted in an old way.
struct StudyPKCS1Options: ParsableArguments {
    @Flag(
        name: .customLong("allow-pkcs1"),
        help: "Take envelopes whose key is encrypted by PKCS#1 version 1.5, too, as C3-PRO's Android apps do."
    )
    var allowsPKCS1 = false
}

extension ExportAudience: ExpressibleByArgument {}

enum StudyBackEnd {
    /// The private keys of a folder.
    static func keys(_ path: String, allowsPKCS1: Bool = false) throws -> KeyRing {
        do {
            var ring = try KeyRing(contentsOf: URL(filePath: path), passphrase: StudyFile.passphrase)
            ring.allowsPKCS1 = allowsPKCS1
            return ring
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    static func queue(_ place: StudyPlace) async throws -> any MessageQueue {
        switch place {
        case .file(let file):
            try await opened(file.filePath) { try SQLiteMessageQueue(file) }
        case .postgreSQL(let url):
            try await opened("the queue") { try await PostgreSQLMessageQueue(url) }
        case .sqs(let text):
            try await opened("the queue") {
                let environment = ProcessInfo.processInfo.environment
                return try await SQSMessageQueue(
                    SQSConfiguration(parsing: text, environment: environment),
                    AWSCredentials(environment: environment)
                )
            }
        }
    }

    /// - Parameter makes: Whether a new one is made.
    static func warehouse(_ place: StudyPlace, source: String?, makes: Bool) async throws -> Warehouse {
        switch place {
        case .file(let file):
            let path = file.filePath
            guard makes || path.fileExists else {
                throw CommandFailure("\(path): there is no such warehouse; indivo study consume makes one")
            }
            return try await opened(path) { try Warehouse(file, source: source) }
        case .postgreSQL(let url):
            return try await opened("the warehouse") {
                try await Warehouse(postgreSQL: url, source: source, makes: makes)
            }
        case .sqs: throw CommandFailure("--store is sqlite:FILE or postgresql://…")
        }
    }

    /// Stores the ontology of questionnaires, and tells what is wrong with them.
    static func store(_ questionnaires: [Questionnaire], in warehouse: Warehouse) async throws {
        guard !questionnaires.isEmpty else { return }
        let ontology = Ontology(questionnaires)
        for problem in ontology.problems { StandardStreams.printError("warning: \(problem)") }
        let now = WarehouseTime(FHIRDateTime(Date()))
        do { try await warehouse.transaction { try $0.store(ontology, now: now) } } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// Says where the warehouse has samples; `nil` leaves them where they are.
    static func store(samplesAs storage: SampleStorage?, in warehouse: Warehouse) async throws {
        guard let storage else { return }
        do { try await warehouse.store(samplesAs: storage) } catch {
            throw CommandFailure("\(error)")
        }
    }

    static func opened<Value>(_ place: String, _ open: () async throws -> Value) async throws -> Value {
        do {
            return try await open()
        } catch {
            throw CommandFailure("\(place) cannot be opened: \(error)")
        }
    }

    /// Has errors name the file that they are about.
    static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as CommandFailure { throw error } catch {
            let text = "\(error)"
            throw CommandFailure(text.contains(path) ? text : "\(path): \(text)")
        }
    }

    /// The folder of what a study publishes; `nil` where a path is none.
    static func published(_ path: String) -> StudyContentsFolder? {
        let folder = StudyContentsFolder(URL(filePath: path, directoryHint: .isDirectory))
        return folder.isPublished ? folder : nil
    }

    /// - Parameter paths: Files, or folders of what a study publishes.
    static func questionnaires(_ paths: [String]) throws -> [Questionnaire] {
        try paths.flatMap { path in
            if let folder = published(path) { return try naming(path) { try folder.questionnaires() } }
            let file = InputFile(path: path)
            if let json = try? file.json(), ResearchKitQuestionnaire.isTask(json) {
                return [try file.task(json).questionnaire]
            }
            guard let questionnaire = try ResourceFile.resource(InputFile(path: path)).as(Questionnaire.self)
            else {
                throw CommandFailure("\(path): this is no Questionnaire")
            }
            return [questionnaire]
        }
    }

    /// The lines of a file that nobody else may read.
    static func secrets(_ path: String) throws -> [Secret] {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? Int else {
            throw CommandFailure("\(path): there is no such file")
        }
        guard mode & 0o077 == 0 else {
            throw CommandFailure(
                "\(path) is not used: others can read it; if nobody has, run chmod 600 on it"
            )
        }
        let text = String(decoding: try StudyFile.read(path, limit: 1 << 20), as: UTF8.self)
        return try text.split(whereSeparator: \.isNewline).enumerated().filter { !$1.isEmpty }.map {
            number,
            line in
            // A field of HTTP has no spaces around its value: such a line would never fit.
            guard line.first?.isWhitespace == false, line.last?.isWhitespace == false else {
                throw CommandFailure(
                    "\(path): the secret number \(number + 1) begins or ends with a space; take it away"
                )
            }
            return Secret(String(line))
        }
    }
}

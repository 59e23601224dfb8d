import ArgumentParser
import FHIR
import Foundation
import HTTPTransport
import OrderedJSON
import SecretText
import StudyDelivery
import StudyServer
import StudyWarehouse

/// A database that a person named by a URL.
struct DatabaseURL: ExpressibleByArgument {
    let file: URL

    /// `sqlite:study.sqlite`, or with slashes as in `sqlite:///var/lib/study.sqlite`.
    init?(argument: String) {
        guard argument.hasPrefix("sqlite:") else { return nil }
        var path = String(argument.dropFirst("sqlite:".count))
        if path.hasPrefix("///") { path.removeFirst(2) }
        guard !path.isEmpty, !path.hasPrefix("//") else { return nil }
        file = URL(filePath: path)
    }
}

/// Where the messages of a study wait.
struct StudyQueueURLOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The queue, as in sqlite:queue.sqlite; made when it is not there.", valueName: "url"))
    var queue = DatabaseURL(argument: "sqlite:queue.sqlite")!  // A constant of this form.

    func open() throws -> SQLiteMessageQueue { try StudyBackEnd.opened(queue) { try SQLiteMessageQueue($0) } }
}

/// Where the facts of a study are.
struct StudyStoreOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The warehouse, as in sqlite:study.sqlite.", valueName: "url"))
    var store = DatabaseURL(argument: "sqlite:study.sqlite")!  // A constant of this form.

    @Option(help: "The study’s code in the warehouse.")
    var source = "STUDY"

    /// - Parameter makes: Whether a new one is made.
    func open(makes: Bool) throws -> Warehouse {
        let path = store.file.path(percentEncoded: false)
        guard makes || FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure("\(path): there is no such warehouse; indivo study consume makes one")
        }
        return try StudyBackEnd.opened(store) { try Warehouse($0, source: source) }
    }
}

enum StudyBackEnd {
    static func opened<Value>(_ database: DatabaseURL, _ open: (URL) throws -> Value) throws -> Value {
        do {
            return try open(database.file)
        } catch {
            throw CommandFailure("\(database.file.path(percentEncoded: false)) cannot be opened: \(error)")
        }
    }

    static func questionnaires(_ paths: [String]) throws -> [Questionnaire] {
        try paths.map { path in
            guard let questionnaire = try ResourceFile.resource(InputFile(path: path)).as(Questionnaire.self) else {
                throw CommandFailure("\(path): this is no Questionnaire")
            }
            return questionnaire
        }
    }

    /// The lines of a file that nobody else may read.
    static func secrets(_ path: String) throws -> [Secret] {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? Int else { throw CommandFailure("\(path): there is no such file") }
        guard mode & 0o077 == 0 else {
            throw CommandFailure("\(path) is not used: others can read it; if nobody has, run chmod 600 on it")
        }
        let text = String(decoding: try StudyFile.read(path, limit: 1 << 20), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).filter { !$0.isEmpty }.map { Secret(String($0)) }
    }
}

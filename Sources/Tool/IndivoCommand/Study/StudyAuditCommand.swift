import ArgumentParser
import Foundation
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyServer

struct StudyAuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show and verify who saw, exported, reprocessed and decided what.",
        discussion: """
            The file is written by the pages (indivo study pages --audit FILE, or "audit" in the \
            configuration of indivo study up), and by export, message, decrypt, pending, consume, progress \
            --open, backup, restore, user and keys where INDIVO_STUDY_AUDIT names it. Each entry has the \
            digest of the one before it.
            """,
        subcommands: [StudyAuditVerifyCommand.self, StudyAuditListCommand.self]
    )
}

struct StudyAuditVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check that no entry of an audit log was changed, taken out or put in.",
        discussion: """
            It prints how many entries there are, and the digest of the last one. Note that somewhere else: \
            whoever may write the file can make a new chain, or cut off its end, and --head DIGEST finds it. \
            The pages write each digest into the system's log. The exit status is 1 when the log does not \
            hold.
            """
    )

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Option(
        help: .value("digest", "A digest that was noted earlier: an entry has to have it.")
    )
    var head: String?

    func validate() throws {
        let isDigest = head.map { $0.utf8.count == 64 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
        guard isDigest ?? true else {
            throw ValidationError(
                "--head is a digest that verify or the pages' log printed: 64 hexadecimal digits."
            )
        }
    }

    func run() throws {
        do {
            let state = try AuditLog(URL(filePath: file)).verify(noted: head?.lowercased())
            try StandardStreams.say("\(state.count) \(state.head)")
        } catch let problem as AuditLog.Problem {
            throw CommandFailure("\(file): \(problem)", status: .nothingFound)
        }
    }
}

struct StudyAuditListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the entries of an audit log, as far as it holds."
    )

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Option(help: "Only what this person did.")
    var who: String?

    @Flag(help: "A line of JSON for each entry.")
    var json = false

    func run() throws {
        do {
            try AuditLog(URL(filePath: file)).verify { entry in
                guard who == nil || entry.who == who else { return }
                try StandardStreams.say(json ? Self.json(entry) : Self.line(entry))
            }
        } catch let problem as AuditLog.Problem {
            throw CommandFailure("\(file): \(problem)", status: .nothingFound)
        }
    }

    private static func line(_ entry: AuditLog.Entry) -> String {
        let details = entry.details.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return ([entry.time, entry.who, entry.action] + details).joined(separator: "  ")
    }

    private static func json(_ entry: AuditLog.Entry) -> String {
        let details = entry.details.sorted { $0.key < $1.key }
        let line: JSONValue = [
            "n": JSONValue(entry.number), "at": JSONValue(entry.time), "who": JSONValue(entry.who),
            "action": JSONValue(entry.action),
            "details": JSONValue(
                members: details.map { JSONMember(name: $0.key, value: JSONValue($0.value)) }
            ),
            "digest": JSONValue(entry.digest),
        ]
        return line.text()
    }
}

/// Writes down what a person does with the tool, where `INDIVO_STUDY_AUDIT` names a file.
enum StudyAudit {
    private static var path: String? {
        ProcessInfo.processInfo.environment["INDIVO_STUDY_AUDIT"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether a file is the one that entries go to, and is not there.
    static func isMissing(_ log: URL) -> Bool {
        guard let path else { return false }
        return URL(filePath: path).standardizedFileURL == log.standardizedFileURL
            && !path.fileExists
    }

    /// - Throws: Why it cannot be written down; then nothing is done.
    static func record(_ action: String, _ details: [String: String] = [:]) throws {
        guard let path else { return }
        let who = "\(NSUserName())@\(ProcessInfo.processInfo.hostName)"
        do { try AuditLog(URL(filePath: path)).append(who: who, action: action, details) } catch {
            throw CommandFailure("the audit log cannot be written, and nothing is done: \(error)")
        }
    }
}

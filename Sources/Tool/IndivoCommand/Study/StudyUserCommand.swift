import ArgumentParser
import Foundation
import IndivoBase
import RecordCommands
import StudyServer

struct StudyUserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Let a person log in to a study’s pages.",
        discussion: """
            The password is a line of standard input, of at least 12 characters. \
            A person who is known gets another password, and has to log in anew. With --role, \
            --second-factor, --no-second-factor or --remove a person who is known keeps the password, and \
            none is read.

            Roles: view sees the pages, export downloads tables of the answers, operate puts messages \
            back and decides about withdrawals and corrections, administer sees the people and the audit \
            log; each may do what those before it may. A new person without --role may view. \
            --second-factor prints what an authenticator reads (TOTP, RFC 6238); from then on a login needs \
            its code, too.
            """
    )

    @Argument(help: "The name.")
    var name: String

    @Option(
        help: .value(
            "file",
            "The file, which its owner alone can read; made when it is not there."
        )
    )
    var users: String

    @Option(help: "view, export, operate, administer or none.", transform: StudyUserCommand.role)
    var role: StudyRole??

    @Option(
        help: .value("name", "The role is in this one of several studies alone."),
        transform: { try StudyName($0) }
    )
    var study: StudyName?

    @Flag(help: "Ask for a code of an authenticator, too; prints a new secret, once.")
    var secondFactor = false

    @Flag(help: "Ask for no code any more.")
    var noSecondFactor = false

    @Flag(help: "Take the person out; their sessions end.")
    var remove = false

    @Option(help: .value("name", "What the authenticator calls the study."))
    var title = "Study"

    func validate() throws {
        guard !(secondFactor && noSecondFactor), !(remove && (secondFactor || noSecondFactor || role != nil))
        else {
            throw ValidationError("These options exclude one another.")
        }
        guard study == nil || role != nil else {
            throw ValidationError("--study needs --role, which is the role in that study.")
        }
    }

    func run() throws {
        let file = StudyUserFile(URL(filePath: users))
        do {
            let changes = [
                remove ? "removed" : nil,
                role.map { "role \($0?.rawValue ?? "none")" + (study.map { " in \($0)" } ?? "") },
                secondFactor ? "second factor" : nil, noSecondFactor ? "no second factor" : nil,
            ].compactMap { $0 }
            let isKnown = try file.names().contains(name)
            try StudyAudit.record(
                "user",
                ["name": name, "change": changes.isEmpty ? "password" : changes.joined(separator: ", ")]
            )
            if remove { return try file.remove(name) }
            if changes.isEmpty || !isKnown { try file.setPassword(readPassword(), of: name, in: study) }
            if let role { try file.setRole(role, of: name, in: study) }
            if noSecondFactor { try file.removeSecondFactor(of: name) }
            if secondFactor { try StandardStreams.say(try file.makeSecondFactor(of: name, study: title)) }
        } catch let error as StudyPagesError {
            throw CommandFailure("\(error)")
        }
    }

    private static func role(_ text: String) throws -> StudyRole? {
        guard text != "none" else { return nil }
        guard let role = StudyRole(rawValue: text) else {
            throw ValidationError("a role is view, export, operate, administer or none.")
        }
        return role
    }

    private func readPassword() throws -> Secret {
        if StandardStreams.inputIsTerminal { StandardStreams.hint("Password (it is shown): ") }
        guard let line = readLine(strippingNewline: true) else {
            throw CommandFailure(
                "standard input has no password; type one, or pass a file: indivo study user … < FILE"
            )
        }
        return Secret(line)
    }
}

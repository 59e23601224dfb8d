import ArgumentParser
import Foundation
import IndivoBase
import StudyServer

struct StudyUserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Let a person log in to a study’s pages.",
        discussion: """
            The password is a line of standard input, of at least 12 characters. \
            A person who is known gets another password, and has to log in anew. \
            Whoever is to leave is a line that is taken out of the file.
            """
    )

    @Argument(help: "The name.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "The file, which its owner alone can read; made when it is not there.",
            valueName: "file"
        )
    )
    var users: String

    func run() throws {
        if StandardStreams.inputIsTerminal { StandardStreams.hint("Password (it is shown): ") }
        guard let line = readLine(strippingNewline: true) else {
            throw CommandFailure(
                "standard input has no password; type one, or pass a file: indivo study user … < FILE"
            )
        }
        do {
            try StudyUserFile(URL(filePath: users)).setPassword(Secret(line), of: name)
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}

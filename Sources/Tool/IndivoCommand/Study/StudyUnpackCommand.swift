import ArgumentParser
import Foundation
import HTTPCalls
import RecordCommands
import StudyDelivery

struct StudyUnpackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpack",
        abstract: "Open packages of any form.",
        discussion: """
            DIR/NAME gets info.json and the files of each package NAME, with their times. \
            Of several packages those that can be opened are. The exit status is 0 when all were opened, \
            1 when some were, 2 when none was.
            """
    )

    @Argument(help: "The packages.", completion: .file())
    var files: [String]

    @OptionGroup var keys: StudyKeyOptions

    @Option(name: .shortAndLong, help: "Where the folders of the packages are made.", completion: .directory)
    var output: String

    @OptionGroup var console: MessageOptions

    func run() throws {
        let keys = try keys.keys()
        var failed = 0
        for path in files {
            let name = URL(filePath: path).deletingPathExtension().lastPathComponent
            let folder = URL(filePath: output, directoryHint: .isDirectory).appending(path: name)
            do {
                try StudyPackage(contentsOf: URL(filePath: path)).open(with: keys).write(to: folder)
                try StandardStreams.say(folder.filePath)
            } catch let error as StudyError {
                failed += 1
                StandardStreams.printError("\(path): error: \(error)")
            }
        }
        if failed == files.count { throw ExitCode.wrongUse }
        if failed > 0 { throw ExitCode.nothingFound }
    }
}

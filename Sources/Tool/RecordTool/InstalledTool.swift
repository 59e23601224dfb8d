import ArgumentParser
import Foundation
import RecordCommands

/// `indivo` as it is installed: it runs the commands that need no FHIR itself, and hands all others to the
/// program with all of them. So what works on a record starts at once, and with little memory.
@main
struct InstalledTool: AsyncParsableCommand {
    /// Of the command that the first argument names alone: the others' descriptions are not made.
    static let configuration = CommandConfiguration(
        commandName: "indivo",
        version: PackageVersion.text,
        subcommands: [named].compactMap { $0 }
    )

    private static let named = CommandLine.arguments.dropFirst().first.flatMap(
        RecordCommandList.command(named:)
    )

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let isOwn = named != nil || arguments == ["--version"]
        // Completions and descriptions of all commands are not asked of a part of them.
        if !isOwn || arguments.contains(where: isAboutAll) { runWholeTool() }
        await runTool()
    }

    private static func isAboutAll(_ argument: String) -> Bool {
        argument.hasPrefix("--generate-completion-script") || argument == "--experimental-dump-help"
    }

    /// Replaces this program by the one with all commands: `libexec/indivo/indivo` beside its own folder, or
    /// `indivo` in its own folder.
    private static func runWholeTool() -> Never {
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? URL(filePath: "/")
        let folder = own.deletingLastPathComponent()
        let installed = folder.deletingLastPathComponent().appending(path: "libexec/indivo/indivo")
        let built = folder.appending(path: "indivo")
        let places = [installed, built].map { $0.path(percentEncoded: false) }
        for place in places where place != own.path(percentEncoded: false) {
            // The arguments are copied, and freed with the process. It returns where there is no program.
            var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
            execv(place, &arguments)
        }
        StandardStreams.printError(
            "error: \(places[0]) cannot be run, which has the other commands; install both with "
                + "scripts/install-tool"
        )
        Foundation.exit(ExitStatus.wrongUse.rawValue)
    }
}

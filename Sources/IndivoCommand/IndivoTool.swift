#if Tool && Sandbox
import ArgumentParser
import Foundation

@main
struct IndivoTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "indivo",
        abstract: "Work with personally controlled health records on an Indivo X server.",
        subcommands: [
            DemoCommand.self, SandboxCommand.self, SelectCommand.self, FormatCommand.self, DocumentCommand.self,
            GenerateCommand.self,
        ] + outboxCommands)

    #if Outbox
    private static let outboxCommands: [any ParsableCommand.Type] = [OutboxCommand.self]
    #else
    private static let outboxCommands: [any ParsableCommand.Type] = []
    #endif

    /// Runs the command that the arguments name. As with grep, 2 is the exit status of everything that went wrong,
    /// wrong arguments included; 1 is an answer.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            StandardStreams.complain("\(failure)")
            Foundation.exit(2)
        } catch where exitCode(for: error) == .validationFailure {
            StandardStreams.complain(fullMessage(for: error))
            Foundation.exit(2)
        } catch {
            exit(withError: error)
        }
    }
}
#else
@main
struct IndivoTool {
    static func main() {
        print("This build of indivo has no commands: build it with the traits Tool and Sandbox, which are on by default.")
    }
}
#endif

#if Tool && Sandbox
import ArgumentParser

@main
struct IndivoTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "indivo",
        abstract: "Work with personally controlled health records on an Indivo X server.",
        subcommands: [DemoCommand.self, SandboxCommand.self])
}
#else
@main
struct IndivoTool {
    static func main() {
        print("This build of indivo has no commands: build it with the traits Tool and Sandbox, which are on by default.")
    }
}
#endif

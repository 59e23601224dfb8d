import ArgumentParser
import FHIR
import OrderedJSON

struct FHIRFormatCommand: ParsableCommand {
    /// How the resource is written.
    enum Format: String, EnumerableFlag {
        case json, compact

        static func help(for value: Format) -> ArgumentHelp? {
            switch value {
            case .json: "Print indented JSON. This is the default."
            case .compact: "Print JSON without white space."
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Print a FHIR resource in another layout, without loss.",
        discussion: """
            Only white space changes: the order of members, the digits of numbers and unknown members stay.

            The exit status is 0 when the resource was printed, 2 when it cannot be read.
            """)

    @Argument(help: "The file; standard input when left out or -.", completion: .file())
    var file: String = "-"

    @ArgumentParser.Flag(exclusivity: .exclusive)
    var format: Format = .json

    func run() throws {
        let resource = try InputFile(path: file).resource()
        try StandardStreams.say(resource.tree.text(format == .compact ? .compact : .pretty))
    }
}

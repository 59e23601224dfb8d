import ArgumentParser
import FHIR
import Foundation
import OrderedJSON
import RecordCommands

struct FHIRFormatCommand: ParsableCommand {
    /// How the resource is written.
    enum Format: String, EnumerableFlag {
        case json, compact, xml

        static func help(for value: Format) -> ArgumentHelp? {
            switch value {
            case .json: "Print indented JSON. This is the default."
            case .compact: "Print JSON without white space."
            case .xml: "Print indented XML."
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Print a FHIR resource in another layout or format, without loss.",
        discussion: """
            indivo fhir format --compact patient.json
            indivo fhir format --xml patient.json > patient.xml
            indivo fhir format patient.xml

            JSON and XML are both read. The order of members, the digits of numbers and unknown members stay \
            as they are; XML has the elements in the order of the definitions, and cannot have unknown ones.

            The exit status is 0 when the resource was printed, 2 when it cannot be read, \
            or not be written in XML.
            """
    )

    @Argument(help: "The file; standard input when left out or -.", completion: .file())
    var file: String = "-"

    @Flag(exclusivity: .exclusive)
    var format: Format = .json

    func run() throws {
        let input = InputFile(path: file)
        let resource = try ResourceFile.resource(input)
        switch format {
        case .json: try StandardStreams.say(resource.tree.text(.pretty))
        case .compact: try StandardStreams.say(resource.tree.text(.compact))
        case .xml:
            var xml: Data
            do {
                xml = try resource.xml(.pretty)
            } catch {
                throw CommandFailure(
                    "\(error.path): \(error.reason)",
                    at: input.place(error.line, error.column)
                )
            }
            if xml.last != UInt8(ascii: "\n") { xml.append(UInt8(ascii: "\n")) }
            try StandardStreams.write(xml)
        }
    }
}

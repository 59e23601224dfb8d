import ArgumentParser
import FHIR
import OrderedJSON

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
            indivo fhir format --xml patient.json > patient.xml
            indivo fhir format --json patient.xml

            The file may be JSON or XML. From JSON to JSON only white space changes: the order of members, the digits of \
            numbers and unknown members stay. XML has the order of FHIR's definitions; what XML cannot carry, such as \
            unknown members, is an error.

            The exit status is 0 when the resource was printed, 2 when it cannot be read or not be written in XML.
            """)

    @Argument(help: "The file; standard input when left out or -.", completion: .file())
    var file: String = "-"

    @ArgumentParser.Flag(exclusivity: .exclusive)
    var format: Format = .json

    func run() throws {
        let file = InputFile(path: file)
        let resource = try file.resource()
        switch format {
        case .json: try StandardStreams.say(resource.tree.text(.pretty))
        case .compact: try StandardStreams.say(resource.tree.text())
        case .xml:
            do throws(FHIRXMLError) {
                let xml = try resource.xml(.pretty)
                // The line's end is printed anyway.
                try StandardStreams.say(String(decoding: xml.dropLast(), as: UTF8.self))
            } catch {
                throw file.failure(error)
            }
        }
    }
}

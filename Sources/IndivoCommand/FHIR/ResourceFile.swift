import FHIR
import OrderedJSON

/// A file with FHIR's JSON or XML, read.
struct ResourceFile {
    let json: JSONValue
    /// Of XML where in the file the JSON comes from.
    private let locations: FHIRXMLLocations?

    /// - Throws: ``CommandFailure``, with line and column where the file is neither JSON nor a resource in XML.
    init(_ file: InputFile) throws {
        let data = try file.read()
        // No JSON begins with it.
        let first = data.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        do {
            if first == UInt8(ascii: "<") {
                let parsed = try AnyResource.parse(xml: data)
                json = parsed.resource.tree
                locations = parsed.locations
            } else {
                json = try JSONValue(parsing: data)
                locations = nil
            }
        } catch let error as JSONError {
            throw CommandFailure("\(error.reason)", at: file.place(error.location.line, error.location.column))
        } catch FHIRParsingError.xml(let error) {
            let path = error.path.isEmpty ? "" : "\(error.path): "
            throw CommandFailure("\(path)\(error.reason)", at: file.place(error.line, error.column))
        } catch {
            throw CommandFailure("\(error)", at: file.place(nil))
        }
    }

    /// The line and column in the file that a part of the JSON comes from.
    func position(of location: JSONLocation) -> (line: Int, column: Int) {
        locations?.position(of: location) ?? (location.line, location.column)
    }

    /// The resource, of whatever type.
    /// - Throws: ``CommandFailure``.
    static func resource(_ file: InputFile) throws -> AnyResource {
        guard let resource = AnyResource(tree: try ResourceFile(file).json) else {
            throw CommandFailure("\(FHIRParsingError.notAResource)", at: file.place(1, 1))
        }
        return resource
    }
}

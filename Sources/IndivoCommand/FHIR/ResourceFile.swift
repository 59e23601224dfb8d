import FHIR
import OrderedJSON

/// A file with FHIR's JSON or XML, read.
struct ResourceFile {
    let json: JSONValue
    /// Whether it was XML: the JSON's lines are then not the file's.
    let isXML: Bool

    /// - Throws: ``CommandFailure``, with line and column where the file is neither JSON nor a resource in XML.
    init(_ file: InputFile) throws {
        let data = try file.read()
        // No JSON begins with it.
        let first = data.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        isXML = first == UInt8(ascii: "<")
        do {
            json = isXML ? try AnyResource(parsingXML: data).tree : try JSONValue(parsing: data)
        } catch let error as JSONError {
            throw CommandFailure("\(error.reason)", at: file.place(error.location.line, error.location.column))
        } catch FHIRParsingError.xml(let error) {
            let path = error.path.isEmpty ? "" : "\(error.path): "
            throw CommandFailure("\(path)\(error.reason)", at: file.place(error.line, error.column))
        } catch {
            throw CommandFailure("\(error)", at: file.place(nil))
        }
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

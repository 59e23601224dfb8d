import FHIR
import OrderedJSON

extension InputFile {
    /// The file's JSON.
    /// - Throws: ``CommandFailure``, with line and column where the file is no JSON.
    func json() throws -> JSONValue {
        let data = try read()
        do {
            return try JSONValue(parsing: data)
        } catch {
            throw CommandFailure("\(error.reason)", at: place(error.location.line, error.location.column))
        }
    }

    /// The file's FHIR resource, of whatever type.
    /// - Throws: ``CommandFailure``.
    func resource() throws -> AnyResource {
        guard let resource = AnyResource(tree: try json()) else {
            throw CommandFailure("\(FHIRParsingError.notAResource)", at: place(1, 1))
        }
        return resource
    }
}

import FHIR
import Foundation
import OrderedJSON

extension InputFile {
    /// The file's JSON; of a resource in XML the JSON that it is.
    /// - Throws: ``CommandFailure``, with line and column where the file is neither.
    func json() throws -> JSONValue {
        let data = try read()
        if Self.isXML(data) { return try resource(parsingXML: data).tree }
        do {
            return try JSONValue(parsing: data)
        } catch {
            throw CommandFailure("\(error.reason)", at: place(error.location.line, error.location.column))
        }
    }

    /// The file's FHIR resource, of whatever type, in JSON or XML.
    /// - Throws: ``CommandFailure``.
    func resource() throws -> AnyResource {
        guard let resource = AnyResource(tree: try json()) else {
            throw CommandFailure("\(FHIRParsingError.notAResource)", at: place(1, 1))
        }
        return resource
    }

    private func resource(parsingXML data: Data) throws -> AnyResource {
        do throws(FHIRParsingError) {
            return try AnyResource(parsingXML: data)
        } catch {
            guard case .xml(let error) = error else { throw CommandFailure("\(error)", at: place(1, 1)) }
            throw failure(error)
        }
    }

    /// An error of FHIR's XML, as the tool reports it.
    func failure(_ error: FHIRXMLError) -> CommandFailure {
        CommandFailure(
            (error.path.isEmpty ? "" : "\(error.path): ") + error.reason.description, at: place(error.line, error.column))
    }

    /// Whether a text begins as XML does.
    private static func isXML(_ data: Data) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = data.dropFirst(data.starts(with: mark) ? mark.count : 0)
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }
}

import FHIR
import FHIRXML
import Foundation
import OrderedJSON
import WebServing

/// `Content-Type`: the type in small letters, and the charset.
struct MediaType {
    var name: String
    var charset: String?
    /// `q`: how much a client wants it.
    var weight = 1.0

    init(_ text: String) {
        let parts = text.lowercased().split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        name = parts.first ?? ""
        for part in parts.dropFirst() {
            if part.hasPrefix("charset=") {
                charset = part.dropFirst(8).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            } else if part.hasPrefix("q="), let value = Double(part.dropFirst(2)), value.isFinite {
                weight = value
            }
        }
    }
}

/// How a client wants a response: in JSON or XML, with or without line ends.
struct ResponseFormat {
    enum Syntax {
        case json, xml

        /// The syntax of a media type or of a short name of `_format`; nil for what is neither.
        init?(_ name: String) {
            switch name {
            case "json", "application/fhir+json", "application/json", "text/json", "application/json+fhir":
                self = .json
            case "xml", "application/fhir+xml", "application/xml", "text/xml", "application/xml+fhir":
                self = .xml
            default: return nil
            }
        }
    }

    var syntax = Syntax.json
    var isPretty = false

    init() {}

    /// - Throws: 406 for a client that takes neither JSON nor XML.
    init(_ request: Request) throws(FHIRFailure) {
        let query = try QueryItems(parsing: request.rawQuery)
        isPretty = query["_pretty"] == "true"
        let names: [String]
        if let format = query["_format"] {
            // A `+` in a URL's query is a space.
            names = [format.replacing(" ", with: "+")]
        } else {
            names = (request.header("Accept") ?? "*/*").split(separator: ",").prefix(100).map(String.init)
        }
        let types = names.map(MediaType.init).enumerated()
            .sorted { ($0.element.weight, -$0.offset) > ($1.element.weight, -$1.offset) }.map(\.element)
        for type in types where type.weight > 0 {
            if ["*/*", "application/*", ""].contains(type.name) { return }
            if let wanted = Syntax(type.name) {
                syntax = wanted
                return
            }
        }
        guard types.isEmpty else {
            throw FHIRFailure(
                406,
                "not-supported",
                "this server responds with application/fhir+json and application/fhir+xml"
            )
        }
    }

    /// A response with a resource, or with none.
    func response(_ status: Int, _ body: JSONValue?) -> Response {
        guard let body else { return Response(status: status) }
        switch syntax {
        case .json:
            return Response(
                status: status,
                type: "application/fhir+json; charset=utf-8",
                body: Data(body.utf8(isPretty ? .pretty : .compact))
            )
        case .xml:
            let type = "application/fhir+xml; charset=utf-8"
            do throws(FHIRXMLError) {
                guard let resource = AnyResource(tree: body) else { return Response(status: status) }
                return Response(
                    status: status,
                    type: type,
                    body: try resource.xml(isPretty ? .pretty : .compact)
                )
            } catch {
                // What was stored with mistakes has no XML.
                let failure = FHIRFailure(
                    406,
                    "not-supported",
                    "the resource cannot be written as XML: \(error)"
                )
                return ResponseFormat().response(failure.status, failure.outcome)
            }
        }
    }
}

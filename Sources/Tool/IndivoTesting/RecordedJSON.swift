import Foundation
import HTTPTypes
import Indivo
import OrderedJSON

/// An object in the JSON of a recording, whose members are read by their names.
struct RecordedJSON {
    let json: JSONValue
    /// The names that lead to it.
    var path: [String] = []

    /// Why something is not a part of a recording.
    struct Fault: Error, CustomStringConvertible { let description: String }

    func fault(_ reason: String, at name: String? = nil) -> Fault {
        let place = (path + (name.map { [$0] } ?? [])).joined(separator: ".")
        return Fault(description: place.isEmpty ? reason : "\(reason) at “\(place)”")
    }

    /// A member; nil where it is missing or null.
    func callAsFunction<Value>(ifAny name: String, _ kind: KeyPath<JSONValue, Value?>) throws -> Value? {
        guard let member = json[name], !member.isNull else { return nil }
        guard let value = member[keyPath: kind] else { throw fault("expected \(Value.self)", at: name) }
        return value
    }

    /// A member that must be there.
    func callAsFunction<Value>(_ name: String, _ kind: KeyPath<JSONValue, Value?>) throws -> Value {
        guard let value = try self(ifAny: name, kind) else { throw fault("“\(name)” is missing") }
        return value
    }

    /// A member that is an object; of one that is not, everything is missing.
    func object(_ name: String) -> RecordedJSON {
        RecordedJSON(json: json[name] ?? .null, path: path + [name])
    }

    func body(_ text: String, isBase64: Bool) throws -> Data {
        guard isBase64 else { return Data(text.utf8) }
        guard let body = Data(base64Encoded: text) else { throw fault("the body is not base64") }
        return body
    }

    func answer(_ status: Int, _ reason: String, _ headers: [HTTPField], _ body: Data) throws
        -> RecordedExchange.Outcome
    {
        guard (100...999).contains(status) else { throw fault("\(status) is no status of HTTP") }
        var response = HTTPResponse(status: HTTPResponse.Status(code: status, reasonPhrase: reason))
        response.headerFields = HTTPFields(headers)
        return .answer(HTTPAnswer(response: response, body: body))
    }

    /// The failure that the members of these names tell of; nil where there is none.
    func failure(_ word: String, detail: String, isSent: String, server: String) throws -> RecordedExchange
        .Outcome?
    {
        guard let word = try self(ifAny: word, \.string) else { return nil }
        guard let kind = HTTPTransportError.Kind(rawValue: word) else {
            throw fault("“\(word)” is no kind of failure")
        }
        let isSent = try self(isSent, \.boolean)
        let detail = try self(ifAny: detail, \.string)
        return .failure(
            HTTPTransportError(kind: kind, server: server, mayHaveReachedServer: isSent, detail: detail)
        )
    }
}

extension JSONValue {
    /// A whole number, also one that is written as 200.0, as tools do whose numbers are all doubles.
    var whole: Int? { integer ?? double.flatMap { Int(exactly: $0) } }
}

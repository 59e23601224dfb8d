import Foundation
import HTTPTypes
import IndivoModel
import IndivoXML

/// A successful response to a call.
struct Answer: Sendable {
    private(set) var call: IndivoCall
    let contentType: String
    let body: Data
    /// How much memory reading it may take (``IndivoServer/Options/maximumReadingBytes``).
    let maximumReadingBytes: Int
    /// What was asked for: the ids in the path, by their names in the call's template.
    let place: [String: String]
    /// The response that it came in; `nil` for what goes without saying.
    let response: HTTPResponse?
    /// What is known of the body's end.
    let end: End

    /// The server's time when it responded, in seconds since 1970, where it reported one.
    var serverTime: Int? { response.flatMap(ServerClock.date) }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The same as the response to another call.
    func answering(_ other: IndivoCall) -> Answer {
        var answer = self
        answer.call = other
        return answer
    }

    /// The root element. White space before the declaration, which some responses have, is allowed.
    func xml() throws(IndivoError) -> XMLNode {
        let content = FileContent(try bodyOfXML(), contentType: contentType)
        do {
            return try content.xml()
        } catch {
            throw malformed("it should be XML, and is “\(contentType)”", because: error)
        }
    }

    /// The response as a value that is read by reflection.
    func value<Value: CompoundValue>(_ type: Value.Type, root: String) throws(IndivoError) -> Value {
        let xml = try xml()
        let value = try reading { try Value.read(from: xml, root: root) }
        try check(placeOf: value)
        return value
    }

    /// Does what reads the response, and makes its errors ones of this call.
    func reading<Value>(_ read: () throws -> Value) throws(IndivoError) -> Value {
        do {
            return try read()
        } catch let error as IndivoError {
            throw error
        } catch {
            throw malformed("it cannot be read", because: error)
        }
    }

    /// The error that the response is not what it should be. Its text names the position; what stands there is for the
    /// developer only.
    func malformed(_ what: String, because error: (any Error)? = nil) -> IndivoError {
        var place = ""
        var details: [String] = []
        switch error {
        case let error as XMLError:
            place = error.line.map { ", line \($0)" + (error.column.map { " column \($0)" } ?? "") } ?? ""
            details = ["\(error)"] + (error.excerpt.map { ["at that place: \($0)"] } ?? [])
        case let error as DocumentError:
            place = ", at \(error.property.isEmpty ? error.document : "\(error.document).\(error.property)")"
                + (error.line.map { ", line \($0)" } ?? "")
            details = ["\(error)"]
        case let error as SDMJError:
            place = error.line.map { ", line \($0)" + (error.column.map { " column \($0)" } ?? "") } ?? ", at \(error.path)"
            details = ["\(error)"]
        case let error?: details = ["\(error)"]
        case nil: break
        }
        if call.givesTokens {
            details = []
        } else {
            details.append("the answer (\(contentType), \(body.count) bytes) begins: \(text.prefix(300))")
        }
        var made = IndivoError(.malformedResponse(what + place), call: call, details: details)
        made.status = 200
        return made
    }
}

import Foundation
import HTTPTypes

/// Whether a response is whole. One of HTTP/1.0 ends with the connection, and only its content shows whether that
/// was too early.
extension Answer {
    /// What is known of a body's end.
    enum End: Sendable {
        /// The body is as long as the response said, or its content ends as it has to.
        case whole
        /// Its content continues.
        case cut
        /// Neither the response nor the content says where it ends.
        case unknown
    }

    /// Whether something is missing.
    var isCut: Bool { end == .cut }

    /// The error that something is missing.
    func lost() -> IndivoError {
        var error = IndivoError(
            .responseLost, call: call, details: ["the answer (\(contentType)) ends after \(body.count) bytes, without a length"])
        error.status = 200
        return error
    }

    init(_ answer: HTTPAnswer, to outgoing: CallClient.Outgoing, maximumReadingBytes: Int) {
        self.init(
            call: outgoing.call, contentType: answer.response.headerFields[.contentType] ?? "", body: answer.body,
            maximumReadingBytes: maximumReadingBytes, place: outgoing.path,
            response: answer.response, end: answer.end(of: outgoing))
    }

    /// What a server says that has done what was asked.
    init(ok call: IndivoCall, options: IndivoServer.Options) {
        self.init(
            call: call, contentType: "application/xml", body: Data("<ok/>".utf8),
            maximumReadingBytes: options.maximumReadingBytes, place: [:], response: nil, end: .whole)
    }
}

extension HTTPAnswer {
    /// How the body of a response to a call ends.
    fileprivate func end(of outgoing: CallClient.Outgoing) -> Answer.End {
        let fields = response.headerFields
        // A recording without its secrets has another length than it says.
        if let length = fields[.contentLength].flatMap({ Int($0) }), body.count == length { return .whole }
        if fields[.transferEncoding]?.lowercased().contains("chunked") == true { return .whole }
        switch outgoing.call.response {
        // What is neither XML nor JSON is left to their readers to refuse.
        case .ok, .metadata, .documents, .reports, .graph, .element:
            return StructureEnd.ofXML(body) == .cut ? .cut : .whole
        case .models: return StructureEnd.ofXMLOrJSON(body) == .cut ? .cut : .whole
        case .json: return StructureEnd.ofJSON(body)
        // Where it is one parameter too short it is refused; one that stands in the last one cannot be seen.
        case .token: return .whole
        case .text: return .unknown
        case .content:
            if let expected = outgoing.expected, expected.tellsContent {
                return expected.mismatch(with: body) == nil ? .whole : .cut
            }
            // A document may look like XML and be something else: only that it ends well says something.
            return StructureEnd.ofXMLOrJSON(body) == .whole ? .whole : .unknown
        }
    }
}

extension CallClient {
    /// Sends a call that gives text or content of which nothing may say where it ends: such a response is whole when it
    /// comes the same twice.
    func sendUntilWhole(_ outgoing: Outgoing) async throws -> Answer {
        var former = try await send(outgoing)
        guard former.end == .unknown, outgoing.call.method == .get else { return former }
        for _ in 1..<max(2, options.retry.maximumAttempts) {
            let again = try await send(outgoing)
            if again.end == .whole || again.body == former.body { return again }
            former = again
        }
        throw former.lost()
    }
}

extension CallScope {
    /// Fetches a document's content, and checks it against its metadata. Where neither the response nor the metadata at hand
    /// says that the content is whole, the metadata is asked for.
    ///
    /// - Parameters:
    ///   - metadata: What is known of the document.
    ///   - canChange: Whether the content may have changed since.
    ///   - refresh: Asks for the metadata.
    /// - Throws: ``IndivoError``.
    func content(
        _ call: IndivoCall, of document: String, checkedBy metadata: DocumentMetadata?, canChange: Bool = false,
        refresh: () async throws -> DocumentMetadata
    ) async throws -> Answer {
        let path = ["document": document]
        let answer = try await send(call, path: path, expecting: canChange ? nil : metadata)
        if answer.end == .whole {
            guard let metadata, metadata.mismatch(with: answer.body) != nil else { return answer }
            if !canChange { try metadata.verify(answer) }
        }
        let fresh = try await refresh()
        guard fresh.tellsContent else { return try await sendUntilWhole(call, path: path) }
        if fresh.mismatch(with: answer.body) == nil { return answer }
        let again = try await send(call, path: path, expecting: fresh)
        try fresh.verify(again)
        return again
    }
}

/// Where structured text ends, found without a tree.
enum StructureEnd {
    static func ofXMLOrJSON(_ body: Data) -> Answer.End {
        switch body.first(where: { !isSpace($0) }) {
        case nil: .cut
        case UInt8(ascii: "["), UInt8(ascii: "{"): ofJSON(body)
        default: ofXML(body)
        }
    }

    /// Whether JSON's outermost array or object is closed. Other values have no end of their own.
    static func ofJSON(_ body: Data) -> Answer.End {
        body.withUnsafeBytes { bytes in
            var depth = 0
            var isText = false
            var isEscape = false
            for byte in bytes {
                if isText {
                    if isEscape { isEscape = false } else if byte == UInt8(ascii: "\\") { isEscape = true }
                    else if byte == UInt8(ascii: "\"") { isText = false }
                    continue
                }
                switch byte {
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    depth -= 1
                    if depth <= 0 { return .whole }
                case UInt8(ascii: "\""): isText = true
                case _ where isSpace(byte): break
                default: if depth == 0 { return .unknown }
                }
            }
            return .cut
        }
    }

    /// Whether the root element of XML is closed; unknown for what is not XML.
    static func ofXML(_ body: Data) -> Answer.End {
        body.withUnsafeBytes { bytes in
            // In UTF-16 every other byte is zero; no server sends it.
            guard !bytes.prefix(4).contains(0) else { return .unknown }
            // A page for people is no answer to any call, and need not close its elements.
            let beginning = String(decoding: bytes.prefix(100), as: UTF8.self).lowercased()
            guard !beginning.contains("<html"), !beginning.contains("<!doctype html") else { return .unknown }
            var scanner = XMLEndScanner(bytes)
            return scanner.end()
        }
    }

    fileprivate static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// Follows the tags of a document as far as its root's end.
private struct XMLEndScanner {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func end() -> Answer.End {
        var depth = 0
        while skip(past: "<") {
            if follows("!--") {
                guard skip(past: "-->") else { return .cut }
            } else if follows("![CDATA[") {
                guard skip(past: "]]>") else { return .cut }
            } else if follows("?") {
                guard skip(past: "?>") else { return .cut }
            } else if follows("!") {
                guard skipDeclaration() else { return .cut }
            } else if follows("/") {
                guard skip(past: ">") else { return .cut }
                depth -= 1
                if depth <= 0 { return .whole }
            } else {
                guard let isEmpty = skipTag() else { return .cut }
                if !isEmpty { depth += 1 } else if depth == 0 { return .whole }
            }
        }
        // Words instead of an element: no more of them would make it XML.
        let isText = depth == 0 && bytes.contains { !StructureEnd.isSpace($0) && $0 != UInt8(ascii: "<") }
            && !bytes.contains(UInt8(ascii: "<"))
        return isText ? .unknown : .cut
    }

    private func follows(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    /// - Returns: Whether it is there.
    private mutating func skip(past text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard let first = text.first else { return true }
            while let found = bytes[position...].firstIndex(of: first) {
                if bytes[found...].starts(with: text) {
                    position = found + text.count
                    return true
                }
                position = found + 1
            }
            position = bytes.count
            return false
        }
    }

    /// - Returns: Whether the element is empty; `nil` when the tag does not end.
    private mutating func skipTag() -> Bool? {
        var quote: UInt8?
        var last: UInt8 = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return last == UInt8(ascii: "/")
            }
            last = byte
        }
        return nil
    }

    /// A document type, with what is declared in it.
    private mutating func skipDeclaration() -> Bool {
        var quote: UInt8?
        var isInside = false
        while position < bytes.count {
            if quote == nil, follows("<!--") {
                guard skip(past: "-->") else { return false }
                continue
            }
            let byte = bytes[position]
            position += 1
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["): isInside = true
            case UInt8(ascii: "]"): isInside = false
            case UInt8(ascii: ">") where !isInside: return true
            default: break
            }
        }
        return false
    }
}

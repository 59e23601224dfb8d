import Foundation
import HTTPTypes

/// A successful response to a call.
struct CallResponse: Sendable {
    var call: IndivoCall
    let answer: HTTPAnswer
    let end: End
    /// What was asked for: the ids in the path, by their names in the call's template.
    var place: [String: String] = [:]
    /// How much memory reading it may take (``IndivoServer/Options/maximumReadingBytes``).
    var maximumReadingBytes = Int.max

    /// How many times the request was sent.
    var attempts = 1

    /// Whether a body is complete. A response of HTTP/1.0 ends with the connection, so that it may be
    /// truncated.
    enum End: Sendable {
        /// The body is as long as the response said, or its content ends as it has to.
        case whole
        /// Its content continues.
        case cut
        /// Neither the response nor the content says where it ends.
        case unknown
    }

    // MARK: Reading

    var body: Data { answer.body }

    var content: FileContent {
        FileContent(body, contentType: answer.response.headerFields[.contentType] ?? "")
    }

    /// The root element.
    func xml() throws(IndivoError) -> XMLNode {
        try check(ReadingCost.ofXML(body, upTo: maximumReadingBytes))
        do { return try content.xml() } catch {
            throw malformed("it should be XML, and is “\(content.contentType)”", because: error)
        }
    }

    /// The root element, checked for the name that it should have.
    func xml(root name: String) throws(IndivoError) -> XMLNode {
        let root = try xml()
        guard root.name == name else { throw malformed("its root is <\(root.name)>, not <\(name)>") }
        return root
    }

    /// The body, checked for the memory that reading it as JSON may take.
    func json() throws(IndivoError) -> Data {
        try check(ReadingCost.ofJSON(body, upTo: maximumReadingBytes))
        return body
    }

    private func check(_ cost: Int) throws(IndivoError) {
        guard cost > maximumReadingBytes else { return }
        throw error(
            .responseTooLarge,
            ["the answer has \(body.count) bytes, and reading it might take \(cost)"]
        )
    }

    /// The response as a value that is read by reflection.
    func value<Value: ServerResponse>(_ type: Value.Type) throws(IndivoError) -> Value {
        let xml = try xml()
        let value = try reading { try Value.read(from: xml, root: Value.elementName) }
        try check(placeOf: value)
        return value
    }

    /// The metadata in it.
    func metadata() throws(IndivoError) -> DocumentMetadata { try value(DocumentMetadata.self) }

    /// The metadata in the response to a label call: a list of one document, or the document alone if a
    /// lookup found it.
    func labelledMetadata() throws -> DocumentMetadata {
        if try xml().name == "Document" { return try metadata() }
        let documents = try value(DocumentList.self).documents
        guard documents.count == 1 else {
            throw malformed("it should hold one document, and holds \(documents.count)")
        }
        return documents[0]
    }

    /// Runs code that reads the response, and converts its errors into errors of this call.
    func reading<Value>(_ read: () throws -> Value) throws(IndivoError) -> Value {
        do { return try read() } catch {
            throw error as? IndivoError ?? malformed("it cannot be read", because: error)
        }
    }

    // MARK: What it is about

    /// - Throws: ``IndivoError`` for a value of another record, or document, than the call's path names.
    private func check(placeOf value: some CompoundValue) throws(IndivoError) {
        switch value {
        case let metadata as DocumentMetadata:
            try check(metadata.recordID, is: "record")
            if call == .recordDocumentMeta { try check(metadata.id, is: "document") }
        case let list as DocumentList:
            try check(list.recordID, is: "record")
            for metadata in list.documents { try check(metadata.recordID, is: "record") }
        case let record as RecordInformation: try check(record.id, is: "record")
        default: break
        }
    }

    /// - Throws: ``IndivoError`` for a report of another record's document.
    func check(placeOf reports: Reports) throws(IndivoError) {
        for report in reports.reports { try check(report.meta?.document?.recordID, is: "record") }
    }

    /// A server may leave an id out; an id that it reports must match the request's.
    private func check(_ told: String?, is name: String) throws(IndivoError) {
        guard let asked = place[name], let told, !told.isEmpty else { return }
        guard told.lowercased() == asked.lowercased() else { throw malformed("it is about another \(name)") }
    }

    // MARK: Errors

    /// The error for a truncated response.
    func lost() -> IndivoError {
        error(
            .responseLost,
            ["the answer (\(content.contentType)) ends after \(body.count) bytes, without a length"]
        )
    }

    /// The error for a response that is not what it should be. The text at the position of the problem is for
    /// the developer only.
    func malformed(_ what: String, because error: (any Error)? = nil) -> IndivoError {
        var place = ""
        var details = error.map { ["\($0)"] } ?? []
        func position(_ line: Int?, _ column: Int? = nil) -> String? {
            line.map { ", line \($0)" + (column.map { " column \($0)" } ?? "") }
        }
        switch error {
        case let error as XMLError:
            place = position(error.line, error.column) ?? ""
            details += error.excerpt.map { ["at that place: \($0)"] } ?? []
        case let error as DocumentError:
            place =
                ", at \(error.property.isEmpty ? error.document : "\(error.document).\(error.property)")"
                + (position(error.line) ?? "")
        case let error as SDMJError: place = position(error.line, error.column) ?? ", at \(error.path)"
        default: break
        }
        details.append(
            "the answer (\(content.contentType), \(body.count) bytes) begins: \(content.text.prefix(300))"
        )
        // Where tokens are made nothing may be shown.
        return self.error(.malformedResponse(what + place), call.givesTokens ? [] : details)
    }

    private func error(_ reason: IndivoError.Reason, _ details: [String]) -> IndivoError {
        var error = IndivoError(reason, call: call, status: 200, details: details)
        error.attempts = attempts
        return error
    }
}

extension CallResponse {
    /// The response `<ok/>` to a call that the server is known to have carried out.
    init(ok call: IndivoCall) {
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "application/xml"])
        self.init(call: call, answer: HTTPAnswer(response: response, body: Data("<ok/>".utf8)), end: .whole)
    }
}

extension HTTPAnswer {
    /// How the body of a response to a call ends.
    func end(of outgoing: CallClient.OutgoingCall) -> CallResponse.End {
        let fields = response.headerFields
        // A redacted recording has another length than its header reports.
        if let length = fields[.contentLength].flatMap({ Int($0) }), body.count == length { return .whole }
        if fields[.transferEncoding]?.lowercased().contains("chunked") == true { return .whole }
        switch outgoing.call.response {
        // What is neither XML nor JSON is left to their readers to refuse.
        case .ok, .metadata, .documents, .reports, .graph, .element:
            return StructureEnd.ofXML(body) == .cut ? .cut : .whole
        case .models: return StructureEnd.ofXMLOrJSON(body) == .cut ? .cut : .whole
        case .json: return StructureEnd.ofJSON(body)
        // A response that lacks a parameter is refused when it is read; a truncated last value cannot be
        // detected.
        case .token: return .whole
        case .text: return .unknown
        case .content:
            if let known = outgoing.expected, known.identifiesContent {
                return known.mismatch(with: body) == nil ? .whole : .cut
            }
            // A document may look like XML and be something else: only a complete end proves anything.
            return StructureEnd.ofXMLOrJSON(body) == .whole ? .whole : .unknown
        }
    }
}

/// Where structured text ends, found without a tree.
enum StructureEnd {
    static func ofXMLOrJSON(_ body: Data) -> CallResponse.End {
        switch body.first(where: { !isSpace($0) }) {
        case nil: .cut
        case UInt8(ascii: "["), UInt8(ascii: "{"): ofJSON(body)
        default: ofXML(body)
        }
    }

    /// Whether JSON's outermost array or object is closed. Other values have no end of their own.
    static func ofJSON(_ body: Data) -> CallResponse.End {
        body.withUnsafeBytes { bytes in
            var depth = 0
            var isText = false
            var isEscape = false
            for byte in bytes {
                if isText {
                    isText = isEscape || byte != UInt8(ascii: "\"")
                    isEscape = !isEscape && byte == UInt8(ascii: "\\")
                    continue
                }
                switch byte {
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    depth -= 1
                    if depth <= 0 { return .whole }
                case UInt8(ascii: "\""): isText = true
                default: if depth == 0, !isSpace(byte) { return .unknown }
                }
            }
            return .cut
        }
    }

    /// Whether the root element of XML is closed; unknown for what is not XML.
    static func ofXML(_ body: Data) -> CallResponse.End {
        // In UTF-16 every other byte is zero; no server sends it.
        if body.prefix(4).contains(0) { return .unknown }
        // A page for people is not an answer to any call, and need not close its elements.
        let beginning = String(decoding: body.prefix(100), as: UTF8.self).lowercased()
        if beginning.contains("<html") || beginning.contains("<!doctype html") { return .unknown }
        // Text without an element: even with more of it, it would not be XML.
        guard body.contains(UInt8(ascii: "<")) else { return body.allSatisfy(isSpace) ? .cut : .unknown }
        return body.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes[...]
            var depth = 0
            while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
                rest = rest[start...]
                if let section = sections.first(where: { rest.starts(with: $0.start.utf8) }) {
                    guard let end = place(behind: section.end.utf8, in: rest) else { return .cut }
                    rest = rest[end...]
                    continue
                }
                guard let end = endOfTag(rest) else { return .cut }
                let first = bytes[start + 1]
                let last = bytes[end - 1]
                rest = rest[end...]
                guard first != UInt8(ascii: "!") else { continue }
                depth += first == UInt8(ascii: "/") ? -1 : last == UInt8(ascii: "/") ? 0 : 1
                if depth <= 0 { return .whole }
            }
            return .cut
        }
    }

    /// Sections that may contain anything, even tags.
    private static let sections: [(start: String, end: String)] = [
        ("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"),
    ]

    /// The index after a mark. `firstRange(of:)` takes half a second for a megabyte.
    private static func place(behind mark: String.UTF8View, in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        var rest = bytes
        while let start = rest.firstIndex(where: { $0 == mark.first }) {
            rest = rest[start...]
            if rest.starts(with: mark) { return start + mark.count }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// The index of the `>` that ends a tag, or of the `<` of a declaration inside it; `nil` if there is
    /// neither.
    private static func endOfTag(_ tag: Slice<UnsafeRawBufferPointer>) -> Int? {
        var quote: UInt8?
        return tag.indices.dropFirst().first { index in
            switch tag[index] {
            case UInt8(ascii: ">"), UInt8(ascii: "<"): return quote == nil
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if quote == nil { quote = tag[index] } else if quote == tag[index] { quote = nil }
            default: break
            }
            return false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// Estimates how much memory a response takes once it is read: an element of four bytes may become an object
/// of hundreds.
enum ReadingCost {
    /// The estimated bytes of a node and object, for each XML element or JSON value; and those of an
    /// attribute.
    private static let piece = 1_000
    private static let attribute = 130

    /// The estimated bytes of XML, never too few; 0 if the body is so short that it cannot exceed the maximum
    /// (an element has at least 4 bytes, an attribute 1).
    static func ofXML(_ body: Data, upTo maximum: Int) -> Int {
        guard body.count > maximum / (1 + piece / 4 + attribute) else { return 0 }
        // In another encoding than these "<" may be another byte; no server sends one.
        guard isEncodedPlainly(body.prefix(256)) else { return .max }
        return body.withUnsafeBytes { bytes in
            var cost = bytes.count
            for index in bytes.indices {
                if bytes[index] == UInt8(ascii: "=") { cost += attribute }
                guard bytes[index] == UInt8(ascii: "<") else { continue }
                // The byte after `<` distinguishes a start tag from an end tag, a comment and an instruction.
                if index + 1 == bytes.count || !"/!?".utf8.contains(bytes[index + 1]) { cost += piece }
            }
            return cost
        }
    }

    /// Whether the encoding writes `<` as the ASCII byte, judged by the document's beginning.
    private static func isEncodedPlainly(_ beginning: Data) -> Bool {
        let text = String(decoding: beginning.filter { $0 != 0 }, as: UTF8.self).lowercased()
        guard text.contains("<") else { return false }
        guard let name = text.firstMatch(of: #/encoding\s*=\s*["']([^"']*)/#)?.1 else { return true }
        return ["utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-", "windows-125"].contains {
            name.hasPrefix($0)
        }
    }

    /// The estimated bytes of JSON, never too few; 0 if the body is so short that it cannot exceed the
    /// maximum (a value has at least 1 byte).
    static func ofJSON(_ body: Data, upTo maximum: Int) -> Int {
        guard body.count > maximum / (1 + piece) else { return 0 }
        return body.withUnsafeBytes { bytes in
            bytes.reduce(body.count + piece) { $1 == 0x2C || $1 == 0x5B || $1 == 0x7B ? $0 + piece : $0 }
        }
    }
}

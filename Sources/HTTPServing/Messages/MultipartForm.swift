import Foundation

/// The parts of a `multipart/form-data` body (RFC 7578), read by bytes in one pass.
package struct MultipartForm: Sendable {
    /// A field, or a file.
    package struct Part: Sendable {
        package var name: String
        /// The name of a file; nil for a field.
        package var fileName: String?
        package var contentType: String?
        package var content: Data
    }

    package private(set) var parts: [Part] = []

    /// Reads a body; nil where it is malformed or has more than `limit` parts.
    package init?(_ body: Data, contentType: String, limit: Int) {
        guard let boundary = Self.parameter("boundary", of: contentType), (1...70).contains(boundary.utf8.count) else { return nil }
        let body = Data(body)
        let delimiter = Data("\r\n--\(boundary)".utf8)
        // The first delimiter has no line end before it, unless something stands before it (RFC 2046, section 5.1.1).
        let first = body.starts(with: delimiter.dropFirst(2)) ? 0..<(delimiter.count - 2) : body.range(of: delimiter)
        guard var position = first?.upperBound else { return nil }
        while true {
            let rest = body[position...]
            if rest.starts(with: Data("--".utf8)) { return }
            guard rest.starts(with: Data("\r\n".utf8)), parts.count < limit,
                let headEnd = body.range(of: Data("\r\n\r\n".utf8), in: position..<min(body.count, position + 8_192)),
                let end = body.range(of: delimiter, in: (headEnd.upperBound - 2)..<body.count),
                // A part may have no head: then the line end behind the delimiter is the first of the two.
                let head = String(validating: body[min(position + 2, headEnd.lowerBound)..<headEnd.lowerBound], as: UTF8.self),
                let part = Self.part(head, Data(body[headEnd.upperBound..<max(headEnd.upperBound, end.lowerBound)]))
            else { return nil }
            parts.append(part)
            position = end.upperBound
        }
    }

    private static func part(_ head: String, _ content: Data) -> Part? {
        var part: Part?
        var type: String?
        for line in head.split(separator: "\r\n") {
            let pieces = line.split(separator: ":", maxSplits: 1)
            guard pieces.count == 2 else { return nil }
            let value = pieces[1].trimmingCharacters(in: .whitespaces)
            switch pieces[0].lowercased() {
            case "content-disposition":
                guard let name = parameter("name", of: value) else { return nil }
                part = Part(name: name, fileName: parameter("filename", of: value), content: content)
            case "content-type": type = value
            default: break
            }
        }
        part?.contentType = type
        return part
    }

    /// A parameter of a header. A value in quotes may have semicolons; browsers write quotes in it as `%22`.
    private static func parameter(_ name: String, of header: String) -> String? {
        var rest = header[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == " " || $0 == "\t" }
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }), rest[equals] == "=" else { continue }
            let found = rest[..<equals].lowercased()
            rest = rest[rest.index(after: equals)...]
            let isQuoted = rest.first == "\""
            let value = rest.dropFirst(isQuoted ? 1 : 0).prefix { $0 != (isQuoted ? "\"" : ";") }
            rest = rest[value.endIndex...]
            if found == name { return value.trimmingCharacters(in: .whitespaces) }
        }
        return nil
    }
}

import CLibXML2

/// Turns the bytes of a document into UTF-8, as its byte order mark, its XML declaration or its transport say.
enum SourceEncoding {
    /// The document in UTF-8 without a byte order mark, and a zero byte behind the end, which libxml2 reads.
    ///
    /// - Throws: `XMLError` of kind `encoding`, or `limit(.inputBytes)` when the converted text is too long.
    static func utf8(_ input: UnsafeBufferPointer<UInt8>, options: XMLParseOptions) throws -> Column<UInt8> {
        let (name, mark) = try detect(input, given: options.encoding)
        let body = UnsafeBufferPointer(rebasing: input[mark...])
        var output = Column<UInt8>()
        if isUTF8(name) {
            output.reserve(body.count + 1)
            output.append(contentsOf: body)
        } else {
            do {
                try convert(body, from: name, into: &output, limit: options.limits.inputBytes)
            } catch {
                output.deallocate()
                throw error
            }
        }
        output.append(0)
        return output
    }

    private static func isUTF8(_ name: String) -> Bool {
        ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains(name.uppercased())
    }

    /// The name of the encoding, and how long the byte order mark is.
    private static func detect(
        _ input: UnsafeBufferPointer<UInt8>, given: String?
    ) throws -> (name: String, mark: Int) {
        func starts(_ bytes: [UInt8]) -> Bool { input.starts(with: bytes) }
        let found: (String, Int)?
        if starts([0xEF, 0xBB, 0xBF]) {
            found = ("UTF-8", 3)
        } else if starts([0, 0, 0xFE, 0xFF]) {
            found = ("UCS-4BE", 4)
        } else if starts([0xFF, 0xFE, 0, 0]) {
            found = ("UCS-4LE", 4)
        } else if starts([0xFE, 0xFF]) {
            found = ("UTF-16BE", 2)
        } else if starts([0xFF, 0xFE]) {
            found = ("UTF-16LE", 2)
        } else if starts([0, 0, 0, 0x3C]) {
            found = ("UCS-4BE", 0)
        } else if starts([0x3C, 0, 0, 0]) {
            found = ("UCS-4LE", 0)
        } else if starts([0, 0x3C]) {
            found = ("UTF-16BE", 0)
        } else if starts([0x3C, 0]) {
            found = ("UTF-16LE", 0)
        } else {
            found = nil
        }
        if let given {
            try refuseUTF7(given)
            // A transport that says "UTF-16" leaves the byte order to the document.
            if let found, given.uppercased() == "UTF-16" || isUTF8(given) && found.0 == "UTF-8" { return found }
            return (given, 0)
        }
        if let found { return found }
        if starts([0x4C, 0x6F, 0xA7, 0x94]) {
            // EBCDIC: the characters of the declaration are the same in all its code pages.
            var start = Column<UInt8>()
            defer { start.deallocate() }
            try convert(
                UnsafeBufferPointer(rebasing: input.prefix(256)), from: "IBM037", into: &start, limit: .max)
            return (declared(UnsafeBufferPointer(start: start.base, count: start.count)) ?? "IBM037", 0)
        }
        guard let name = declared(input) else { return ("UTF-8", 0) }
        try refuseUTF7(name)
        let upper = name.uppercased()
        if upper.hasPrefix("UTF-16") || upper.hasPrefix("UCS-") || upper.hasPrefix("UTF-32") {
            throw XMLError(
                .encoding, line: 1, column: 1,
                message: "the document is labelled \(name), but is written in single bytes; correct the label")
        }
        return (name, 0)
    }

    /// UTF-7 hides markup from whoever looks at the bytes.
    private static func refuseUTF7(_ name: String) throws {
        let upper = name.uppercased()
        if upper.contains("UTF-7") || upper.contains("UTF7") {
            throw XMLError(
                .encoding, line: 1, column: 1, message: "UTF-7 is refused, because it hides markup; use UTF-8")
        }
    }

    /// What the XML declaration says.
    private static func declared(_ input: UnsafeBufferPointer<UInt8>) -> String? {
        guard input.starts(with: "<?xml".utf8) else { return nil }
        let head = input.prefix(512).prefix { $0 != UInt8(ascii: ">") }
        let keyword = Array("encoding".utf8)
        guard let place = head.indices.first(where: { head[$0] == keyword[0] && head[$0...].starts(with: keyword) })
        else { return nil }
        let rest = head[(place + keyword.count)...].drop { $0 <= 0x20 || $0 == UInt8(ascii: "=") }
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        return String(decoding: rest.dropFirst().prefix { $0 != quote }, as: UTF8.self)
    }

    private static func convert(
        _ input: UnsafeBufferPointer<UInt8>, from name: String, into output: inout Column<UInt8>, limit: Int
    ) throws {
        guard let handler = xmlFindCharEncodingHandler(name) else {
            throw XMLError(
                .encoding, line: 1, column: 1,
                message: "the encoding \(name.prefix(40)) is not known; convert the document to UTF-8")
        }
        defer { xmlCharEncCloseFunc(handler) }
        guard let raw = xmlBufferCreate(), let converted = xmlBufferCreate() else { return }
        defer {
            xmlBufferFree(raw)
            xmlBufferFree(converted)
        }
        var position = 0
        while position < input.count || xmlBufferLength(raw) > 0 {
            let piece = UnsafeBufferPointer(rebasing: input[position..<min(position + 65_536, input.count)])
            if let start = piece.baseAddress, !piece.isEmpty { xmlBufferAdd(raw, start, Int32(piece.count)) }
            position += piece.count
            let before = xmlBufferLength(raw)
            let result = indivo_convert(handler, converted, raw)
            let isStuck = xmlBufferLength(raw) == before && piece.isEmpty
            if result == -2 || isStuck {
                throw XMLError(
                    .encoding,
                    message: "the document is not \(name) as it says, from about byte "
                        + "\(position - Int(xmlBufferLength(raw))) on")
            }
            let length = Int(xmlBufferLength(converted))
            output.append(contentsOf: UnsafeBufferPointer(start: xmlBufferContent(converted), count: length))
            xmlBufferEmpty(converted)
            if output.count > limit { throw XMLError.inputLimit(limit) }
        }
        // A mark that the conversion kept.
        if output.count >= 3, output.base[0] == 0xEF, output.base[1] == 0xBB, output.base[2] == 0xBF {
            var trimmed = Column<UInt8>()
            trimmed.reserve(output.count)
            trimmed.append(contentsOf: output.base + 3, count: output.count - 3)
            output.deallocate()
            output = trimmed
        }
    }
}

extension XMLError {
    static func inputLimit(_ limit: Int) -> XMLError {
        XMLError(.limit(.inputBytes), message: "the document has more than \(limit) bytes (limits.inputBytes)")
    }
}

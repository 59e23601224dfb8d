#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif

/// Converts text of another encoding to UTF-8, piece by piece.
final class SourceConverter {
    private let name: String
    private let handler: xmlCharEncodingHandlerPtr
    /// What was not converted yet: the start of a character, at most.
    private let raw: xmlBufferPtr
    private let converted: xmlBufferPtr
    private var taken = 0
    private var isAtStart = true

    /// - Throws: `XMLError` of kind `encoding` for a name that is not known, and for UTF-7.
    init(_ name: String) throws {
        if SourceConverter.hidesMarkup(name) {
            throw XMLError(
                .encoding, line: 1, column: 1, message: "UTF-7 is refused, because it hides markup; use UTF-8")
        }
        guard let handler = xmlFindCharEncodingHandler(name) else {
            throw XMLError(
                .encoding, line: 1, column: 1,
                message: "the encoding \(name.prefix(40)) is not known; convert the document to UTF-8")
        }
        guard let raw = xmlBufferCreate(), let converted = xmlBufferCreate() else {
            throw XMLError(.encoding, message: "out of memory")
        }
        self.name = name
        self.handler = handler
        self.raw = raw
        self.converted = converted
    }

    /// Whether the encoding makes markup of bytes that show none, as UTF-7 and its variant for mailboxes do. They have
    /// many names (`UTF_7`, `windows-65000`), so that it is tried.
    private static func hidesMarkup(_ name: String) -> Bool {
        ["+ADw-", "&ADw-"].contains { hidden in
            // A converter of its own: it may keep a state.
            guard let handler = xmlFindCharEncodingHandler(name), let raw = xmlBufferCreate(),
                let converted = xmlBufferCreate()
            else { return false }
            defer {
                xmlCharEncCloseFunc(handler)
                xmlBufferFree(raw)
                xmlBufferFree(converted)
            }
            xmlBufferCat(raw, hidden)
            _ = LibXMLMessages.silenced { xmlCharEncInFunc(handler, converted, raw) }
            return UnsafeBufferPointer(start: xmlBufferContent(converted), count: Int(xmlBufferLength(converted)))
                .contains(UInt8(ascii: "<"))
        }
    }

    deinit {
        xmlCharEncCloseFunc(handler)
        xmlBufferFree(raw)
        xmlBufferFree(converted)
    }

    /// Converts what follows.
    ///
    /// - Throws: `XMLError` of kind `encoding` for bytes that are no text.
    func convert(_ input: UnsafeBufferPointer<UInt8>, into output: inout Column<UInt8>, limit: Int = .max) throws {
        var position = 0
        while position < input.count {
            let piece = UnsafeBufferPointer(rebasing: input[position..<min(position + 65_536, input.count)])
            if let start = piece.baseAddress { xmlBufferAdd(raw, start, Int32(piece.count)) }
            position += piece.count
            taken += piece.count
            try drain(into: &output)
            if output.count > limit { throw XMLError.inputLimit(limit) }
        }
    }

    /// The text is over.
    ///
    /// - Throws: `XMLError` of kind `encoding` when it ends inside a character.
    func finish(into output: inout Column<UInt8>) throws {
        try drain(into: &output)
        if xmlBufferLength(raw) > 0 { throw wrong }
    }

    /// Converts what waits, as far as it goes.
    private func drain(into output: inout Column<UInt8>) throws {
        while xmlBufferLength(raw) > 0 {
            let before = xmlBufferLength(raw)
            let result = LibXMLMessages.silenced { xmlCharEncInFunc(handler, converted, raw) }
            if result == -2 { throw wrong }
            var text = UnsafeBufferPointer(start: xmlBufferContent(converted), count: Int(xmlBufferLength(converted)))
            if isAtStart, text.count >= 3 {
                // A mark that the conversion kept.
                if text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { text = UnsafeBufferPointer(rebasing: text[3...]) }
                isAtStart = false
            }
            output.append(contentsOf: text)
            xmlBufferEmpty(converted)
            if xmlBufferLength(raw) == before { return }
        }
    }

    private var wrong: XMLError {
        XMLError(
            .encoding,
            message: "the document is not \(name.prefix(40)) as it says, from about byte "
                + "\(taken - Int(xmlBufferLength(raw))) on")
    }
}

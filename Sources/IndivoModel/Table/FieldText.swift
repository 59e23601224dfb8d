import IndivoXML

/// The text of a leaf, still where it stands: no `String` is made for a type that can read bytes.
enum FieldText {
    /// Text that lies in one piece.
    case bytes(UnsafeBufferPointer<UInt8>)
    /// Text in several pieces below an element, or only the element's own.
    case scattered(XMLView, isOwn: Bool)
    case string(String)

    var string: String {
        switch self {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .scattered(let view, let isOwn): isOwn ? view.ownText() : view.text()
        case .string(let text): text
        }
    }

    @inline(__always)
    func withUTF8<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if case .bytes(let bytes) = self { return try body(bytes) }
        var text = string
        return try text.withUTF8 { bytes in
            Swift.Result { () throws(Failure) in try body(bytes) }
        }.get()
    }
}

extension XMLView {
    /// The element's text as a field's; `nil` for none.
    var fieldText: FieldText? {
        guard let bytes = onlyText else { return hasText ? .scattered(self, isOwn: false) : nil }
        return bytes.isEmpty ? nil : .bytes(bytes)
    }

    /// The element's text as a cell's.
    @inline(__always)
    var cellText: FieldTable.Cell.Text {
        guard let bytes = onlyText else { return hasText ? .scattered : .empty }
        return bytes.isEmpty ? .empty : .bytes(bytes)
    }
}

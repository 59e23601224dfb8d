import IndivoXML

/// The text of a leaf, still where it stands: no `String` is made for a type that can read bytes.
enum FieldText {
    /// The text of an element.
    case element(XMLView)
    /// Text that lies in one piece, such as an attribute's value.
    case bytes(UnsafeBufferPointer<UInt8>)
    case string(String)

    var string: String {
        switch self {
        case .element(let view): view.text()
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .string(let text): text
        }
    }

    @inline(__always)
    func withUTF8<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .bytes(let bytes): return try body(bytes)
        case .element(let view):
            if let bytes = view.onlyText { return try body(bytes) }
            return try Self.with(view.text(), body)
        case .string(let text): return try Self.with(text, body)
        }
    }

    private static func with<Result, Failure: Error>(
        _ text: String, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var text = text
        return try text.withUTF8 { bytes in
            Swift.Result { () throws(Failure) in try body(bytes) }
        }.get()
    }
}

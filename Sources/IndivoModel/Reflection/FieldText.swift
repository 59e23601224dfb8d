import IndivoXML

/// The text of a leaf, still where it stands: no `String` is made for a type that can read bytes.
enum FieldText {
    case element(XMLNode)
    case string(String)

    var string: String {
        switch self {
        case .element(let node): node.text()
        case .string(let text): text
        }
    }

    func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        switch self {
        case .element(let node): return try node.withUTF8Text(body)
        case .string(var text): return try text.withUTF8(body)
        }
    }
}

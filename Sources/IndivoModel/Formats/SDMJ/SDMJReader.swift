import IndivoXML

/// Reads SDMJ as servers write it into the tree of its twin, SDMX, without a tree of JSON between them.
///
/// What is unusual (a model that does not begin with its name, names with escapes) and what is wrong it leaves to
/// ``SDMJ``, which reads everything, slower, and says what is wrong.
struct SDMJReader {
    private struct Unusual: Error {}

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private let xml = XMLAssembler()
    private let models: XMLAssembler.Name
    private let model: XMLAssembler.Name
    private let field: XMLAssembler.Name
    private let name: XMLAssembler.Name
    private let documentID: XMLAssembler.Name

    /// The names met so far, which the document holds once: models of one kind have the same, in the same order.
    private var names: [(text: UnsafeBufferPointer<UInt8>, value: XMLAssembler.Value)] = []
    private var nextName = 0
    private static let mostNames = 64
    /// Deeper models are left to the other reader, before they use up the stack.
    private static let maximumDepth = 128

    /// The models of a text as a `Models` element; `nil` where the text is unusual or wrong.
    static func models(in bytes: UnsafeBufferPointer<UInt8>) -> XMLNode? {
        guard String(validating: bytes, as: UTF8.self) != nil, var reader = SDMJReader(bytes) else { return nil }
        return try? reader.read()
    }

    private init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let models = xml.name("Models", namespace: SDMX.namespace),
            let model = xml.name("Model", namespace: SDMX.namespace),
            let field = xml.name("Field", namespace: SDMX.namespace), let name = xml.name("name"),
            let documentID = xml.name("documentId")
        else { return nil }
        self.bytes = bytes
        (self.models, self.model, self.field, self.name, self.documentID) = (models, model, field, name, documentID)
    }

    private mutating func read() throws(Unusual) -> XMLNode? {
        if next() == UInt8(ascii: "[") {
            try readModels(depth: 0)
        } else {
            xml.start(models)
            try readModel(depth: 0)
            xml.end()
        }
        guard next() == nil else { throw Unusual() }
        return xml.root
    }

    // MARK: Models

    /// A list of models, as a `Models` element.
    private mutating func readModels(depth: Int) throws(Unusual) {
        position += 1
        xml.start(models)
        if next() != UInt8(ascii: "]") {
            repeat { try readModel(depth: depth + 1) } while take(UInt8(ascii: ","))
        }
        guard take(UInt8(ascii: "]")) else { throw Unusual() }
        xml.end()
    }

    private mutating func readModel(depth: Int) throws(Unusual) {
        guard depth < Self.maximumDepth, take(UInt8(ascii: "{")), try key().equals("__modelname__"),
            case .plain(let modelName) = try string(), !modelName.isEmpty
        else { throw Unusual() }
        xml.start(model)
        xml.attribute(name, value(of: modelName))
        var hasID = false
        while take(UInt8(ascii: ",")) {
            let key = try key()
            if key.equals("__documentid__") {
                guard !hasID, case .plain(let id) = try string(), xml.attribute(documentID, xml.value(id)) else {
                    throw Unusual()
                }
                hasID = true
            } else if key.equals("__modelname__") {
                throw Unusual()
            } else {
                try readField(key, depth: depth)
            }
        }
        guard take(UInt8(ascii: "}")) else { throw Unusual() }
        xml.end()
    }

    private mutating func readField(_ key: UnsafeBufferPointer<UInt8>, depth: Int) throws(Unusual) {
        xml.start(field)
        xml.attribute(name, value(of: key))
        switch next() {
        case UInt8(ascii: "\""):
            switch try string() {
            case .plain(let text): xml.text(text)
            case .escaped(let text): xml.text(text)
            }
        case UInt8(ascii: "{"): try readModel(depth: depth + 1)
        case UInt8(ascii: "["): try readModels(depth: depth + 1)
        default:
            let word = word()
            if !word.equals("null") {
                guard word.equals("true") || word.equals("false") || JSONValue.isNumber(word) else { throw Unusual() }
                xml.text(word)
            }
        }
        xml.end()
    }

    /// A name as an attribute's value.
    private mutating func value(of text: UnsafeBufferPointer<UInt8>) -> XMLAssembler.Value {
        if nextName < names.count, names[nextName].text.equals(text) {
            nextName += 1
            return names[nextName - 1].value
        }
        if let index = names.firstIndex(where: { $0.text.equals(text) }) {
            nextName = index + 1
            return names[index].value
        }
        let value = xml.value(text)
        if names.count < Self.mostNames { names.append((text, value)) }
        nextName = names.count
        return value
    }

    // MARK: Tokens

    /// The next byte that is no white space; `nil` at the end.
    private mutating func next() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next() == byte else { return false }
        position += 1
        return true
    }

    /// A member's name and the colon behind it.
    private mutating func key() throws(Unusual) -> UnsafeBufferPointer<UInt8> {
        guard case .plain(let key) = try string(), take(UInt8(ascii: ":")) else { throw Unusual() }
        return key
    }

    private mutating func word() -> UnsafeBufferPointer<UInt8> {
        let start = position
        while position < bytes.count, bytes[position] > 0x20, bytes[position] != UInt8(ascii: ","),
            bytes[position] != UInt8(ascii: "}"), bytes[position] != UInt8(ascii: "]")
        { position += 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<position])
    }

    private enum Text {
        case plain(UnsafeBufferPointer<UInt8>)
        case escaped(String)
    }

    private mutating func string() throws(Unusual) -> Text {
        guard take(UInt8(ascii: "\"")) else { throw Unusual() }
        let start = position
        var isPlain = true
        while true {
            skipPlainText()
            guard position < bytes.count else { throw Unusual() }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                if isPlain { return .plain(UnsafeBufferPointer(rebasing: bytes[start..<position - 1])) }
                guard case .string(let text)? = try? JSONParser.parse(bytes[start - 1..<position]) else { throw Unusual() }
                return .escaped(text)
            case UInt8(ascii: "\\"):
                isPlain = false
                position += 2
            default: throw Unusual()
            }
        }
    }

    /// Goes on to the next quotation mark, backslash or control character, eight bytes at a time.
    private mutating func skipPlainText() {
        let raw = UnsafeRawBufferPointer(bytes)
        let ones: UInt64 = 0x0101_0101_0101_0101
        while position + 8 <= bytes.count {
            let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let (quotes, backslashes) = (word ^ ones &* 0x22, word ^ ones &* 0x5C)
            let found = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word
            if found & ones &* 0x80 != 0 { break }
            position += 8
        }
        while position < bytes.count, bytes[position] != 0x22, bytes[position] != 0x5C, bytes[position] >= 0x20 {
            position += 1
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool { count == other.count && elementsEqual(other) }

    fileprivate func equals(_ text: StaticString) -> Bool {
        equals(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

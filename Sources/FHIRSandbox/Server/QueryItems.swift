/// The parameters of a query string or a form, in order.
struct QueryItems: Sendable, Hashable {
    struct Item: Sendable, Hashable {
        var name: String
        var value: String
    }

    var items: [Item]

    init(_ items: [(String, String)] = []) { self.items = items.map { Item(name: $0.0, value: $0.1) } }

    /// Reads `application/x-www-form-urlencoded` text. `+` is a space.
    ///
    /// - Throws: ``FHIRFailure`` for an escape that is none, and for bytes that are not UTF-8.
    init(parsing text: String) throws(FHIRFailure) {
        items = []
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let pieces = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            items.append(
                Item(name: try Self.decode(pieces[0]), value: pieces.count > 1 ? try Self.decode(pieces[1]) : ""))
        }
    }

    /// Reads `If-None-Exist`: a query, which may follow a `?`, or the address of a search.
    init(condition text: String) throws(FHIRFailure) {
        let name = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let start = name.lastIndex(of: UInt8(ascii: "?")).map { text.utf8.index(after: $0) }
        try self.init(parsing: String(text[(start ?? text.startIndex)...]))
    }

    /// The value of the first parameter of a name.
    subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    func values(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// The parameters but those of a name.
    func without(_ name: String) -> QueryItems {
        var copy = self
        copy.items.removeAll { $0.name == name }
        return copy
    }

    func adding(_ name: String, _ value: String) -> QueryItems {
        var copy = self
        copy.items.append(Item(name: name, value: value))
        return copy
    }

    /// The parameters as text for a URL.
    var text: String { items.map { Self.encode($0.name) + "=" + Self.encode($0.value) }.joined(separator: "&") }

    /// Decodes the escapes of a path's segment or, with `+` as a space, of a query.
    static func decode(_ bytes: Substring.UTF8View, plusIsSpace: Bool = true) throws(FHIRFailure) -> String {
        var decoded: [UInt8] = []
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(hexadecimal), let low = rest.next().flatMap(hexadecimal) else {
                    throw .invalid("the URL or form has a “%” without two hexadecimal digits")
                }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            default: decoded.append(byte)
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self), !decoded.contains(0) else {
            throw .invalid("the URL or form has bytes that are not UTF-8, or a NUL")
        }
        return text
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }

    static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: ","):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return encoded
    }
}

/// Names and values in order, as `application/x-www-form-urlencoded` carries them in a form body or a query.
///
/// ```swift
/// let form: FormParameters = ["status": "archived", "reason": "taken by mistake"]
/// form.encoded                            // "status=archived&reason=taken%20by%20mistake"
/// FormParameters(decoding: "a=1&b=x+y")["b"]  // "x y"
/// ```
///
/// Encoding escapes everything but unreserved characters, so a space is `%20`; decoding takes `+` for a space
/// too. Names may occur more than once, and their order is kept.
public struct FormParameters: Sendable, Hashable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// One name with its value.
    public struct Element: Sendable, Hashable {
        /// The name, not escaped.
        public var name: String
        /// The value, not escaped.
        public var value: String

        /// A name with its value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The media type of a body in this encoding. Send it exactly so: a server may take
    /// `application/x-www-form-urlencoded; charset=utf-8` for another type and leave the body out of the
    /// signature.
    public static let contentType = "application/x-www-form-urlencoded"

    private var elements: [Element]

    /// Names with their values, in this order.
    public init(_ elements: some Sequence<Element> = []) { self.elements = Array(elements) }

    /// Reads an encoded form. It never fails: a name without `=` has an empty value, an empty piece between
    /// two `&` is nothing, a stray `%` stands for itself, bytes that are not UTF-8 become U+FFFD.
    public init(decoding text: String) { self.init(decoding: text.utf8) }

    /// Reads an encoded form from its bytes; see ``init(decoding:)-(String)``.
    public init(decoding bytes: some Sequence<UInt8>) {
        elements = Self.decodedPairs(Array(bytes), separators: [UInt8(ascii: "&")]).map { name, value in
            Element(
                name: String(decoding: name, as: UTF8.self),
                value: String(decoding: value, as: UTF8.self)
            )
        }
    }

    /// The form as text: `name=value` pieces joined by `&`, percent-encoded as ``PercentEncoding`` does.
    public var encoded: String {
        elements.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(
            separator: "&"
        )
    }

    /// The first value of a name, or nil if there is none.
    public subscript(name: String) -> String? { elements.first { $0.name == name }?.value }

    /// All values of a name, in order.
    public func values(of name: String) -> [String] { elements.filter { $0.name == name }.map(\.value) }

    /// Adds a name and a value at the end.
    public mutating func append(name: String, value: String) {
        elements.append(Element(name: name, value: value))
    }

    /// The decoded names and values as bytes: what a signature covers, whatever their encoding.
    /// - Parameter keepsNamesAlone: Whether a piece without `=` is a name with an empty value, or nothing.
    package static func decodedPairs(
        _ bytes: [UInt8],
        separators: [UInt8],
        keepsNamesAlone: Bool = true
    ) -> [(name: [UInt8], value: [UInt8])] {
        bytes.split(whereSeparator: separators.contains).compactMap { piece in
            let parts = piece.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard keepsNamesAlone || parts.count == 2 else { return nil }
            return (
                PercentEncoding.decodedBytes(Array(parts[0]), plusIsSpace: true),
                parts.count == 2 ? PercentEncoding.decodedBytes(Array(parts[1]), plusIsSpace: true) : []
            )
        }
    }

    public var startIndex: Int { elements.startIndex }
    public var endIndex: Int { elements.endIndex }
    public subscript(position: Int) -> Element { elements[position] }

    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Element(name: $0, value: $1) })
    }
}

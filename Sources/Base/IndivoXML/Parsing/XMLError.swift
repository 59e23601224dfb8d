/// Something that is wrong with XML: a document that is not well-formed, one that hits a limit, content that
/// XML cannot carry.
public struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of thing is wrong.
    public enum Kind: Hashable, Sendable {
        /// The input is not well-formed XML with namespaces.
        case syntax
        /// The input's encoding is unknown, refused, or not what it says.
        case encoding
        /// One of the `XMLLimits` was hit.
        case limit(Limit)
        /// The document refers to an entity or a DTD outside itself; such are never loaded.
        case externalEntity
        /// A node has content that XML cannot carry, or an invalid name.
        case unwritable
        /// A text or attribute is not the value it was read as.
        case value
        /// An XPath expression is wrong.
        case xpath
        /// A schema is invalid, or cannot be used.
        case schema
        /// A file could not be read.
        case file
    }

    /// The limits that an error can name: each is the property of `XMLLimits` that has its name.
    public enum Limit: String, Hashable, Sendable {
        /// How deep elements lie.
        case depth
        case inputBytes
        /// The bytes of one text or value.
        case textBytes
        /// The attributes of one element.
        case attributes
        case nameBytes
        /// The bytes that entities add.
        case entityExpansionBytes
        /// How deep entities lie.
        case entityDepth
    }

    /// What kind of thing is wrong.
    public var kind: Kind
    /// The line of the source, from 1, where there is a source.
    public var line: Int?
    /// The column of that line, in characters from 1.
    public var column: Int?
    /// What is wrong, and what to do about it.
    public var message: String
    /// The source around the position, at most 80 characters of one line. It may hold a person's data, so it
    /// is not part of `description`.
    public var excerpt: String?

    /// An error at a position.
    public init(_ kind: Kind, line: Int? = nil, column: Int? = nil, message: String, excerpt: String? = nil) {
        self.kind = kind
        self.line = line
        self.column = column
        self.message = message
        self.excerpt = excerpt
    }

    /// `line 3, column 17: …`
    public var description: String {
        switch (line, column) {
        case (let line?, let column?): "line \(line), column \(column): \(message)"
        case (let line?, nil): "line \(line): \(message)"
        default: message
        }
    }

    /// An error at a byte of the source.
    init(_ kind: Kind, at offset: Int, of source: UTF8Bytes, message: String) {
        let lineStart = source[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = 1 + source[..<lineStart].count(where: { $0 == UInt8(ascii: "\n") })
        column = 1 + source[lineStart..<offset].count(where: { $0 & 0xC0 != 0x80 })
        let rest = source[offset...].prefix(40).prefix { $0 != UInt8(ascii: "\n") }
        // The cut may fall inside a character: leave its rest out.
        let bytes = source[max(lineStart, offset - 40)..<rest.endIndex].drop(while: { $0 & 0xC0 == 0x80 })
        excerpt = String(String(decoding: bytes, as: UTF8.self).filter { $0 != "\u{FFFD}" })
        self.kind = kind
        self.message = message
    }

    static func inputLimit(_ limit: Int) -> XMLError {
        XMLError(
            .limit(.inputBytes),
            message: "the document has more than \(limit) bytes (limits.inputBytes)"
        )
    }
}

/// How a document is read.
public struct XMLParseOptions: Sendable, Hashable {
    /// What a document may have at most.
    public var limits: XMLLimits
    /// Whether texts of nothing but white space are left out. False unless set: what was read is written back
    /// as it was.
    public var dropsWhitespace: Bool
    /// The name of the input's encoding when the transport knows it, such as `"ISO-8859-1"`; it overrides
    /// what the document says. Nil leaves it to the byte order mark and the XML declaration.
    public var encoding: String?

    /// Options; without arguments the defaults.
    public init(limits: XMLLimits = .init(), dropsWhitespace: Bool = false, encoding: String? = nil) {
        self.limits = limits
        self.dropsWhitespace = dropsWhitespace
        self.encoding = encoding
    }
}

/// The limits of a document; reading one that exceeds a limit stops with an error that names it.
///
/// The defaults let through any honest document and stop the known attacks early. Each can be set:
///
/// ```swift
/// var options = XMLParseOptions()
/// options.limits.depth = 64
/// ```
public struct XMLLimits: Sendable, Hashable {
    /// Elements inside each other. 1,024 unless set.
    public var depth = 1_024
    /// Bytes of the input, before and after it is converted to UTF-8. 512 MB unless set; never more than 4
    /// GB.
    public var inputBytes = 512 * 1_024 * 1_024
    /// UTF-8 bytes of one text, attribute value, comment or processing instruction. 64 MB unless set.
    public var textBytes = 64 * 1_024 * 1_024
    /// Attributes and namespace declarations of one element, namespaces declared by elements inside each
    /// other, and attributes of one element in the document's own DTD. 4,096 unless set.
    public var attributes = 4_096
    /// UTF-8 bytes of one name. 50,000 unless set.
    public var nameBytes = 50_000
    /// Bytes that entities and attribute defaults of the document's own DTD may add to it. A reference counts
    /// as 256 bytes more; a default as 16 more, and as one for every 64 other attributes and namespaces it is
    /// compared with. 4 MB unless set.
    public var entityExpansionBytes = 4 * 1_024 * 1_024
    /// Entities inside each other. 32 unless set.
    public var entityDepth = 32

    /// The default limits.
    public init() {}
}

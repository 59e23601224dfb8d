/// How a document is read.
public struct XMLParseOptions: Sendable, Hashable {
    /// What a document may have at most.
    public var limits: XMLLimits
    /// Whether texts of nothing but white space are left out. False unless set: what was read is written back as it was.
    public var dropsWhitespace: Bool
    /// The name of the input's encoding when the transport knows it, such as `"ISO-8859-1"`; it overrides what the
    /// document says. Nil leaves it to the byte order mark and the XML declaration.
    public var encoding: String?

    /// Options; without arguments the defaults.
    public init(limits: XMLLimits = .init(), dropsWhitespace: Bool = false, encoding: String? = nil) {
        self.limits = limits
        self.dropsWhitespace = dropsWhitespace
        self.encoding = encoding
    }
}

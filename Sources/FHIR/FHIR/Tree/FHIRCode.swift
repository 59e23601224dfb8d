import OrderedJSON

/// The codes of a value set that a binding requires; `other` keeps a code that the value set does not have.
public protocol FHIRCode: FHIRValue, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The value for a code: `other` when the value set does not have it.
    init(_ code: String)
    var code: String { get }
}

extension FHIRCode {
    public init?(tree: JSONValue) {
        guard let code = tree.string else { return nil }
        self.init(code)
    }

    /// The value for a code.
    public init(stringLiteral code: String) { self.init(code) }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public var tree: JSONValue { JSONValue(code) }

    public var description: String { code }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public static func == (a: Self, b: Self) -> Bool { a.code.utf8.elementsEqual(b.code.utf8) }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public var hashValue: Int { code.hashValue }
}

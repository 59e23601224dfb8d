import OrderedJSON

/// The types that a choice element may have: `value[x]` is `valueQuantity`, `valueString`…
public protocol FHIRChoice: Sendable, Hashable {
    /// The ends of the names in JSON.
    static var suffixes: [String] { get }
    /// The value that a member of this suffix has; `nil` for another suffix, and for JSON of another type.
    init?(_ suffix: String, _ tree: JSONValue)
    var content: (suffix: String, tree: JSONValue) { get }
}

extension FHIRChoice {
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public static func == (a: Self, b: Self) -> Bool {
        let a = a.content
        let b = b.content
        return a.suffix == b.suffix && a.tree == b.tree
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public func hash(into hasher: inout Hasher) {
        let content = content
        hasher.combine(content.suffix)
        hasher.combine(content.tree)
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }

    /// The case of a value, where JSON has one of the case's type. Generated choices call it.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public init?<Value: FHIRValue>(_ tree: JSONValue, _ make: (Value) -> Self) {
        guard let value = Value(tree: tree) else { return nil }
        self = make(value)
    }
}

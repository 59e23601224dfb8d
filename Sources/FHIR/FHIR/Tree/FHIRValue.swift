import OrderedJSON

/// What an element's value can be read as: a view on JSON, or a Swift value of a primitive.
public protocol FHIRValue: Sendable, Hashable {
    /// The value, if JSON has one of this type.
    init?(tree: JSONValue)
    var tree: JSONValue { get }
}

extension Bool: FHIRValue {
    public init?(tree: JSONValue) {
        guard let value = tree.boolean else { return nil }
        self = value
    }

    public var tree: JSONValue { JSONValue(self) }
}

extension Int: FHIRValue {
    public init?(tree: JSONValue) {
        guard let value = tree.integer else { return nil }
        self = value
    }

    public var tree: JSONValue { JSONValue(self) }
}

extension String: FHIRValue {
    public init?(tree: JSONValue) {
        guard let value = tree.string else { return nil }
        self = value
    }

    public var tree: JSONValue { JSONValue(self) }
}

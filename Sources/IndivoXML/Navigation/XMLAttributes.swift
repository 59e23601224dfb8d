/// The attributes of an element in their order, without namespace declarations.
public struct XMLAttributes: RandomAccessCollection, Hashable, Sendable {
    /// One attribute.
    public struct Attribute: Hashable, Sendable {
        /// The local name.
        public var name: String
        /// The name as it is written, `prefix:name`.
        public var qualifiedName: String
        /// The namespace's URI; nil for none.
        public var namespace: String?
        /// The value.
        public var value: String
    }

    private let attributes: [Attribute]

    init(_ attributes: [Attribute]) { self.attributes = attributes }

    public var startIndex: Int { 0 }
    public var endIndex: Int { attributes.count }
    public subscript(position: Int) -> Attribute { attributes[position] }

    /// The value of the attribute with this name as it is written; nil when there is none.
    public subscript(name: String) -> String? { attributes.first { $0.qualifiedName == name }?.value }
}

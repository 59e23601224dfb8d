/// The attributes of an element in their order, without namespace declarations.
public struct XMLAttributes: RandomAccessCollection, Hashable, Sendable {
    /// One attribute.
    public struct Attribute: Hashable, Sendable {
        /// The local name.
        public var name: String
        /// The name as it is written, `prefix:name`.
        public var qualifiedName: String
        /// The namespace's URI; nil without one.
        public var namespace: String?
        public var value: String

        /// Whether names, namespaces and values are the same, byte by byte.
        public static func == (left: Attribute, right: Attribute) -> Bool { left.keys == right.keys }

        public func hash(into hasher: inout Hasher) { hasher.combine(keys) }

        private var keys: [UTF8Key?] {
            [name, qualifiedName, namespace, value].map { $0.map { UTF8Key($0) } }
        }
    }

    private let attributes: [Attribute]

    init(_ attributes: [Attribute]) { self.attributes = attributes }

    public var startIndex: Int { 0 }
    public var endIndex: Int { attributes.count }
    public subscript(position: Int) -> Attribute { attributes[position] }

    /// The value of the attribute with this name as it is written; nil when there is none.
    public subscript(name: String) -> String? {
        attributes.first { $0.qualifiedName.hasSameBytes(as: name) }?.value
    }
}

/// Which namespace each prefix stands for at the position that is being written.
struct NamespaceScope {
    private let names: XMLNameTable
    /// The ids of the namespaces by URI.
    private var namespaceIDs: [UTF8Key: UInt32]
    /// With the depth at which the element lies that declares it.
    private var bindings: [(prefix: UInt32, namespace: UInt32, depth: Int)] = []
    /// The number of each name's prefix, 0 without one; `unknown` until it is asked for.
    private var prefixOfName: [UInt32]
    private var prefixes: [UTF8Key: UInt32] = [UTF8Key(""): 0]
    private(set) var prefixTexts: [String] = [""]
    private static let unknown = UInt32.max

    /// What the prefix `xml` stands for everywhere, and nothing else does.
    static let xml = "http://www.w3.org/XML/1998/namespace"
    /// What the prefix `xmlns` stands for, which no declaration may say.
    static let xmlns = "http://www.w3.org/2000/xmlns/"

    init(names: XMLNameTable) {
        self.names = names
        namespaceIDs = names.namespaceIDs
        prefixOfName = Array(repeating: NamespaceScope.unknown, count: names.count)
        declare(number(ofPrefix: "xml"), namespaceID(UTF8Key(NamespaceScope.xml)), depth: 0)
        // No name may have the prefix xmlns: what it stands for is not a name's namespace here.
        declare(number(ofPrefix: "xmlns"), NamespaceScope.unknown, depth: 0)
    }

    /// Whether the prefix is `xml` or `xmlns`, which are bound before anything else.
    func isReserved(_ prefix: UInt32) -> Bool { prefix == 1 || prefix == 2 }

    mutating func prefix(ofName id: UInt32) -> UInt32 {
        if prefixOfName[Int(id)] != NamespaceScope.unknown { return prefixOfName[Int(id)] }
        let prefix = number(ofPrefix: names.prefix(id).string)
        prefixOfName[Int(id)] = prefix
        return prefix
    }

    mutating func number(ofPrefix prefix: String) -> UInt32 {
        if let known = prefixes[UTF8Key(prefix)] { return known }
        let new = UInt32(prefixTexts.count)
        prefixTexts.append(prefix)
        prefixes[UTF8Key(prefix)] = new
        return new
    }

    /// The namespace's id. One that no name has, only a declaration, gets a number behind those of the table.
    mutating func namespaceID(_ uri: UTF8Key) -> UInt32 {
        if let known = namespaceIDs[uri] { return known }
        let new = UInt32(names.namespaces.count + namespaceIDs.count)
        namespaceIDs[uri] = new
        return new
    }

    /// What the prefix stands for; nil when it was not declared. The empty prefix, not declared, stands for
    /// none.
    @inline(__always)
    func namespace(ofPrefix prefix: UInt32) -> UInt32? {
        for binding in bindings.reversed() where binding.prefix == prefix { return binding.namespace }
        return prefix == 0 ? 0 : nil
    }

    /// A prefix that stands for the namespace here.
    func prefix(for namespace: UInt32) -> UInt32? {
        bindings.last {
            $0.namespace == namespace && $0.prefix != 0 && self.namespace(ofPrefix: $0.prefix) == namespace
        }?.prefix
    }

    mutating func declare(_ prefix: UInt32, _ namespace: UInt32, depth: Int) {
        bindings.append((prefix, namespace, depth))
    }

    @inline(__always)
    mutating func leave(depth: Int) {
        while let last = bindings.last, last.depth >= depth { bindings.removeLast() }
    }
}

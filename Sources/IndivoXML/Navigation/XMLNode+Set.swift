/// A node gives what a set of it alone would.
extension XMLNode {
    /// The node itself, as for a selection of it alone.
    public var first: XMLNode? { self }

    /// The node itself, as for a selection of it alone.
    public var last: XMLNode? { self }

    /// What the closure makes of the node, in an array.
    public func map<Result>(_ transform: (XMLNode) throws -> Result) rethrows -> [Result] { [try transform(self)] }

    /// The node if the closure says yes; else an empty selection.
    public func filter(_ isIncluded: (XMLNode) throws -> Bool) rethrows -> XMLSelection {
        try isIncluded(self) ? XMLSelection([self]) : XMLSelection()
    }

    /// The node if it is not among others; else an empty selection.
    public func not(_ others: some Sequence<XMLNode>) -> XMLSelection { filter { !others.contains($0) } }

    /// The node and others, each once.
    public func add(_ others: some Sequence<XMLNode>) -> XMLSelection { XMLSelection([self] + Array(others)) }

    /// 0 for the node itself; nil for others.
    public func index(of node: XMLNode) -> Int? { node == self ? 0 : nil }
}

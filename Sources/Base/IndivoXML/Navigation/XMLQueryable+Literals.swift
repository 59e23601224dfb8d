// The verbs with a selector that is written as a literal. One that is wrong is a mistake of the program: it
// stops with the file, the line and the column.
extension XMLQueryable {
    /// The descendants that the selector matches; see `find(_:)` with an `XMLSelector`.
    public func find(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        find(XMLSelector(literal: selector, file, line))
    }

    /// The first of the descendants that the selector matches.
    public func first(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line) -> XMLNode?
    {
        first(XMLSelector(literal: selector, file, line))
    }

    /// The child elements that the selector matches.
    public func children(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        children(XMLSelector(literal: selector, file, line))
    }

    /// The parents that the selector matches.
    public func parent(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        parent(XMLSelector(literal: selector, file, line))
    }

    /// The ancestors that the selector matches, in document order: the nearest is the last.
    public func parents(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        parents(XMLSelector(literal: selector, file, line))
    }

    /// The ancestors below the nearest one that the selector matches.
    public func parentsUntil(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        parentsUntil(XMLSelector(literal: selector, file, line))
    }

    /// The sibling elements that the selector matches.
    public func siblings(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        siblings(XMLSelector(literal: selector, file, line))
    }

    /// The next sibling elements, where the selector matches them.
    public func next(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        next(XMLSelector(literal: selector, file, line))
    }

    /// The following sibling elements that the selector matches.
    public func nextAll(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        nextAll(XMLSelector(literal: selector, file, line))
    }

    /// The following sibling elements before the first one that the selector matches.
    public func nextUntil(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        nextUntil(XMLSelector(literal: selector, file, line))
    }

    /// The previous sibling elements, where the selector matches them.
    public func previous(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        previous(XMLSelector(literal: selector, file, line))
    }

    /// The preceding sibling elements that the selector matches, in document order.
    public func previousAll(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        previousAll(XMLSelector(literal: selector, file, line))
    }

    /// The preceding sibling elements behind the nearest one that the selector matches, in document order.
    public func previousUntil(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        previousUntil(XMLSelector(literal: selector, file, line))
    }

    /// Whether the selector matches one of the nodes.
    public func `is`(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line) -> Bool {
        self.is(XMLSelector(literal: selector, file, line))
    }

    /// The nodes that the selector matches.
    public func filter(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        filter(XMLSelector(literal: selector, file, line))
    }

    /// The nodes that the selector does not match.
    public func not(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        not(XMLSelector(literal: selector, file, line))
    }

    /// The nodes with a descendant that the selector matches.
    public func has(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        has(XMLSelector(literal: selector, file, line))
    }
}

extension XMLSelection {
    /// The nearest of each node and its ancestors that the selector matches.
    public func closest(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLSelection
    {
        closest(XMLSelector(literal: selector, file, line))
    }
}

extension XMLNode {
    /// The nearest of the node and its ancestors that the selector matches.
    public func closest(_ selector: StaticString, file: StaticString = #fileID, line: UInt = #line)
        -> XMLNode?
    {
        closest(XMLSelector(literal: selector, file, line))
    }
}

extension XMLSelector {
    /// A selector that the program holds.
    init(literal: StaticString, _ file: StaticString, _ line: UInt) {
        do {
            try self.init(literal.description)
        } catch {
            fatalError("a selector is wrong: \(error)", file: file, line: line)
        }
    }
}

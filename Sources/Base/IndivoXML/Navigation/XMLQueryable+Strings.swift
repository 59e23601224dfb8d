// The verbs with a selector that is known at run time only. Each throws `XMLSelectorError` when it is none.
// They are disfavoured so that a literal, whose default type is String, goes to the verbs that do
// not throw.
extension XMLQueryable {
    /// The descendants that the selector matches; see `find(_:)` with an `XMLSelector`.
    @_disfavoredOverload
    public func find(_ selector: String) throws -> XMLSelection { find(try XMLSelector(selector)) }

    /// The first of the descendants that the selector matches.
    @_disfavoredOverload
    public func first(_ selector: String) throws -> XMLNode? { first(try XMLSelector(selector)) }

    /// The child elements that the selector matches.
    @_disfavoredOverload
    public func children(_ selector: String) throws -> XMLSelection { children(try XMLSelector(selector)) }

    /// The parents that the selector matches.
    @_disfavoredOverload
    public func parent(_ selector: String) throws -> XMLSelection { parent(try XMLSelector(selector)) }

    /// The ancestors that the selector matches, in document order: the nearest is the last.
    @_disfavoredOverload
    public func parents(_ selector: String) throws -> XMLSelection { parents(try XMLSelector(selector)) }

    /// The ancestors below the nearest one that the selector matches.
    @_disfavoredOverload
    public func parentsUntil(_ selector: String) throws -> XMLSelection {
        parentsUntil(try XMLSelector(selector))
    }

    /// The sibling elements that the selector matches.
    @_disfavoredOverload
    public func siblings(_ selector: String) throws -> XMLSelection { siblings(try XMLSelector(selector)) }

    /// The next sibling elements, where the selector matches them.
    @_disfavoredOverload
    public func next(_ selector: String) throws -> XMLSelection { next(try XMLSelector(selector)) }

    /// The following sibling elements that the selector matches.
    @_disfavoredOverload
    public func nextAll(_ selector: String) throws -> XMLSelection { nextAll(try XMLSelector(selector)) }

    /// The following sibling elements before the first one that the selector matches.
    @_disfavoredOverload
    public func nextUntil(_ selector: String) throws -> XMLSelection { nextUntil(try XMLSelector(selector)) }

    /// The previous sibling elements, where the selector matches them.
    @_disfavoredOverload
    public func previous(_ selector: String) throws -> XMLSelection { previous(try XMLSelector(selector)) }

    /// The preceding sibling elements that the selector matches, in document order.
    @_disfavoredOverload
    public func previousAll(_ selector: String) throws -> XMLSelection {
        previousAll(try XMLSelector(selector))
    }

    /// The preceding sibling elements behind the nearest one that the selector matches, in document order.
    @_disfavoredOverload
    public func previousUntil(_ selector: String) throws -> XMLSelection {
        previousUntil(try XMLSelector(selector))
    }

    /// Whether the selector matches one of the nodes.
    @_disfavoredOverload
    public func `is`(_ selector: String) throws -> Bool { self.is(try XMLSelector(selector)) }

    /// The nodes that the selector matches.
    @_disfavoredOverload
    public func filter(_ selector: String) throws -> XMLSelection { filter(try XMLSelector(selector)) }

    /// The nodes that the selector does not match.
    @_disfavoredOverload
    public func not(_ selector: String) throws -> XMLSelection { not(try XMLSelector(selector)) }

    /// The nodes with a descendant that the selector matches.
    @_disfavoredOverload
    public func has(_ selector: String) throws -> XMLSelection { has(try XMLSelector(selector)) }
}

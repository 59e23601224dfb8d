// Verbs that are another verb and a filter.
extension XMLQueryable {
    /// The child elements that the selector matches.
    public func children(_ selector: XMLSelector) -> XMLSelection { selection.children().filter(selector) }

    /// The parents that the selector matches.
    public func parent(_ selector: XMLSelector) -> XMLSelection { selection.parent().filter(selector) }

    /// The ancestors that the selector matches, in document order: the nearest is the last.
    public func parents(_ selector: XMLSelector) -> XMLSelection { parents().filter(selector) }

    /// The sibling elements that the selector matches.
    public func siblings(_ selector: XMLSelector) -> XMLSelection { siblings().filter(selector) }

    /// The next sibling elements, where the selector matches them.
    public func next(_ selector: XMLSelector) -> XMLSelection { selection.next().filter(selector) }

    /// The following sibling elements that the selector matches.
    public func nextAll(_ selector: XMLSelector) -> XMLSelection { nextAll().filter(selector) }

    /// The previous sibling elements, where the selector matches them.
    public func previous(_ selector: XMLSelector) -> XMLSelection { selection.previous().filter(selector) }

    /// The preceding sibling elements that the selector matches, in document order.
    public func previousAll(_ selector: XMLSelector) -> XMLSelection { previousAll().filter(selector) }
}

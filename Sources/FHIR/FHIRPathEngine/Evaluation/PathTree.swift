import OrderedJSON

/// JSON as navigation needs it: a value that holds its text, or a node that does not.
package protocol PathTree: Sendable {
    typealias Text = UnsafeBufferPointer<UInt8>

    var kind: JSONValue.Kind { get }
    /// The value of an object's member.
    func member(_ name: Text) -> Self?
    func forEachElement(_ body: (Self) -> Void)
    /// Calls `body` with the name, which is a string, and the value of each member of an object whose name,
    /// after an underscore that it may have, begins with a prefix.
    func forEachMember(beginningWith prefix: Text, _ body: (_ name: Self, _ value: Self) -> Void)
    /// Calls `body` with the characters of a string or number.
    func read<Result>(_ body: (Text) -> Result) -> Result?
}

package extension PathTree {
    func member(named name: String) -> Self? {
        var name = name
        return name.withUTF8 { member($0) }
    }

    /// `resourceType` of a resource.
    var typeMember: Self? {
        let name: StaticString = "resourceType"
        return member(Text(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// The member with `_` before a name: the id and extensions of a primitive.
    func sibling(named name: String) -> Self? { member(named: "_" + name) }

    /// The elements of an array; nil for other kinds.
    var list: [Self]? {
        guard kind == .array else { return nil }
        var list: [Self] = []
        forEachElement { list.append($0) }
        return list
    }
}

extension JSONValue: PathTree {
    package func forEachElement(_ body: (JSONValue) -> Void) {
        for element in elements ?? [] { body(element) }
    }

    package func forEachMember(
        beginningWith prefix: Text,
        _ body: (_ name: JSONValue, _ value: JSONValue) -> Void
    ) {
        for member in members ?? [] where member.begins(with: prefix) { body(member.nameValue, member.value) }
    }

    package func read<Result>(_ body: (Text) -> Result) -> Result? { withUTF8(body) }
}

extension ParsedNode: PathTree {
    // What every tree has, once more: from other modules the compiler calls what is written for any tree by
    // its metadata, which takes most of the time of a look-up.
    package func member(named name: String) -> ParsedNode? {
        var name = name
        return name.withUTF8 { member($0) }
    }

    package func sibling(named name: String) -> ParsedNode? {
        var found: ParsedNode?
        for member in members {
            let isSibling = member.nameValue.withUTF8 { text in
                text.first == UInt8(ascii: "_") && text.count == name.utf8.count + 1
                    && text.dropFirst().elementsEqual(name.utf8)
            }
            if isSibling == true { found = member.value }
        }
        return found
    }

    package var list: [ParsedNode]? {
        guard kind == .array else { return nil }
        var list: [ParsedNode] = []
        forEachElement { list.append($0) }
        return list
    }

    /// `resourceType` of a resource.
    package var resourceType: String? {
        let name: StaticString = "resourceType"
        return member(Text(start: name.utf8Start, count: name.utf8CodeUnitCount))?.string
    }

    package func read<Result>(_ body: (Text) -> Result) -> Result? { withUTF8(body) }
}

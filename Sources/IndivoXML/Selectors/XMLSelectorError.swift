/// A selector that cannot be understood.
public struct XMLSelectorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The selector.
    public var selector: String
    /// The column where it goes wrong, in characters from 1.
    public var column: Int
    /// What was expected there.
    public var expected: String

    /// `column 3: expected a name, found ">" in "a >> b"`
    public var description: String {
        let rest = selector.dropFirst(column - 1)
        let found = rest.first.map { "\"\($0)\"" } ?? "the end"
        return "column \(column): expected \(expected), found \(found) in \"\(selector.prefix(200))\""
    }
}

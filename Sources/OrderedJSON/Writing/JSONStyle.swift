/// How a text is laid out.
public enum JSONStyle: Sendable, Hashable {
    /// No white space.
    case compact
    /// A line for each member and element, indented by so many spaces a level. Empty arrays and objects are `[]` and
    /// `{}`.
    case indented(Int)
    /// On one line, with a space behind each comma and colon and every character outside ASCII as an escape: what
    /// Python's `json` writes unless set otherwise.
    case spacedASCII
    /// As it was: a value that was parsed and not changed is written byte for byte, with its white space. The members
    /// and elements of what was changed or made are written without white space between them.
    case asWritten

    /// Indented by two spaces.
    public static let pretty = JSONStyle.indented(2)
}

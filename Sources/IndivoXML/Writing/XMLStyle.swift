/// How XML is laid out when it is written.
public enum XMLStyle: Hashable, Sendable {
    /// As it is: no white space is added or left out.
    case compact
    /// One element a line, children indented by two spaces. White space between elements is replaced; an element that
    /// holds text is written as it is, and so is all below `xml:space="preserve"`.
    case pretty
}

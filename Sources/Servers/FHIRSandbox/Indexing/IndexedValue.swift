/// A value of a search parameter, as the index keeps it.
struct IndexedValue: Sendable, Hashable {
    enum Range: Sendable, Hashable {
        case time(TimeRange)
        /// From a number to another, both included.
        case number(Double, Double)
    }

    /// What the index calls the parameter.
    var key: String
    /// Which of the values of a composite parameter it is a part of.
    var item = 0
    /// Of a token and a unit its system, `""` without one, `nil` for a code whose system is not known; of a
    /// reference the type.
    var system: String?
    /// The code, the id that is referred to, or the whole text.
    var code: String?
    /// What is compared as a string, folded; of a reference to elsewhere the URL.
    var text: String?
    var range: Range?

    /// What ``system`` is where ``code`` is a dimension of UCUM and ``range`` in its base units.
    static let ucumDimension = "=ucum"
}

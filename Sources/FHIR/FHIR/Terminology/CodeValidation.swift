/// Whether a code is in a value set or code system, as far as that can be checked.
public enum CodeValidation: Sendable, Hashable {
    /// It is; with what people read of it, where that is known.
    case valid(display: String?)
    /// It is not.
    case invalid(reason: String)
    /// Nobody can say, for example because the code system is not at hand.
    case notChecked(reason: String)
}

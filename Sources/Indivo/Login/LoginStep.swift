/// What a login waits for.
public enum LoginStep: Sendable, Hashable {
    /// The browser is to come back with the record that the person chose.
    case record
    /// The browser is to come back with the verifier, as the person agreed.
    case authorization
}

/// Whether a request may be sent again when its outcome is unknown.
enum RetryRule: Sendable, Hashable {
    /// It only reads, or has the same effect when it is sent twice.
    case freely
    /// The server refuses a second one, by the version it names: harmless, but the refusal would hide the
    /// success.
    case refusedTwice
    /// It may have been done, and would be done twice.
    case never

    /// The rule for a request that holds several.
    static func all(_ rules: some Sequence<RetryRule>) -> RetryRule {
        rules.reduce(.freely) { all, rule in
            if all == .never || rule == .never { return .never }
            return all == .freely ? rule : all
        }
    }
}

/// Why PostgreSQL did not do what it was asked for. No text holds a password, or what a row has.
package enum PostgreSQLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The package was built without libpq.
    case notBuilt
    /// The URL cannot be used, for this reason.
    case badAddress(String)
    /// No connection came about; libpq's words.
    case cannotConnect(String)
    /// The connection broke: what was under way may have been done or not.
    case connectionLost
    /// The server refuses a statement. The state is one of SQL's five letters; the detail names tables and
    /// rules.
    case refused(state: String, detail: String)
    /// A text that PostgreSQL cannot hold: one with a character of number 0.
    case unstorableText
    /// A number that its column cannot hold.
    case unstorableNumber
    /// A result has more bytes than this.
    case tooLarge(limit: Int)

    /// Whether the same may succeed a moment later: after a restart of the server, or when another
    /// transaction has ended.
    package var isTransient: Bool {
        switch self {
        case .cannotConnect, .connectionLost: true
        case .refused(let state, _):
            state.hasPrefix("08") || state.hasPrefix("53") || state.hasPrefix("57P")
                || ["40001", "40P01", "55P03", "23505"].contains(state)
        case .notBuilt, .badAddress, .unstorableText, .unstorableNumber, .tooLarge: false
        }
    }

    /// Whether each statement of its kind meets the same, whatever its values: the server is a standby that
    /// takes no writes, a right, a table or a file is missing, or a table is not in the state for it.
    package var isServerFault: Bool {
        switch self {
        case .refused(let state, _):
            ["25", "28", "3D", "3F", "42", "55", "58"].contains { state.hasPrefix($0) }
        case .notBuilt, .badAddress: true
        case .cannotConnect, .connectionLost, .unstorableText, .unstorableNumber, .tooLarge: false
        }
    }

    /// Whether it is the values' fault: they break a rule, do not fit, or are too large.
    package var isValueFault: Bool {
        switch self {
        case .refused(let state, _): ["22", "23", "54"].contains { state.hasPrefix($0) }
        case .unstorableText, .unstorableNumber: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .notBuilt:
            "this build has no PostgreSQL; build it on Linux with the trait PostgreSQL and libpq-dev"
        case .badAddress(let reason): reason
        case .cannotConnect(let reason): "no connection to PostgreSQL: \(reason)"
        case .connectionLost:
            "the connection to PostgreSQL broke; what was under way may have been done or not"
        case .refused(let state, let detail): "PostgreSQL refuses it: \(detail) (SQLSTATE \(state))"
        case .unstorableText: "a text has a character of number 0, which PostgreSQL does not keep"
        case .unstorableNumber: "a number is larger than its column"
        case .tooLarge(let limit): "a result has more than \(limit) bytes"
        }
    }
}

import WebServing

/// What a user of the pages may do. Each may do what those before it may.
public enum StudyRole: String, Sendable, Hashable, CaseIterable, Comparable {
    /// See the pages, which show nobody's answers.
    case view
    /// Download tables of the answers, under pseudonyms.
    case export
    /// Put messages back, and decide about withdrawals and corrections.
    case operate
    /// See who may log in, and what was done.
    case administer

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    /// The role that a request needs. What changes something needs ``operate``, unless it says otherwise.
    static func needed(for method: String, _ path: [String]) -> StudyRole {
        switch path.first {
        case "logout": .view
        case "export": .export
        case "people", "audit": .administer
        default: method == "GET" || method == "HEAD" ? .view : .operate
        }
    }
}

/// A person of the file of users.
struct StudyUser: Sendable, Hashable {
    /// People of files of earlier versions, which had no roles, could do what these may.
    static let standardRole = StudyRole.operate

    var hash: PasswordHash
    var role = standardRole {
        didSet { hasRole = true }
    }
    /// False for a person of an earlier version's file. The pages showed nobody's answers then: who got a
    /// login may not download them before somebody says so.
    var hasRole = true
    /// The second factor; `nil` where the password is enough.
    var totp: TOTP?

    func may(_ role: StudyRole) -> Bool { self.role >= role && (hasRole || role != .export) }
}

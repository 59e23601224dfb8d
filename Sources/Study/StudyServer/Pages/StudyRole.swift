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
    /// The role in all studies that are not among ``roles``; `nil` for none.
    var role: StudyRole? = standardRole {
        didSet { hasRole = true }
    }
    /// The roles in single studies, by their names; `nil` for none there.
    var roles: [String: StudyRole?] = [:]
    /// False for a person of an earlier version's file. The pages showed nobody's answers then: who got a
    /// login may not download them before somebody says so.
    var hasRole = true
    /// The second factor; `nil` where the password is enough.
    var totp: TOTP?

    /// - Parameter study: One of several; `nil` for the only one.
    func role(in study: StudyName?) -> StudyRole? {
        guard let study, let own = roles[study.description] else { return role }
        return own
    }

    /// Gives another role, or none.
    mutating func set(_ role: StudyRole?, in study: StudyName?) {
        guard let study else { return self.role = role }
        // Of an earlier version's file nobody knows in which studies the person may do what.
        if !hasRole { self.role = nil }
        roles[study.description] = .some(role)
    }

    func may(_ needed: StudyRole, in study: StudyName?) -> Bool {
        guard let role = role(in: study) else { return false }
        return role >= needed && (hasRole || needed != .export)
    }

    /// The role in words.
    func roleText(in study: StudyName?) -> String {
        hasRole ? role(in: study)?.rawValue ?? "none" : "none yet: no downloads"
    }

    // MARK: In the file

    /// `operate`, or with roles in single studies `none,sleep=operate`.
    var roleField: String {
        let single = roles.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value?.rawValue ?? "none")" }
        return ([role?.rawValue ?? "none"] + single).joined(separator: ",")
    }

    /// Reads ``roleField``; false for another text.
    mutating func setRoles(_ field: String) -> Bool {
        let parts = field.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard parts[0] == "none" || StudyRole(rawValue: parts[0]) != nil else { return false }
        role = StudyRole(rawValue: parts[0])
        for part in parts.dropFirst() {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, (try? StudyName(sides[0])) != nil, roles[sides[0]] == nil,
                sides[1] == "none" || StudyRole(rawValue: sides[1]) != nil
            else { return false }
            roles[sides[0]] = .some(StudyRole(rawValue: sides[1]))
        }
        return true
    }
}

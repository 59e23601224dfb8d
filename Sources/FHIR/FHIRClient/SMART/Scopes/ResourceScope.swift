import IndivoBase

/// A scope of resources: whose they are, of which type, what may be done, and which ones.
public struct ResourceScope: Sendable, Hashable, CustomStringConvertible {
    /// Whose resources they are.
    public enum Level: String, Sendable, Hashable {
        /// Those of the patient in context.
        case patient
        /// Those that the user may see.
        case user
        /// Those that a backend service may see.
        case system
    }

    /// What may be done.
    public struct Permissions: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// New resources: `c`.
        public static let create = Permissions(rawValue: 1)
        /// Reading one by its id, and its versions: `r`.
        public static let read = Permissions(rawValue: 2)
        /// New versions: `u`.
        public static let update = Permissions(rawValue: 4)
        /// Deleting: `d`.
        public static let delete = Permissions(rawValue: 8)
        /// Searching, and the history of a type: `s`.
        public static let search = Permissions(rawValue: 16)

        /// Reading and searching: version 1's `read`.
        public static let reading: Permissions = [.read, .search]
        /// Creating, updating and deleting: version 1's `write`.
        public static let writing: Permissions = [.create, .update, .delete]
        /// All: version 1's `*`.
        public static let all: Permissions = [.reading, .writing]

        fileprivate static let letters: [(Character, Permissions)] = [
            ("c", .create), ("r", .read), ("u", .update), ("d", .delete), ("s", .search),
        ]
    }

    /// How it is written.
    public enum Version: Sendable, Hashable {
        /// `patient/Observation.read`.
        case v1
        /// `patient/Observation.rs`.
        case v2
    }

    /// A search parameter that the resources match.
    public struct Condition: Sendable, Hashable {
        /// The parameter, with a modifier where there is one.
        public var name: String
        public var value: String

        /// A parameter and its value, not escaped.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Whose resources they are.
    public var level: Level
    /// The type of the resources, or `*`.
    public var type: String
    /// What may be done.
    public var permissions: Permissions
    /// What the resources match, all of it; version 2 only.
    public var conditions: [Condition]
    /// How it is written. Version 1 has only ``Permissions/reading``, ``Permissions/writing`` and
    /// ``Permissions/all``; others are written as version 2.
    public var version: Version

    /// A scope of resources.
    public init(
        _ level: Level,
        _ type: String,
        _ permissions: Permissions,
        where condition: [(String, String)] = [],
        version: Version = .v2
    ) {
        self.level = level
        self.type = type
        self.permissions = permissions
        conditions = condition.map { Condition(name: $0.0, value: $0.1) }
        self.version = version
    }

    /// Reads a scope of version 1 or 2; `nil` for what is neither.
    public init?(_ text: String) {
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = halves[0].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let level = Level(rawValue: String(parts[0])) else { return nil }
        let names = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard names.count == 2, names[0] == "*" || Self.isType(names[0]) else { return nil }
        let permissions: Permissions
        switch names[1] {
        case "read": permissions = .reading
        case "write": permissions = .writing
        case "*": permissions = .all
        default:
            guard let read = Self.permissions(names[1]) else { return nil }
            permissions = read
        }
        let isV1 = ["read", "write", "*"].contains(names[1])
        let condition = halves.count == 2 ? FormParameters(decoding: String(halves[1])) : FormParameters()
        // Version 1 has no conditions, and one that is empty would match everything.
        guard halves.count == 1 || !isV1 && !condition.isEmpty && condition.allSatisfy({ !$0.value.isEmpty })
        else { return nil }
        self.init(
            level,
            String(names[0]),
            permissions,
            where: condition.map { ($0.name, $0.value) },
            version: isV1 ? .v1 : .v2
        )
    }

    public var description: String {
        let word: String? =
            switch permissions {
            case .reading: "read"
            case .writing: "write"
            case .all: "*"
            default: nil
            }
        let letters = Permissions.letters.filter { permissions.contains($0.1) }.map { String($0.0) }.joined()
        let rights = version == .v1 && conditions.isEmpty ? word ?? letters : letters
        // Blanks would end the scope.
        let condition = conditions.map {
            PercentEncoding.encode($0.name, keeping: ":") + "="
                + PercentEncoding.encode($0.value, keeping: ":/,|")
        }
        return "\(level.rawValue)/\(type).\(rights)"
            + (condition.isEmpty ? "" : "?" + condition.joined(separator: "&"))
    }

    private static func isType(_ text: Substring) -> Bool {
        (1...64).contains(text.utf8.count) && text.first?.isUppercase == true
            && text.utf8.allSatisfy(\.isASCIILetter)
    }

    /// Letters of `cruds` in this order, each once.
    private static func permissions(_ letters: Substring) -> Permissions? {
        var result: Permissions = []
        var rest = letters[...]
        for (letter, permission) in Permissions.letters where rest.first == letter {
            result.insert(permission)
            rest = rest.dropFirst()
        }
        return rest.isEmpty && !result.isEmpty ? result : nil
    }

    /// Whether it allows all that another asks for.
    public func covers(_ other: ResourceScope) -> Bool {
        level == other.level && (type == "*" || type == other.type)
            && permissions.isSuperset(of: other.permissions)
            && conditions.allSatisfy(other.conditions.contains)
    }
}

/// Versions of code systems and value sets.
enum VersionPattern {
    /// Whether a version is the one that is asked for: the same, or one that `x` or `*` stands for in `1.x`.
    static func matches(_ version: String?, _ asked: String?) -> Bool {
        guard let asked else { return true }
        guard let version, version != asked else { return version == asked }
        let wanted = asked.split(separator: ".", omittingEmptySubsequences: false)
        let found = version.split(separator: ".", omittingEmptySubsequences: false)
        let isWild = { (part: Substring) in part == "x" || part == "X" || part == "*" }
        guard wanted.contains(where: isWild) else { return false }
        guard wanted.count == found.count || wanted.last.map(isWild) == true && wanted.count < found.count
        else {
            return false
        }
        return zip(wanted, found).allSatisfy { isWild($0) || $0 == $1 }
    }

    /// Whether a version is older: by its numbers, and by text where there are none.
    static func precedes(_ a: String?, _ b: String?) -> Bool {
        let first = (a ?? "").split(separator: ".", omittingEmptySubsequences: false)
        let second = (b ?? "").split(separator: ".", omittingEmptySubsequences: false)
        for (x, y) in zip(first, second) where x != y {
            guard let x = Int(x), let y = Int(y) else { return x < y }
            return x < y
        }
        return first.count < second.count
    }
}

/// Which versions of code systems count, by their URLs (FHIR R4, `$expand`: `system-version`,
/// `check-system-version`, `force-system-version`).
public struct CodeSystemVersions: Sendable, Hashable {
    /// Where a value set names none.
    public var defaults: [String: String] = [:]
    /// What must be found, else it is an error.
    public var checked: [String: String] = [:]
    /// Whatever a value set names.
    public var forced: [String: String] = [:]

    /// As the value sets say.
    public init() {}
}

extension Terminology {
    /// The code system that a part of a value set means.
    func codeSystem(
        _ system: String,
        version: String?,
        _ versions: CodeSystemVersions
    ) throws(TerminologyError) -> CodeSystemContent? {
        let wanted =
            versions.forced[system] ?? version ?? versions.defaults[system] ?? versions.checked[system]
        let content = try codeSystem(wanted.map { "\(system)|\($0)" } ?? system)
        if let asked = versions.checked[system], let content, !VersionPattern.matches(content.version, asked)
        {
            throw .otherVersion(url: system, asked: asked, found: content.version)
        }
        return content
    }
}

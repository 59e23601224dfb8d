import FHIR
import OrderedJSON

/// Something that is wrong with a resource, or worth a remark.
///
/// An issue names elements, rules and value sets. It never quotes a value, which may be part of a health
/// record.
public struct ValidationIssue: Sendable, Hashable, CustomStringConvertible {
    /// How much it matters: `fatal` stops validation, `error` makes the resource invalid, `warning` and
    /// `information` do not.
    public let severity: IssueSeverity
    /// What kind of issue it is.
    public let code: IssueType
    /// The element, in FHIRPath: `Observation.component[1].code`. Of a missing element the one that lacks it.
    public let expression: String
    /// Line and column in the text that the resource was parsed from; `nil` when it was made or changed.
    public internal(set) var location: JSONLocation?
    /// The key of the rule (invariant) that is broken, such as `obs-6`; `nil` for other issues.
    public let rule: String?
    /// What is wrong, as a sentence without a full stop.
    public let text: String
}

extension ValidationIssue {
    /// An issue of a check that somebody adds, about the whole of what was checked.
    public init(severity: IssueSeverity, code: IssueType, text: String) {
        self.init(severity: severity, code: code, expression: "", location: nil, rule: nil, text: text)
    }

    /// `LINE:COLUMN: SEVERITY: EXPRESSION: TEXT`, with as much as is known.
    public var description: String {
        (location.map { "\($0): " } ?? "") + "\(severity): \(expression): \(text)"
    }

    /// Whether it makes the resource invalid.
    public var isError: Bool { severity.isError }
}

extension IssueSeverity {
    /// Whether an issue of it makes the resource invalid.
    var isError: Bool {
        switch self {
        case .error, .fatal: true
        default: false
        }
    }
}

extension ValidationIssue {
    static let relativeExtension = "the URL of an extension is absolute"
    static let relativeSystem = "the system of a coding is an absolute URI"

    /// Whether it is no more than that the URL of an extension or the system of a coding is relative: local
    /// codes are often written so, and servers take them.
    package var isOnlyRelativeURL: Bool {
        code == .value && (text == Self.relativeExtension || text == Self.relativeSystem)
    }
}

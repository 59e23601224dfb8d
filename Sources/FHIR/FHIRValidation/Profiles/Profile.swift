import FHIR
import FHIRPathEngine
import FHIRTables
import OrderedJSON

/// A profile, ready to be applied: what it and the profiles that it is derived from ask beyond the type.
///
/// The elements are nodes of a tree that name each other by index. Elements that nothing is said about have
/// no node.
// Sendable, because only the reader changes it, before it gives it to anybody else. For the same reason the
// variables that are read for each value are not watched for changes during reading, which takes time.
package final class Profile: @unchecked Sendable {
    package typealias Index = Int

    /// The canonical URL, without a version.
    package let url: String
    /// The name of the type that is constrained: `Observation`, `Extension`.
    package let type: String
    /// What an extension may be used in; empty for other types.
    var contexts: [ExtensionContext] = []
    var isModifier = false
    /// The canonical URLs of other profiles that must hold too.
    var imposed: [String] = []
    /// What is wrong with its definition.
    package var problems: [Problem] = []
    /// The element itself first.
    @exclusivity(unchecked) package var nodes: [ProfileNode]
    /// The nodes that are not slices, by path: `Observation.component`.
    @exclusivity(unchecked) var nodesByPath: [String: Index]

    init(url: String, type: String, nodes: [ProfileNode], nodesByPath: [String: Index]) {
        self.url = url
        self.type = type
        self.nodes = nodes
        self.nodesByPath = nodesByPath
    }

    /// Something that is wrong with a definition.
    package struct Problem: Sendable, Hashable {
        /// The index in the differential; nil for the whole.
        let element: Int?
        package var severity = IssueSeverity.error
        package let text: String
    }

    /// The URL that an extension fixes for one of its parts or itself.
    func fixedURL(of node: Index) -> String? {
        let url = nodes[node].children.first { nodes[$0].name == "url" }
        return url.flatMap { nodes[$0].fixed?.string }
    }
}

/// Where an extension may be used (StructureDefinition.context).
struct ExtensionContext: Sendable, Hashable {
    /// `element`, `extension` or `fhirpath`.
    let type: String
    let expression: String
}

/// What a profile says of an element, or of a slice of it. What is nil or empty it leaves as it is.
///
/// A class, because a node has a dozen references, and checking asks for nodes all the time.
// Sendable, because only the reader changes a node, before its profile is given to anybody else; the profile
// that is derived from another has copies of the other's nodes.
package final class ProfileNode: @unchecked Sendable {
    /// The name; of a choice without `[x]`. Of the element itself the type.
    package let name: String
    /// The path, with the names of slices: `Observation.component:systolic.code`.
    package let id: String
    package let sliceName: String?
    /// The profile that said the last about it.
    @exclusivity(unchecked) var source: String
    @exclusivity(unchecked) package var minimum: Int?
    /// `Int.max` for any number.
    @exclusivity(unchecked) package var maximum: Int?
    @exclusivity(unchecked) package var types: [ProfileType] = []
    package var fixed: JSONValue?
    package var pattern: JSONValue?
    @exclusivity(unchecked) var binding: ProfileBinding?
    @exclusivity(unchecked) var rules: [ProfileRule] = []
    var maximumLength: Int?
    var minimumLength: Int?
    var minimumValue: JSONValue?
    var maximumValue: JSONValue?
    /// Whether who makes the resource must be able to fill it, and who reads it to read it.
    package var isMustSupport = false
    /// Whether a primitive must have a value, and not only extensions.
    var mustHaveValue = false
    /// The extensions one of which must be there where a primitive has no value.
    var valueAlternatives: [String] = []
    var narrative = NarrativeControl()
    @exclusivity(unchecked) package var slicing: ProfileSlicing?
    @exclusivity(unchecked) package var slices: [Profile.Index] = []
    @exclusivity(unchecked) package var children: [Profile.Index] = []
    /// The types of R4 that it can be of, where they are known.
    @exclusivity(unchecked) package var definedTypes: [Int] = []
    /// Whether something is asked of a value itself.
    @exclusivity(unchecked) var asksForValue = true
    /// Whether nothing is asked of what has no values.
    @exclusivity(unchecked) var mayBeAbsent = false
    /// Where the element is in the type that it is an element of.
    @exclusivity(unchecked) var place: Place?
    /// The path whose definition it has.
    var contentReference: String?

    struct Place {
        let type: Int
        let element: Int
        let isChoice: Bool
        let isPrimitive: Bool
    }

    init(name: String, id: String, sliceName: String?, source: String) {
        self.name = name
        self.id = id
        self.sliceName = sliceName
        self.source = source
    }

    /// The same, to be changed.
    func copy() -> ProfileNode {
        let copy = ProfileNode(name: name, id: id, sliceName: sliceName, source: source)
        copy.minimum = minimum
        copy.maximum = maximum
        copy.types = types
        copy.fixed = fixed
        copy.pattern = pattern
        copy.binding = binding
        copy.rules = rules
        copy.maximumLength = maximumLength
        copy.minimumLength = minimumLength
        copy.minimumValue = minimumValue
        copy.maximumValue = maximumValue
        copy.isMustSupport = isMustSupport
        copy.mustHaveValue = mustHaveValue
        copy.valueAlternatives = valueAlternatives
        copy.narrative = narrative
        copy.slicing = slicing
        copy.slices = slices
        copy.children = children
        copy.definedTypes = definedTypes
        copy.contentReference = contentReference
        return copy
    }
}

/// One of the types that an element may have.
package struct ProfileType: Sendable, Hashable {
    package let code: String
    package var profiles: [String] = []
    package var targets: [String] = []
    /// `contained`, `bundled`, `referenced`; empty for any.
    var aggregation: [String] = []

    /// Whether it names nothing but the type.
    var isPlain: Bool { profiles.isEmpty && targets.isEmpty && aggregation.isEmpty }
}

struct ProfileBinding: Sendable, Hashable {
    let strength: Binding.Strength
    let valueSet: String
    let maximum: String?
}

/// A rule that a profile adds.
final class ProfileRule: Sendable {
    let key: String
    let severity: IssueSeverity
    let text: String
    let expression: String
    /// Nil for an expression that cannot be read.
    let path: FHIRPath?
    let source: String
    /// What is known of the result before the expression is evaluated.
    private let structure: StructuralCheck
    /// Whether it asks that a dateTime is precise to the day, as rules of many guides do.
    private let asksForDay: Bool

    init(
        key: String,
        severity: IssueSeverity,
        text: String,
        expression: String,
        path: FHIRPath?,
        source: String
    ) {
        self.key = key
        self.severity = severity
        self.text = text
        self.expression = expression
        self.path = path
        self.source = source
        structure = path.map { StructuralCheck($0.syntax, of: nil) } ?? .known(.unknown)
        asksForDay = expression == "($this as dateTime).toString().length() >= 8"
    }

    /// Whether it certainly holds, and needs no evaluation.
    func isProven(for json: ParsedNode, of type: DefinedType) -> Bool {
        switch json.kind {
        case .object: structure.knowledge(of: 0, in: (json, type)) == .isTrue
        case .string:
            asksForDay && type.name == "dateTime"
                && json.withUTF8 { $0.count >= 8 && TextScan.dateTime($0) } == true
        default: false
        }
    }
}

/// How the values of an element are told apart.
package struct ProfileSlicing: Sendable {
    package enum Rules: String, Sendable {
        case open, closed, openAtEnd
    }

    package enum Kind: String, Sendable {
        case value, pattern, exists, type, profile, position
    }

    package struct Discriminator: Sendable {
        package let kind: Kind
        package let path: [DiscriminatorStep]
    }

    package var discriminators: [Discriminator]
    package var rules: Rules
    var isOrdered: Bool
}

/// A step of a discriminator's path, which is a restricted FHIRPath.
package enum DiscriminatorStep: Sendable, Hashable {
    case element(String)
    case resolve
    case ofType(String)
    case `extension`(String)

    /// The steps of a path; nil for a path that cannot be a discriminator.
    static func steps(_ path: String) -> [DiscriminatorStep]? {
        var steps: [DiscriminatorStep] = []
        for part in parts(path) where part != "$this" {
            let open = part.firstIndex(of: "(")
            let name = String(part[..<(open ?? part.endIndex)])
            let argument = open.map { String(part[part.index(after: $0)...].dropLast()) } ?? ""
            let plain = argument.trimmingQuotes
            switch (name, open != nil) {
            case ("resolve", true): steps.append(.resolve)
            case ("ofType", true), ("as", true): steps.append(.ofType(plain))
            case ("extension", true): steps.append(.extension(plain))
            case (_, false):
                let bare = name.hasSuffix("[x]") ? String(name.dropLast(3)) : name
                guard !bare.isEmpty else { return nil }
                steps.append(.element(bare))
            default: return nil
            }
        }
        return steps
    }

    /// The parts between points that are in no parentheses.
    private static func parts(_ path: String) -> [Substring] {
        var parts: [Substring] = []
        var depth = 0
        var start = path.startIndex
        for index in path.indices {
            switch path[index] {
            case "(": depth += 1
            case ")": depth -= 1
            case "." where depth == 0:
                parts.append(path[start..<index])
                start = path.index(after: index)
            default: break
            }
        }
        return parts + [path[start...]]
    }
}

extension String {
    /// The text without the quotes around it.
    fileprivate var trimmingQuotes: String {
        let quotes: Set<Character> = ["'", "\"", "`"]
        guard count > 1, let first, quotes.contains(first), last == first else { return self }
        return String(dropFirst().dropLast())
    }
}

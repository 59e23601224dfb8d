import FHIR
import FHIRPathEngine
import OrderedJSON

/// One validation: a walk through the tree, with the tables beside it.
struct Validation {
    let options: ValidationOptions
    let plan = ValidationPlan.r4
    var path = ElementPath()
    var scope: ValidationScope
    private(set) var collector: IssueCollector
    private var steps = 0
    private var depth = 0
    /// Whether validation has ended early; nothing is visited any more.
    private(set) var isStopped = false
    /// Whether rules are decided by structure and shortcuts where they can be; only a test does without.
    var usesStructure = true
    /// The objects that are being validated, the outermost first.
    var owners: [ParsedNode] = []
    /// The number of errors in what is only tried; nil where issues are kept.
    var silent: Int?
    /// What profiles are being applied to.
    var visits: Set<ProfileVisit> = []
    /// Whether resources that are referred to conform to profiles: many references are to the same patient.
    var conformances: [ProfileVisit: Bool] = [:]
    /// How often something was taken to conform because it is being checked.
    var assumptions = 0
    /// Whether codes are in value sets, where that was asked: a bundle has the same codes many times.
    var memberships: [Membership: Bool?] = [:]
    /// What need not be checked again in the same Bundle.
    var found = FoundValues()
    /// The object that was validated last, and its elements.
    var lastObject: (node: Int, elements: TypePlan.Elements)?
    /// How often something was reported, or a question was asked whose answer lies outside of a value:
    /// between two equal counts, everything followed from the text alone.
    var externalDependencyCount = 0
    /// The texts of issues about too few values.
    var missingTexts: [MissingValues: String] = [:]
    /// Profiles and value sets that are not known, each reported once.
    var unknownProfiles: Set<String> = []
    var uncheckedValueSets: Set<String> = []
    /// What rules can ask for; only the resource changes.
    var context = FHIRPathContext()

    /// How deep rules may ask with `conformsTo()` for profiles whose rules ask again.
    private static let maximumLevel = 8

    /// - Parameter level: How many rules with `conformsTo()` enclose this validation.
    init(_ options: ValidationOptions, level: Int = 0) {
        self.options = options
        collector = IssueCollector(limit: max(1, options.maximumIssues))
        scope = ValidationScope(root: nil, local: LocalReferences(nil))
        let definitions = options.definitions
        context.conformsTo = { profile, json in
            guard level < Self.maximumLevel else { return nil }
            var inner = options
            inner.profiles = []
            inner.maximumSteps = max(1, options.maximumSteps / 4)
            return Validation.conforms(json, to: profile, in: definitions, inner, level: level + 1)
        }
        if context.memberOf == nil {
            context.memberOf = { valueSet, system, code in
                switch options.membership(of: code, system: system, in: valueSet) {
                case .valid: true
                case .invalid: false
                case .notChecked: nil
                }
            }
        }
    }

    mutating func issues(of value: JSONValue) -> [ValidationIssue] {
        let parsed: JSONValue
        do throws(JSONError) {
            parsed = try value.parsedNode == nil ? JSONValue(parsing: value.utf8(), limits: limits) : value
        } catch {
            report(.fatal, .tooCostly, "not validated: \(error.reason)", at: nil)
            return collector.issues(of: value)
        }
        // The nodes are of its text.
        return withExtendedLifetime(parsed) {
            if let node = parsed.parsedNode { validate(node) }
            return collector.issues(of: value)
        }
    }

    /// What is read of JSON that was made or changed, and is parsed to be validated.
    private var limits: JSONLimits {
        var limits = JSONLimits()
        limits.depth = max(limits.depth, options.maximumDepth)
        return limits
    }

    private mutating func validate(_ json: ParsedNode) {
        if json.kind == .object, let name = json.resourceType {
            path.root = plan.isResource(name) ? name : "Resource"
            resource(json, as: name, containedIndex: nil, asked: options.profiles)
        } else {
            report(.fatal, .structure, "not a resource: there is no object with a resourceType", at: json)
        }
    }

    // MARK: Issues

    /// Adds an issue about the element that the path leads to.
    ///
    /// - Parameters:
    ///   - child: The child of the element that it is about, if it is that.
    ///   - anchor: Where it is in the text.
    mutating func report(
        _ severity: IssueSeverity,
        _ code: IssueType,
        _ text: String,
        rule: String? = nil,
        child: String? = nil,
        at anchor: ParsedNode?
    ) {
        externalDependencyCount += 1
        if silent != nil {
            if severity.isError { silent? += 1 }
            return
        }
        guard !isStopped, collector.count(severity) else { return }
        let expression = path.expression + (child.map { ".\($0)" } ?? "")
        collector.keep(
            ValidationIssue(
                severity: severity,
                code: code,
                expression: expression,
                location: nil,
                rule: rule,
                text: text
            ),
            at: anchor
        )
        if collector.isFull {
            stop(.tooCostly, "validation stopped after \(options.maximumIssues) errors", at: anchor)
        }
    }

    private mutating func stop(_ code: IssueType, _ text: String, at anchor: ParsedNode?) {
        guard !isStopped else { return }
        isStopped = true
        collector.keep(
            ValidationIssue(
                severity: .fatal,
                code: code,
                expression: path.expression,
                location: nil,
                rule: nil,
                text: text
            ),
            at: anchor
        )
    }

    // MARK: Bounds

    /// Counts what was visited.
    ///
    /// - Returns: Whether to continue.
    mutating func spend(_ count: Int = 1, at value: ParsedNode) -> Bool {
        if isStopped { return false }
        let before = steps
        steps += count
        if steps > options.maximumSteps {
            stop(
                .tooCostly,
                "validation stopped: it takes more than \(options.maximumSteps) steps",
                at: value
            )
        } else if before >> 12 != steps >> 12, Task.isCancelled {
            stop(.incomplete, "validation was cancelled", at: value)
        }
        return !isStopped
    }

    var remainingSteps: Int { options.maximumSteps - steps }

    /// Calls `body` one level deeper, unless that is too deep.
    mutating func descend(at value: ParsedNode, _ body: (inout Validation) -> Void) {
        guard depth < options.maximumDepth else {
            stop(
                .tooCostly,
                "validation stopped: nested deeper than \(options.maximumDepth) elements",
                at: value
            )
            return
        }
        depth += 1
        body(&self)
        depth -= 1
    }

    /// What `body` finds in a value, or found earlier in a value with the same text under the same
    /// definition.
    @discardableResult
    mutating func once(
        _ value: ParsedNode,
        by definition: AnyObject,
        _ body: (inout Validation) -> Bool
    ) -> Bool {
        guard scope.bundle != nil, let key = FoundValues.key(value, definition) else { return body(&self) }
        if let found = found.found(key, at: depth), found.steps <= remainingSteps {
            _ = spend(found.steps, at: value)
            return found.outcome
        }
        let before = (externalDependencyCount, steps)
        let outcome = body(&self)
        if externalDependencyCount == before.0, !isStopped {
            found.insert(key, outcome, steps: steps - before.1, depth: depth)
        }
        return outcome
    }

    // MARK: Profiles

    /// Whether an element conforms to a profile, for `conformsTo()`; nil where the profile is not known, or
    /// that takes too many steps.
    private static func conforms(
        _ json: JSONValue,
        to url: String,
        in definitions: FHIRDefinitions,
        _ options: ValidationOptions,
        level: Int
    ) -> Bool? {
        guard let profile = definitions.profile(url), let node = json.parsedNode,
            let focus = ProfileFocus(resource: node)
        else { return nil }
        return withExtendedLifetime(json) {
            var validation = Validation(options, level: level)
            validation.scope = validation.scope.entering(node)
            let conforms = validation.conforms(focus, to: profile)
            return validation.isStopped ? nil : conforms
        }
    }
}

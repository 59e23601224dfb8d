import OrderedJSON

/// One validation: a walk through the tree, with the tables beside it.
struct Validation {
    let options: ValidationOptions
    let plan = ValidationPlan.r4
    var path = ElementPath()
    var scope: ResourceScope
    private(set) var collector: IssueCollector
    private var steps = 0
    private var depth = 0
    /// Whether validation has ended early; nothing is visited any more.
    private(set) var isStopped = false
    /// Whether rules are decided by structure and shortcuts where they can be; only a test does without.
    var usesStructure = true
    /// The types that were met and are checked in part; each is reported once.
    var partialTypes: Set<String> = []
    /// What rules can ask for; only the resource changes.
    var context = FHIRPathContext()

    init(_ options: ValidationOptions) {
        self.options = options
        collector = IssueCollector(limit: max(1, options.maximumIssues))
        scope = ResourceScope(root: nil, local: LocalReferences(nil), bundle: nil, containedIndex: nil)
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
            resource(json, as: name, containedIndex: nil)
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
}

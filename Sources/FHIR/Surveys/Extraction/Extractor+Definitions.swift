import FHIR
import FHIRTables
import OrderedJSON

/// A resource that is being made by definitions, as an item sees it: with its open instances of elements.
struct DefinitionTarget {
    /// What all items of a scope share.
    final class Resource {
        let type: DefinedType
        let canonical: String
        let root: ElementNode
        let request: ExtractionPlan.Request
        let base: JSONValue?
        let item: Int
        let order: Int
        /// The items whose answers are in it.
        var placed: Set<Int> = []
        /// Whether a value could not be set.
        var isComplete = true

        init(
            _ type: DefinedType,
            canonical: String,
            request: ExtractionPlan.Request,
            base: JSONValue?,
            item: Int,
            order: Int
        ) {
            self.type = type
            self.canonical = canonical
            self.request = request
            self.base = base
            self.item = item
            self.order = order
            root = ElementNode(type)
        }

        /// Whether a definition is of this resource.
        func isMeant(by path: DefinitionPath) -> Bool {
            path.canonical == canonical || path.root == type.name
        }
    }

    /// The instances of repeating elements that values go to, by path.
    final class Instances {
        var nodes: [String: ElementNode] = [:]

        init(_ nodes: [String: ElementNode] = [:]) { self.nodes = nodes }
    }

    let resource: Resource
    /// Shared by the items of a group that has no instance of its own.
    var instances = Instances()
    /// The instances of the enclosing groups.
    var fixed: [String: ElementNode] = [:]
    /// The element of the innermost group. Paths that begin with its type start there.
    var group: (path: [String], type: DefinedType)?

    init(_ resource: Resource) { self.resource = resource }

    /// The target inside a group. A group for a repeating element makes a new instance of it. In a group that
    /// repeats, nothing goes to the instances of the repetition before.
    func entering(_ item: SurveyItem) -> DefinitionTarget {
        var target = self
        if let path = item.definition.flatMap(DefinitionPath.init), let names = names(of: path),
            !names.isEmpty,
            let steps = DefinitionPath.steps(names, from: resource.type), let type = steps.last?.type
        {
            let key = names.joined(separator: ".")
            target.group = (names, Definitions.r4.types[type.id])
            target.fixed = fixed.filter { !$0.key.hasPrefix(key + ".") && $0.key != key }
            if steps.last?.element.isList == true {
                target.fixed[key] = ElementNode(Definitions.r4.types[type.id])
            }
            target.instances = Instances(target.fixed)
        } else if item.repeats {
            target.instances = Instances(fixed)
        }
        return target
    }

    /// The names from the resource to what a definition means; nil where it means something else.
    func names(of path: DefinitionPath) -> [String]? {
        if resource.isMeant(by: path) { return path.names }
        if let group, group.type.name == path.root { return group.path + path.names }
        return nil
    }
}

/// Extraction by the definitions of elements.
extension Extractor {
    /// Begins a resource; nil where that is not possible.
    mutating func open(_ definition: ExtractionPlan.Definition, _ scope: Scope) throws(ExtractionStop)
        -> DefinitionTarget?
    {
        var base: JSONValue?
        var canonical = ""
        switch definition.source {
        case .new(let text): canonical = String(text.prefix { $0 != "|" })
        case .query(let text):
            let type = String(text.prefix { $0 != "?" })
            let found = context.resources.values.joined().filter {
                $0.member("resourceType")?.isString(equalTo: type) == true
            }
            guard found.count == 1 else {
                report(
                    .error,
                    "resourceNotGiven",
                    "The resource that is updated is the result of a query (\(text.prefix(100))); "
                        + "give the one \(type) that it finds as a launch context.",
                    scope.item
                )
                return nil
            }
            base = found[0]
            canonical = type
        case .expression(let text):
            guard let found = try evaluate(text, on: [scope.focus], scope) else { return nil }
            guard found.count == 1, let type = found[0].json.resourceType else {
                report(
                    .error,
                    "resourceNotGiven",
                    "The expression for the resource that is updated gives none, or several.",
                    scope.item
                )
                return nil
            }
            base = found[0].json
            canonical = type
        }
        guard let type = typeName(of: canonical).flatMap({ Definitions.r4.type(named: $0) }),
            type.kind == .resource
        else {
            report(
                .error,
                "unknownProfile",
                "It is not known which type of resource “\(canonical.prefix(200))” is; it is not extracted.",
                scope.item
            )
            return nil
        }
        begun += 1
        return DefinitionTarget(
            .init(
                type,
                canonical: canonical,
                request: definition.request,
                base: base,
                item: scope.item,
                order: begun
            )
        )
    }

    /// The type of a profile: the end of its URL, or what the definitions that name it begin with.
    private func typeName(of canonical: String) -> String? {
        let end = canonical.split(separator: "/").last.map(String.init) ?? canonical
        return Definitions.r4.type(named: end)?.kind == .resource ? end : profiles[canonical]
    }

    /// Ends a resource.
    mutating func close(_ target: DefinitionTarget, _ scope: Scope) throws(ExtractionStop) {
        let resource = target.resource
        guard let json = resource.root.json() else {
            // Where nothing was answered there is no resource.
            if scope.item < 0 || resource.base != nil {
                report(
                    .information,
                    "emptyResource",
                    "Nothing was answered for the \(resource.type.name); it is not extracted.",
                    scope.item
                )
            }
            return
        }
        var members = [JSONMember(name: "resourceType", value: JSONValue(resource.type.name))]
        if resource.canonical.contains("/"),
            !resource.canonical.hasPrefix("http://hl7.org/fhir/StructureDefinition/")
        {
            members.append(JSONMember(name: "meta", value: ["profile": [JSONValue(resource.canonical)]]))
        }
        members += json.members.map(Array.init) ?? []
        isComplete = resource.isComplete
        if isComplete, json.member("id") != nil || resource.request["resourceId"] != nil {
            // An update without answers to all of its items would erase what those are for.
            let items = items(under: scope.item)
            try spend(steps: items.count)
            isComplete = items.allSatisfy { index in
                guard survey.items[index].isQuestion,
                    let path = survey.items[index].definition.flatMap(DefinitionPath.init),
                    resource.isMeant(by: path)
                else { return true }
                return resource.placed.contains(index)
            }
        }
        try add(
            JSONValue(members: members),
            request: resource.request,
            base: resource.base,
            order: resource.order,
            scope
        )
    }

    /// The items under one, itself included: they follow it.
    private func items(under item: Int) -> Range<Int> {
        guard item >= 0 else { return survey.items.indices }
        var last = item
        while let child = survey.items[last].children.last { last = child }
        return item..<last + 1
    }

    // MARK: Values

    /// A value and where it goes.
    fileprivate struct Placement {
        let names: [String]
        let steps: [DefinitionPath.Step]
        let values: [ElementValue]
        let isAnswer: Bool
    }

    /// Sets the answers and the other values of an item in the resources that they are for.
    mutating func place(_ plan: ExtractionPlan, _ scope: Scope) throws(ExtractionStop) {
        guard !scope.targets.isEmpty else {
            if !plan.values.isEmpty {
                report(
                    .warning,
                    "noResource",
                    "There is a value for a resource, and no resource is being made.",
                    scope.item
                )
            }
            return
        }
        var found: [(target: Int, placement: Placement)] = []
        func add(_ text: String, _ values: [ElementValue], isAnswer: Bool) {
            guard !values.isEmpty else { return }
            guard let path = DefinitionPath(text) else {
                return report(
                    .warning,
                    "malformedDefinition",
                    "The definition “\(text.prefix(200))” names no element.",
                    scope.item
                )
            }
            // The innermost resource that is meant.
            guard let index = scope.targets.lastIndex(where: { $0.names(of: path) != nil }),
                let names = scope.targets[index].names(of: path)
            else {
                if !isAnswer {
                    report(
                        .warning,
                        "noResource",
                        "The definition “\(text.prefix(200))” is of no resource that is being made.",
                        scope.item
                    )
                }
                return
            }
            guard let steps = DefinitionPath.steps(names, from: scope.targets[index].resource.type),
                !steps.isEmpty
            else {
                scope.targets[index].resource.isComplete = false
                return report(
                    .error,
                    "unknownElement",
                    "The definition “\(text.prefix(200))” names an element that "
                        + "\(scope.targets[index].resource.type.name) does not have.",
                    scope.item
                )
            }
            found.append((index, Placement(names: names, steps: steps, values: values, isAnswer: isAnswer)))
        }
        if scope.item >= 0, survey.items[scope.item].isQuestion,
            let definition = survey.items[scope.item].definition
        {
            let unit = survey.items[scope.item].format.units.first
            let values = scope.json.elements(of: "answer").compactMap { answer in
                answer.valueMember.map {
                    ElementValue($0.value, suffix: String($0.name.dropFirst(5)), unit: unit)
                }
            }
            add(definition, values, isAnswer: true)
        }
        for value in plan.values {
            switch value.source {
            case .fixed(let json, let suffix):
                add(value.definition, [ElementValue(json, suffix: suffix)], isAnswer: false)
            case .expression(let text):
                guard let result = try evaluate(text, on: [scope.focus], scope) else {
                    for target in scope.targets { target.resource.isComplete = false }
                    continue
                }
                add(value.definition, result.map { ElementValue($0) }, isAnswer: false)
            }
        }
        for index in scope.targets.indices {
            try place(found.filter { $0.target == index }.map(\.placement), in: scope.targets[index], scope)
        }
    }

    /// Sets values that belong together: they share an instance of each repeating element. A value that
    /// another item has set there is not overwritten; then they get a new instance.
    private mutating func place(_ placements: [Placement], in target: DefinitionTarget, _ scope: Scope)
        throws(ExtractionStop)
    {
        var own: [String: ElementNode] = [:]
        for placement in placements {
            var node = target.resource.root
            var key = ""
            var isPossible = true
            for (depth, step) in placement.steps.dropLast().enumerated() {
                key += (depth == 0 ? "" : ".") + placement.names[depth]
                guard let type = step.type else {
                    report(
                        .error,
                        "unknownElement",
                        "The definition does not say of which type \(step.element.path) is.",
                        scope.item
                    )
                    isPossible = false
                    break
                }
                if let known = own[key] {
                    node = known
                    continue
                }
                var next = step.element.isList ? target.instances.nodes[key] : nil
                if !step.element.isList, case .node(let existing)? = node.member(step.element)?.values.first,
                    node.member(step.element)?.type.id == type.id
                {
                    next = existing
                }
                let isFixed = target.fixed[key] != nil
                if step.element.isList, !isFixed, let candidate = next,
                    placements.contains(where: {
                        $0.isUnder(key, depth) && candidate.isTaken(by: $0, after: depth)
                    })
                {
                    next = nil
                }
                let chosen = next ?? ElementNode(Definitions.r4.types[type.id])
                if !chosen.isAttached {
                    try budget.spend(bytes: step.element.name.utf8.count)
                    if let problem = node.add(.node(chosen), of: step.element, type: type) {
                        reportConflict(problem, target, scope)
                        isPossible = false
                        break
                    }
                }
                if step.element.isList {
                    own[key] = chosen
                    target.instances.nodes[key] = chosen
                }
                node = chosen
            }
            if isPossible, let step = placement.steps.last {
                try set(placement, step, in: node, target, scope)
            }
        }
    }

    private mutating func set(
        _ placement: Placement,
        _ step: DefinitionPath.Step,
        in node: ElementNode,
        _ target: DefinitionTarget,
        _ scope: Scope
    ) throws(ExtractionStop) {
        for value in placement.values {
            guard let type = step.type ?? value.choice(of: step.element),
                let json = value.converted(to: Definitions.r4.types[type.id], binding: step.element.binding)
            else {
                let wanted =
                    step.type?.code ?? step.element.types.map(\.code).prefix(5).joined(separator: ", ")
                report(
                    .error,
                    "wrongType",
                    """
                    A value of the type \(value.type) is not a \(wanted), which \(step.element.path) has; \
                    it is left out.
                    """,
                    scope.item
                )
                target.resource.isComplete = false
                continue
            }
            try budget.spend(json)
            try budget.spend(bytes: step.element.name.utf8.count)
            if let problem = node.add(.json(json), of: step.element, type: type) {
                reportConflict(problem, target, scope)
            } else if placement.isAnswer {
                target.resource.placed.insert(scope.item)
            }
        }
    }

    private mutating func reportConflict(_ problem: String, _ target: DefinitionTarget, _ scope: Scope) {
        target.resource.isComplete = false
        report(.error, "conflictingValues", "\(problem); the later one is left out.", scope.item)
    }
}

extension Extractor.Placement {
    /// Whether the value goes into an instance of the repeating element.
    fileprivate func isUnder(_ key: String, _ depth: Int) -> Bool {
        names.count > depth + 1 && names[...depth].joined(separator: ".") == key
    }
}

extension ElementNode {
    /// Whether the node has a value already where this one goes, and can have only one.
    fileprivate func isTaken(by placement: Extractor.Placement, after depth: Int) -> Bool {
        var node = self
        for step in placement.steps[(depth + 1)...].dropLast() {
            guard !step.element.isList, let member = node.member(step.element),
                case .node(let next)? = member.values.first
            else {
                return false
            }
            node = next
        }
        guard let step = placement.steps.last, let member = node.member(step.element) else { return false }
        return !step.element.isList && !member.values.isEmpty
    }
}

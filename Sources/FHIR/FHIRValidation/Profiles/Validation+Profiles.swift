import FHIR
import FHIRPathEngine
import FHIRTables
import OrderedJSON

/// An element or a value of one, as profiles are applied to it.
struct ProfileFocus {
    /// Nil for a primitive that has only extensions.
    let json: ParsedNode?
    /// `id` and extensions of a primitive.
    let sibling: ParsedNode?
    let type: DefinedType
    /// The type's name in the element's definition; for a nested type, `BackboneElement`.
    let code: String
    /// The index among the values of a list.
    let index: Int?
    /// The end of the name of a choice.
    let suffix: String?

    /// The node that an issue about it points to.
    var anchor: ParsedNode? { json ?? sibling }
    /// The node with the members; for a primitive, that of `_name`.
    var object: ParsedNode? { json?.kind == .object ? json : sibling }
}

extension ProfileFocus {
    init?(resource json: ParsedNode) {
        guard let name = json.resourceType, let type = Definitions.r4.type(named: name) else { return nil }
        self.init(json: json, sibling: nil, type: type, code: name, index: nil, suffix: nil)
    }

    /// The values of an element, in order.
    func children(_ name: String) -> [ProfileFocus] {
        type.index(ofElementNamed: name).map { children(name, $0) } ?? []
    }

    /// The values of the element that a node is about.
    func children(_ node: ProfileNode) -> [ProfileFocus] {
        guard let place = node.place, place.type == type.id else { return children(node.name) }
        return children(node.name, place.element)
    }

    private func children(_ name: String, _ element: Int) -> [ProfileFocus] {
        guard let object else { return [] }
        var values: [ProfileFocus] = []
        guard type.isChoice(element) else {
            addValues(to: &values, of: object, name, element, 0)
            return values
        }
        var types: UInt64 = 0
        for member in object.members { types |= choice(member.nameValue, name, element) }
        while types != 0 {
            addValues(to: &values, of: object, name, element, types.trailingZeroBitCount)
            types &= types - 1
        }
        return values
    }

    /// The bit of the type that a member's name ends with; 0 if the member is not of this choice.
    private func choice(_ member: ParsedNode, _ name: String, _ element: Int) -> UInt64 {
        let found = member.withUTF8 { text -> UInt64? in
            let text = text.element.name
            guard text.first == name.utf8.first, let found = type.member(text), found.element == element
            else { return nil }
            return 1 << UInt64(found.type)
        }
        return (found ?? nil) ?? 0
    }

    private func addValues(
        to values: inout [ProfileFocus],
        of object: ParsedNode,
        _ name: String,
        _ element: Int,
        _ index: Int
    ) {
        guard let id = type.typeID(ofElement: element, type: index) else { return }
        let type = Definitions.r4.type(id: id)
        let isChoice = self.type.isChoice(element)
        let member = isChoice ? name + self.type.suffix(ofElement: element, type: index) : name
        let value = object.member(named: member)
        let sibling = type.kind == .primitive ? object.sibling(named: member) : nil
        guard value != nil || sibling != nil else { return }
        let kind = self.type.elements[element].types[index]
        let suffix = isChoice ? kind.suffix : nil
        let list = value?.list
        let siblings = sibling?.list
        guard list != nil || siblings != nil else {
            values.append(Self.value(value, sibling, kind, type, nil, suffix))
            return
        }
        for position in 0..<max(list?.count ?? 0, siblings?.count ?? 0) {
            let one = list.flatMap { position < $0.count ? $0[position] : nil }
            let other = siblings.flatMap { position < $0.count ? $0[position] : nil }
            guard one?.isNull == false || other?.isNull == false else { continue }
            values.append(
                Self.value(
                    one?.isNull == true ? nil : one,
                    other?.isNull == true ? nil : other,
                    kind,
                    type,
                    position,
                    suffix
                )
            )
        }
    }

    /// The member with an element's values; `nil` if it alone does not determine them: for a choice, and for
    /// a primitive, which may have a sibling.
    func text(of node: ProfileNode) -> ParsedNode? {
        guard let place = node.place, place.type == type.id, !place.isChoice, !place.isPrimitive else {
            return nil
        }
        return object?.member(named: node.name)
    }

    private static func value(
        _ json: ParsedNode?,
        _ sibling: ParsedNode?,
        _ kind: ElementType,
        _ type: DefinedType,
        _ index: Int?,
        _ suffix: String?
    ) -> ProfileFocus {
        var type = type
        var code = kind.code
        if type.kind == .resource, let name = json?.resourceType, let own = Definitions.r4.type(named: name) {
            type = own
            code = name
        }
        return ProfileFocus(
            json: json,
            sibling: sibling,
            type: type,
            code: code,
            index: index,
            suffix: suffix
        )
    }
}

extension Validation {
    // MARK: Resources

    /// Applies the profiles that a resource claims (`meta.profile`), that the caller requires, and that R4
    /// requires of vital signs.
    ///
    /// - Parameter asked: The canonical URLs of profiles that it must conform to.
    mutating func profiles(of json: ParsedNode, asked: [String]) {
        guard options.appliesProfiles || !asked.isEmpty, let focus = ProfileFocus(resource: json) else {
            return
        }
        var done: Set<String> = []
        for url in asked where done.insert(url).inserted {
            apply(url, to: focus, whenUnknown: .error, at: json)
        }
        guard options.appliesProfiles else { return }
        for claim in json.member("meta")?.member("profile")?.list ?? [] {
            guard let url = claim.string, done.insert(url).inserted else { continue }
            apply(url, to: focus, whenUnknown: .warning, at: claim)
        }
        if focus.code == "Observation" {
            for url in VitalSignProfiles.profiles(of: json) where done.insert(url).inserted {
                apply(url, to: focus, whenUnknown: .warning, at: json)
            }
        }
    }

    private mutating func apply(
        _ url: String,
        to focus: ProfileFocus,
        whenUnknown severity: IssueSeverity,
        at anchor: ParsedNode
    ) {
        guard !url.hasPrefix("#") else { return }
        guard let profile = options.definitions.profile(url) else {
            let shown = LogicalURL.shown(url)
            return report(
                severity,
                .notFound,
                "the profile\(shown) is not known, and not checked",
                at: anchor
            )
        }
        if let problem = profile.problems.first {
            let text =
                "the definition of the profile\(LogicalURL.shown(url)) is not applied as a whole: "
                + problem.text
            report(.warning, .incomplete, text, at: anchor)
        }
        conform(focus, to: profile)
    }

    /// Applies a profile to a resource or an element, and those that it imposes.
    ///
    /// - Parameter index: The element of the profile to apply, if a type names one.
    mutating func conform(_ focus: ProfileFocus, to profile: Profile, at index: Profile.Index = 0) {
        guard let anchor = focus.anchor else { return }
        let key = ProfileVisit(node: anchor.identity, url: profile.url, index: index)
        // A resource that refers to itself conforms if the rest does.
        guard visits.insert(key).inserted else {
            externalDependencyCount += 1
            assumptions += 1
            return
        }
        defer { visits.remove(key) }
        if index == 0, !focus.type.isNamed(profile.type), Definitions.r4.type(named: profile.type) != nil {
            return report(
                .error,
                .structure,
                "the profile \(profile.url) is for the type \(profile.type), and this is \(focus.type.name)",
                at: anchor
            )
        }
        inside(focus) { $0.check(focus, profile, index) }
        for url in index == 0 ? profile.imposed : [] {
            if let other = options.definitions.profile(url) { conform(focus, to: other) }
        }
    }

    /// Whether a profile holds. Nothing is reported.
    mutating func conforms(_ focus: ProfileFocus, to profile: Profile, at index: Profile.Index = 0) -> Bool {
        silently { $0.conform(focus, to: profile, at: index) }
    }

    /// What a type requires: a profile, or the element of one that is named after `#`.
    func target(_ canonical: String) -> (profile: Profile, index: Profile.Index)? {
        let parts = canonical.split(separator: "#", maxSplits: 1)
        guard let url = parts.first, let profile = options.definitions.profile(String(url)) else {
            return nil
        }
        guard parts.count > 1 else { return (profile, 0) }
        return profile.nodes.firstIndex { $0.id == parts[1] }.map { (profile, $0) }
    }

    /// Lets rules in `body` ask for a resource as `%resource`.
    private mutating func inside(_ focus: ProfileFocus, _ body: (inout Validation) -> Void) {
        guard focus.type.kind == .resource, let json = focus.json else { return body(&self) }
        let outer = context.resource
        let outerRoot = context.rootResource
        context.resource = json.value
        if outerRoot == nil { context.rootResource = json.value }
        body(&self)
        context.resource = outer
        context.rootResource = outerRoot
    }

    /// Whether `body` reports no error. Nothing that it reports is kept.
    mutating func silently(_ body: (inout Validation) -> Void) -> Bool {
        let outer = silent
        silent = 0
        body(&self)
        let count = silent ?? 0
        silent = outer
        return count == 0
    }

    // MARK: Elements

    /// Checks an element, and everything in it, by a node of a profile.
    mutating func check(_ focus: ProfileFocus, _ profile: Profile, _ index: Profile.Index) {
        guard let anchor = focus.anchor, spend(at: anchor) else { return }
        descend(at: anchor) { $0.checkInside(focus, profile, index) }
    }

    private mutating func checkInside(_ focus: ProfileFocus, _ profile: Profile, _ index: Profile.Index) {
        let node = profile.nodes[index]
        guard let anchor = focus.anchor else { return }
        if node.asksForValue { values(focus, node, at: anchor) }
        if let binding = node.binding { self.binding(binding, focus, node, at: anchor) }
        for rule in node.rules where !isStopped {
            if usesStructure, let json = focus.json, rule.isProven(for: json, of: focus.type) { continue }
            apply(rule, to: focus, at: anchor)
        }
        types(focus, node, at: anchor)
        inside(focus) { $0.children(of: focus, profile, index) }
    }

    private mutating func apply(_ rule: ProfileRule, to focus: ProfileFocus, at anchor: ParsedNode) {
        guard let path = rule.path else { return }
        guard let json = focus.json ?? focus.sibling else { return }
        externalDependencyCount += 1
        context.limits.steps = max(1, remainingSteps)
        var steps = 0
        let items: [FHIRPathItem]
        do {
            items = try path.evaluate(
                on: FHIRPathItem(json.value, of: focus.type),
                in: context,
                counting: &steps
            )
        } catch {
            guard spend(steps, at: anchor) else { return }
            let reason = "the rule \(rule.key) of \(rule.source) cannot be evaluated: \(error.reason)"
            return report(.warning, .incomplete, reason, rule: rule.key, at: anchor)
        }
        guard spend(steps, at: anchor) else { return }
        if items.count != 1 || items[0].boolean == false {
            report(rule.severity, .invariant, "\(rule.text) (\(rule.source))", rule: rule.key, at: anchor)
        }
    }

    // MARK: Values

    private mutating func values(_ focus: ProfileFocus, _ node: ProfileNode, at anchor: ParsedNode) {
        if let fixed = node.fixed {
            let isSame = focus.json.map { ProfileValue.isEqual($0.value, fixed) } ?? false
            if !isSame {
                report(.error, .value, "not the value that \(node.source) fixes for \(node.id)", at: anchor)
            }
        }
        if let pattern = node.pattern {
            let isSame = focus.json.map { ProfileValue.matches($0.value, pattern) } ?? false
            if !isSame {
                report(.error, .value, "not the pattern that \(node.source) sets for \(node.id)", at: anchor)
            }
        }
        if node.narrative != NarrativeControl(), let text = focus.json?.member("div")?.string {
            externalDependencyCount += 1
            let language = context.resource?.member("language")?.string
            for problem in node.narrative.problems(in: text, language: language) {
                report(.error, .structure, "\(problem) (\(node.source))", at: anchor)
            }
        }
        guard focus.type.kind == .primitive else { return }
        let hasValue = focus.json != nil
        if node.mustHaveValue, !hasValue {
            report(.error, .required, "\(node.id) must have a value, says \(node.source)", at: anchor)
        }
        if !node.valueAlternatives.isEmpty, !hasValue {
            let urls = (focus.sibling?.member("extension")?.list ?? []).compactMap {
                $0.member("url")?.string
            }
            if !urls.contains(where: node.valueAlternatives.contains) {
                let list = node.valueAlternatives.joined(separator: " or ")
                report(
                    .error,
                    .required,
                    "without a value, \(node.id) must have the extension \(list)",
                    at: anchor
                )
            }
        }
        guard let json = focus.json else { return }
        if node.maximumLength != nil || node.minimumLength != nil, let text = json.string {
            let count = text.unicodeScalars.count
            if let maximum = node.maximumLength, count > maximum {
                report(
                    .error,
                    .tooLong,
                    "longer than the \(maximum) characters of \(node.source)",
                    at: anchor
                )
            }
            if let minimum = node.minimumLength, count < minimum {
                report(.error, .value, "shorter than the \(minimum) characters of \(node.source)", at: anchor)
            }
        }
        if let minimum = node.minimumValue, ProfileValue.isBelow(json.value, minimum, focus.type) {
            report(
                .error,
                .value,
                "less than the least value of \(node.source), \(minimum.text())",
                at: anchor
            )
        }
        if let maximum = node.maximumValue, ProfileValue.isBelow(maximum, json.value, focus.type) {
            report(
                .error,
                .value,
                "more than the greatest value of \(node.source), \(maximum.text())",
                at: anchor
            )
        }
    }

    // MARK: Types

    /// The types that a profile allows, with the profiles of the types and of what references are to.
    private mutating func types(_ focus: ProfileFocus, _ node: ProfileNode, at anchor: ParsedNode) {
        guard !node.types.isEmpty, focus.type.kind != .nested else { return }
        if node.types.count == 1, node.types[0].isPlain, node.types[0].code == focus.code { return }
        let own = node.types.filter { focus.isOf($0.code) }
        guard !own.isEmpty else {
            let list = node.types.map(\.code).joined(separator: " or ")
            return report(
                .error,
                .structure,
                "the type is \(focus.code), and \(node.source) allows \(list) for \(node.id)",
                at: anchor
            )
        }
        let profiles = own.flatMap(\.profiles)
        if !profiles.isEmpty, own.allSatisfy({ !$0.profiles.isEmpty }) {
            conform(focus, toOneOf: profiles, node, at: anchor)
        }
        if focus.code == "Reference", own.contains(where: { !$0.targets.isEmpty || !$0.aggregation.isEmpty })
        {
            reference(focus, own, node, at: anchor)
        }
    }

    private mutating func conform(
        _ focus: ProfileFocus,
        toOneOf urls: [String],
        _ node: ProfileNode,
        at anchor: ParsedNode
    ) {
        var known: [(profile: Profile, index: Profile.Index)] = []
        for url in urls {
            if let profile = target(url) {
                known.append(profile)
            } else if silent != nil {
                externalDependencyCount += 1
            } else if unknownProfiles.insert(url).inserted {
                report(
                    .warning,
                    .notFound,
                    "the profile\(LogicalURL.shown(url)) is not known, and not checked",
                    at: anchor
                )
            }
        }
        // A profile that is not known may fit.
        guard known.count == urls.count else { return }
        if known.count == 1 { return conform(focus, to: known[0].profile, at: known[0].index) }
        for one in known where conforms(focus, to: one.profile, at: one.index) { return }
        let list = urls.joined(separator: ", ")
        report(
            .error,
            .structure,
            "conforms to none of the profiles that \(node.source) allows: \(list)",
            at: anchor
        )
    }

    private mutating func reference(
        _ focus: ProfileFocus,
        _ types: [ProfileType],
        _ node: ProfileNode,
        at anchor: ParsedNode
    ) {
        guard let text = focus.json?.member("reference")?.string else { return }
        let found = resolve(text)
        let aggregations = types.flatMap(\.aggregation)
        if !aggregations.isEmpty, types.allSatisfy({ !$0.aggregation.isEmpty }), let found {
            let kind = found.isContained ? "contained" : "bundled"
            if !aggregations.contains(kind) {
                let list = aggregations.joined(separator: " or ")
                report(
                    .error,
                    .structure,
                    "the resource is \(kind), and \(node.source) asks for \(list)",
                    at: anchor
                )
            }
        }
        let targets = types.flatMap(\.targets)
        guard !targets.isEmpty, types.allSatisfy({ !$0.targets.isEmpty }) else { return }
        if let found {
            let node = found.json.identity
            if targets.contains(where: { conformances[ProfileVisit(node: node, url: $0, index: 0)] == true })
            {
                return
            }
        }
        guard let found, let target = ProfileFocus(resource: found.json) else {
            guard let name = ReferenceText.type(of: text), let type = Definitions.r4.type(named: name) else {
                return
            }
            let isOther = targets.allSatisfy { url in
                options.definitions.profile(url).map { !type.isNamed($0.type) } ?? false
            }
            guard isOther else { return }
            let list = targets.map { LogicalURL.last($0) }.joined(separator: ", ")
            // What only the text names may be something else.
            return report(
                .warning,
                .structure,
                "a reference to \(name), where \(node.source) allows \(list)",
                at: anchor
            )
        }
        // What is found here is kept for the next time.
        externalDependencyCount += 1
        let known = targets.compactMap { options.definitions.profile($0) }
        guard known.count == targets.count else { return }
        let pairs = Array(zip(targets, known))
        if !conforms(target, toOneOf: pairs, isContained: found.isContained) {
            let list = targets.joined(separator: ", ")
            report(
                .error,
                .structure,
                "the resource that is referred to conforms to none of \(list) (\(node.source))",
                at: anchor
            )
        }
    }

    /// Whether a resource that is referred to conforms to one of several profiles. The result is cached,
    /// unless it depends on a check that is still running.
    private mutating func conforms(
        _ target: ProfileFocus,
        toOneOf profiles: [(url: String, profile: Profile)],
        isContained: Bool
    ) -> Bool {
        guard let json = target.json else { return false }
        let node = json.identity
        let unknown = profiles.filter {
            conformances[ProfileVisit(node: node, url: $0.url, index: 0)] == nil
        }
        if unknown.isEmpty { return false }
        let outer = scope
        let outerRoot = context.rootResource
        if !isContained {
            scope = scope.entering(json)
            context.rootResource = nil
        }
        defer {
            scope = outer
            context.rootResource = outerRoot
        }
        for (url, profile) in unknown {
            let before = assumptions
            let isConforming = conforms(target, to: profile)
            if !isStopped, !isConforming || assumptions == before, conformances.count < 100_000 {
                conformances[ProfileVisit(node: node, url: url, index: 0)] = isConforming
            }
            if isConforming { return true }
        }
        return false
    }

    // MARK: Children

    private mutating func children(of focus: ProfileFocus, _ profile: Profile, _ index: Profile.Index) {
        let node = profile.nodes[index]
        let elements = node.children.count > 2 ? elements(of: focus) : nil
        for child in node.children where !isStopped {
            if let elements, let place = profile.nodes[child].place, place.type == focus.type.id,
                elements & 1 << place.element == 0, profile.nodes[child].mayBeAbsent
            {
                continue
            }
            if let text = focus.text(of: profile.nodes[child]) {
                once(text, by: profile.nodes[child]) {
                    $0.element(child, of: focus, profile)
                    return true
                }
            } else {
                element(child, of: focus, profile)
            }
        }
        guard node.children.isEmpty || profile.nodesByPath.count > 1 else { return }
        referred(focus, profile, node)
    }

    /// Which elements an object has; `nil` if it is not an object.
    private func elements(of focus: ProfileFocus) -> TypePlan.Elements? {
        guard let json = focus.json, json.kind == .object else { return nil }
        if let lastObject, lastObject.node == json.identity { return lastObject.elements }
        var elements: TypePlan.Elements = 0
        for member in json.members {
            let found = member.nameValue.withUTF8 { focus.type.member($0.element.name) }
            if let found = found ?? nil { elements |= 1 << found.element }
        }
        return elements
    }

    private mutating func element(_ child: Profile.Index, of focus: ProfileFocus, _ profile: Profile) {
        let values = focus.children(profile.nodes[child])
        count(values, profile, child, in: focus)
        self.values(values, profile, child, in: focus.anchor)
    }

    /// Checks elements that share another one's definition (`contentReference`) by the profile's node of that
    /// one.
    private mutating func referred(_ focus: ProfileFocus, _ profile: Profile, _ node: ProfileNode) {
        guard focus.type.kind == .nested else { return }
        let known = Set(node.children.map { profile.nodes[$0].name })
        for element in focus.type.elements where element.types.count == 1 && !known.contains(element.name) {
            let type = Definitions.r4.type(id: element.types[0].id)
            guard type.kind == .nested, !type.name.hasPrefix(focus.type.name + "."),
                let main = profile.nodesByPath[type.name]
            else { continue }
            for value in focus.children(element.name) {
                path.pushProfile(element.name, value)
                check(value, profile, main)
                path.popProfile()
            }
        }
    }

    /// Checks how many values there are.
    private mutating func count(
        _ values: [ProfileFocus],
        _ profile: Profile,
        _ child: Profile.Index,
        in focus: ProfileFocus
    ) {
        let node = profile.nodes[child]
        guard let anchor = focus.anchor else { return }
        let own = focus.type.index(ofElementNamed: node.name).map { focus.type.minimum(ofElement: $0) }
        checkCount(
            of: values,
            node,
            minimum: values.count >= own ?? 0 ? node.minimum : nil,
            in: anchor,
            orAt: anchor
        )
    }

    /// Reports too few and too many values of an element or a slice.
    ///
    /// - Parameters:
    ///   - kind: A prefix of the name in messages.
    ///   - minimum: The required number; `nil` if R4's own definition reports it.
    ///   - fallback: Where an excess value is reported, if it has no node of its own.
    mutating func checkCount(
        of values: [ProfileFocus],
        _ node: ProfileNode,
        _ kind: String = "",
        minimum: Int?,
        in anchor: ParsedNode?,
        orAt fallback: ParsedNode? = nil
    ) {
        var amount: String {
            switch values.count {
            case 0: "is none"
            case 1: "is 1"
            default: "are \(values.count)"
            }
        }
        if let minimum, values.count < minimum {
            // What is missing once is often missing in each of many resources.
            let key = MissingValues(node: ObjectIdentifier(node), minimum: minimum, count: values.count)
            let text =
                missingTexts[key]
                ?? "\(node.source) asks for at least \(minimum) of \(kind)\(node.id), and there \(amount)"
            if missingTexts.count < 1000 { missingTexts[key] = text }
            report(.error, .required, text, at: anchor)
        }
        if let maximum = node.maximum, values.count > maximum {
            report(
                .error,
                .structure,
                "\(node.source) allows at most \(maximum) of \(kind)\(node.id), and there \(amount)",
                at: values[maximum].anchor ?? fallback
            )
        }
    }

    private mutating func values(
        _ values: [ProfileFocus],
        _ profile: Profile,
        _ child: Profile.Index,
        in anchor: ParsedNode?
    ) {
        let node = profile.nodes[child]
        for value in values where !isStopped {
            path.pushProfile(node.name, value)
            check(value, profile, child)
            path.popProfile()
        }
        if !node.slices.isEmpty || node.slicing != nil { slices(of: values, profile, child, in: anchor) }
    }
}

extension ProfileFocus {
    /// Whether a type that a profile names is its type.
    func isOf(_ code: String) -> Bool {
        code == self.code || type.isNamed(code) || code == "*"
    }
}

extension DefinedType {
    /// Whether it is the type with a name, or specializes it.
    func isNamed(_ name: String) -> Bool {
        name == self.name || lineage.contains { Definitions.r4.type(id: $0).name == name }
    }
}

/// A resource or element that a profile is being applied to.
struct ProfileVisit: Hashable {
    let node: Int
    let url: String
    let index: Profile.Index
}

/// Too few values of an element or a slice.
struct MissingValues: Hashable {
    let node: ObjectIdentifier
    let minimum: Int
    let count: Int
}

import FHIR
import FHIRTables
import OrderedJSON

/// The Observation of a group that has components or members, or of an answer, which may have them too.
final class ObservationParts {
    /// The CodeableConcept of what is observed.
    let code: JSONValue
    /// `value[x]`, of an answer.
    let value: JSONMember?
    let item: Int
    let order: Int
    var components: [JSONValue] = []
    var members: [String] = []
    /// The indices of the entries that are derived from it.
    var derived: [Int] = []

    init(code: JSONValue, value: JSONMember?, item: Int, order: Int) {
        self.code = code
        self.value = value
        self.item = item
        self.order = order
    }
}

/// Extraction by the codes of items.
extension Extractor {
    /// A group with codes may become an Observation: when something under it is a component or member.
    mutating func observeGroup(_ scope: inout Scope) throws(ExtractionStop) {
        guard scope.item >= 0 else { return }
        let codes = ExtractionPlan.codes(of: survey.items[scope.item], observing: scope.observing)
        guard !codes.isEmpty, scope.subject != nil || !scope.hasOwnSubject else { return }
        begun += 1
        scope.parentObservation = ObservationParts(
            code: concept(codes, scope.item),
            value: nil,
            item: scope.item,
            order: begun
        )
    }

    /// The code with which the answers of a question become Observations, or parts of one; nil where they do
    /// not.
    mutating func observedCode(_ scope: Scope) -> JSONValue? {
        let item = survey.items[scope.item]
        let codes = ExtractionPlan.codes(of: item, observing: scope.observing)
        // The extension on the item itself asks for an Observation, also of a question that only has a text.
        let plan = self.plan(of: scope.item)
        let isAsked = scope.observing != .off && (plan.observing != nil || !plan.observationRequest.isEmpty)
        let isCoded = item.source.member("code")?.elements?.isEmpty == false
        guard !codes.isEmpty || isAsked && !isCoded && text(of: scope.item) != nil else {
            if isAsked {
                report(
                    .warning,
                    "noCode",
                    "The item is to become an Observation and has no code; it is not extracted.",
                    scope.item
                )
            }
            return nil
        }
        guard scope.subject != nil || !scope.hasOwnSubject else {
            report(
                .warning,
                "noSubject",
                "Whom the group is about was not answered; its Observations are not extracted.",
                scope.item
            )
            return nil
        }
        if [.component, .member].contains(scope.observing), scope.parentObservation == nil {
            report(
                .warning,
                "noParent",
                """
                The item is to be part of an Observation, and nothing around it becomes one; \
                it is not extracted.
                """,
                scope.item
            )
            return nil
        }
        return concept(codes, scope.item)
    }

    /// What an item asks for, as a CodeableConcept: its codes, and the text that people saw.
    private func concept(_ codes: [JSONValue], _ item: Int) -> JSONValue {
        var members: [JSONMember] = []
        members.add("coding", codes)
        if let text = text(of: item) { members.append(JSONMember(name: "text", value: JSONValue(text))) }
        return JSONValue(members: members)
    }

    private func text(of item: Int) -> String? {
        survey.items[item].source.member("text")?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Makes an answer a component of the Observation around it, or an Observation, to which what is under
    /// the answer may belong.
    mutating func observe(_ answer: JSONValue, _ code: JSONValue, _ scope: inout Scope)
        throws(ExtractionStop)
    {
        begun += 1
        let parent = scope.observing == .component ? scope.parentObservation : nil
        guard let member = answer.valueMember,
            let value = try observationValue(member, survey.items[scope.item])
        else {
            // Items under the answer do not belong to the Observation around it.
            scope.parentObservation = parent
            return
        }
        guard let parent else {
            scope.parentObservation = ObservationParts(
                code: code,
                value: value,
                item: scope.item,
                order: begun
            )
            return
        }
        parent.components.append(
            JSONValue(members: [JSONMember(name: "code", value: code), value])
        )
        try budget.spend(parent.components[parent.components.count - 1])
    }

    /// Adds the Observation of an answer, or of a group that has components or members.
    mutating func finishObservation(_ scope: Scope, _ outer: Scope) throws(ExtractionStop) {
        guard let parts = scope.parentObservation, parts !== outer.parentObservation,
            parts.value != nil || !parts.components.isEmpty || !parts.members.isEmpty
        else { return }
        var observation = try observation(parts.code, parts.value, scope)
        if !parts.components.isEmpty { observation["component"] = JSONValue(parts.components) }
        if !parts.members.isEmpty {
            observation["hasMember"] = JSONValue(
                parts.members.map { ["reference": JSONValue($0)] as JSONValue }
            )
        }
        let index = entries.count
        try add(observation, request: plan(of: scope.item).observationRequest, order: parts.order, scope)
        guard entries.count > index else { return }
        let reference: JSONValue = ["reference": JSONValue(entries[index].fullURL)]
        for child in parts.derived {
            let known = entries[child].resource.elements(of: "derivedFrom")
            entries[child].resource["derivedFrom"] = JSONValue(known + [reference])
        }
        switch scope.observing {
        case .member: outer.parentObservation?.members.append(entries[index].fullURL)
        case .derived: outer.parentObservation?.derived.append(index)
        default: break
        }
    }

    /// `value[x]` of an answer.
    private mutating func observationValue(_ member: JSONMember, _ item: SurveyItem) throws(ExtractionStop)
        -> JSONMember?
    {
        let value = ElementValue(
            member.value,
            suffix: String(member.name.dropFirst(5)),
            unit: item.format.units.first
        )
        guard let element = Definitions.r4.type(named: "Observation")?.element(named: "value"),
            let type = value.choice(of: element),
            let json = value.converted(to: Definitions.r4.types[type.id], binding: nil)
        else {
            report(
                .warning,
                "unsupportedAnswer",
                """
                An answer of the type \(value.type) is not one that an Observation can have; \
                it is not extracted.
                """,
                item.index
            )
            return nil
        }
        guard value.type == "Coding", let display = member.value.member("display") else {
            return JSONMember(name: "value" + type.suffix, value: json)
        }
        // The text of a concept is what was chosen, as people read it.
        var concept = json
        concept["text"] = display
        return JSONMember(name: "value" + type.suffix, value: concept)
    }

    /// An Observation with the elements that come from the response.
    private mutating func observation(_ code: JSONValue, _ value: JSONMember?, _ scope: Scope)
        throws(ExtractionStop)
        -> JSONValue
    {
        let tree = response.tree
        let status: String
        switch response.status {
        case .completed, .stopped: status = "final"
        case .amended: status = "amended"
        default: status = "preliminary"
        }
        var members = [JSONMember(name: "resourceType", value: "Observation")]
        func append(_ name: String, _ value: JSONValue?) {
            if let value { members.append(JSONMember(name: name, value: value)) }
        }
        append("basedOn", tree.member("basedOn"))
        append("partOf", Self.references(tree.member("partOf"), to: "partOf"))
        append("status", JSONValue(status))
        append("category", scope.categories.isEmpty ? nil : JSONValue(scope.categories))
        append("code", code)
        append("subject", scope.subject)
        append("encounter", tree.member("encounter"))
        append("effectiveDateTime", tree.member("authored"))
        append(
            "issued",
            tree.member("authored")?.string.flatMap { FHIRInstant(text: $0) }.map {
                JSONValue($0.dateTime.description)
            }
        )
        append("performer", Self.references(tree.member("author").map { [$0] }, to: "performer"))
        if let value { append(value.name, value.value) }
        append(
            "derivedFrom",
            tree.member("id")?.string.map { [["reference": JSONValue("QuestionnaireResponse/\($0)")]] }
        )
        let observation = JSONValue(members: members)
        try budget.spend(observation)
        return observation
    }

    /// The references in a list whose target type an element of Observation allows.
    private static func references(_ list: JSONValue?, to name: String) -> JSONValue? {
        let targets =
            Definitions.r4.type(named: "Observation")?.element(named: name)?.types.first?.targets ?? []
        let allowed = (list?.elements ?? []).filter { tree in
            guard let type = Reference<AnyResource>(view: tree).target?.type ?? tree.member("type")?.string
            else { return true }
            return targets.isEmpty || targets.contains(type)
        }
        return allowed.isEmpty ? nil : JSONValue(allowed)
    }
}

import FHIR
import FHIRPathEngine
import Foundation
import OrderedJSON
import UCUM

/// Filling a survey from a record.
extension SurveySession {
    /// Gives the first occurrence of a group the values of its population context, and makes a repetition for
    /// each further value of a group that repeats.
    ///
    /// - Returns: the repetitions that were made.
    mutating func populate(_ node: Int) -> [Int] {
        let item = survey.items[tree[node].item]
        guard item.isGroup, let expression = item.populationContext else { return [] }
        let values = (evaluateDuringChanges(expression, at: node) ?? []).flatMap(Self.resources)
        guard item.repeats, values.count > 1 else {
            tree[node].populated = values
            return []
        }
        tree[node].populated = [values[0]]
        let possible = min(
            item.maxOccurs ?? Int.max,
            1 + max(0, Self.maximumNodes - tree.count) / max(1, survey.subtreeSizes[item.index])
        )
        if values.count > possible {
            report(
                "tooManyRepetitions",
                "There are \(values.count) values for a group that has at most \(possible) repetitions.",
                node
            )
        }
        let parent = tree[node].parent
        let position = tree.positions(of: item.index, in: parent).upperBound
        let others = values.dropFirst().prefix(max(0, possible - 1))
        let new = tree.insert(repetitions: others.count, of: item.index, in: parent, at: position)
        for (repetition, value) in zip(new, others) { tree[repetition].populated = [value] }
        return new
    }

    /// The resources that a search found; any other value as it is.
    static func resources(_ value: FHIRPathItem) -> [FHIRPathItem] {
        let json = value.json
        guard json.kind == .object, json["resourceType"]?.isString("Bundle") == true else { return [value] }
        return json.elements(of: "entry").compactMap { entry in
            let mode = entry["search"]?["mode"]?.string ?? "match"
            guard mode == "match", let resource = entry["resource"] else { return nil }
            return resource["resourceType"]?.isString("OperationOutcome") == true
                ? nil : FHIRPathItem(resource)
        }
    }

    /// Whether an expression reads what the app or a server gave.
    func readsRecord(_ expression: SurveyExpression) -> Bool {
        expression.reads.variables.contains { name in
            survey.recordVariables.contains(name) || context.resources[name] != nil
        }
    }

    // MARK: Observations

    /// The answers that earlier Observations have for a question, and which one has them: the latest with one
    /// of its codes and a value of its type that is not older than its period. Where an item around it stands
    /// for an Observation, only that one's components and members are meant.
    /// (SDC, observation-based population)
    mutating func observed(_ item: SurveyItem) -> (answers: [SurveyAnswer], origin: AnswerOrigin)? {
        guard item.isQuestion, item.observationPeriod != nil, !item.code.isEmpty,
            !isAboutAnother(item)
        else { return nil }
        var found = observations(for: item).filter(\.hasValue)
        if let panel = panel(around: item) {
            for component in panel.components(with: item.code) {
                let answers = answers(from: component, for: item)
                if !answers.isEmpty { return (answers, panel.origin) }
            }
            found = found.filter { panel.hasMember($0) }
        }
        let fitting = found.filter { !answers(from: $0.tree, for: item).isEmpty }
        return fitting.latest.map { (answers(from: $0.tree, for: item), $0.origin) }
    }

    /// Whether a question beside an item, or beside one around it, asks whom it is about.
    private func isAboutAnother(_ item: SurveyItem) -> Bool {
        var current = item
        while true {
            let siblings = current.parent.map { survey.items[$0].children } ?? survey.roots
            if siblings.contains(where: { survey.items[$0].isSubject }) { return true }
            guard let parent = current.parent else { return false }
            current = survey.items[parent]
        }
    }

    /// The latest Observation of the nearest item around one that stands for Observations.
    private mutating func panel(around item: SurveyItem) -> Observation? {
        var parent = item.parent
        while let index = parent {
            let outer = survey.items[index]
            if outer.observationPeriod != nil, !outer.code.isEmpty {
                return observations(for: outer).latest
            }
            parent = outer.parent
        }
        return nil
    }

    /// What a server has for an item's codes and period that counts.
    private mutating func observations(for item: SurveyItem) -> [Observation] {
        guard let url = observationSearch(for: item), let found = response(to: url), !found.isNull else {
            return []
        }
        return Self.resources(FHIRPathItem(found)).compactMap { value in
            Observation(tree: value.json).flatMap { $0.counts(of: subjectOfObservations) ? $0 : nil }
        }
    }

    private func observationSearch(for item: SurveyItem) -> String? {
        guard let period = item.observationPeriod,
            let subject = subjectOfObservations, let amount = period.value, let unit = period.calendarUnit,
            let start = try? FHIRPath("now() - \(amount) \(unit)"),
            let earliest = try? start.evaluate(on: [], in: FHIRPathContext(now: context.now)).first?.text
        else { return nil }
        let codes = item.code.compactMap { coding -> String? in
            guard let code = coding.code, !code.isEmpty else { return nil }
            let text = (coding.system.map { "\($0.rawValue)|" } ?? "") + code
            // A comma separates values, and a backslash is the sign for the next character as itself.
            return text.replacing("\\", with: "\\\\").replacing(",", with: "\\,").encodedForQuery
        }
        guard !codes.isEmpty else { return nil }
        return "Observation?code=\(codes.joined(separator: ","))&date=ge\(earliest.encodedForQuery)"
            + "&subject=\(subject.encodedForQuery)&status=final,amended,corrected&_sort=-date&_count=10"
    }

    /// `Patient/7`: the patient of the launch, else the subject of the response.
    private var subjectOfObservations: String? {
        if let patient = context.resources["patient"]?.first, let id = patient["id"]?.string,
            !Self.hasNoId(id)
        {
            return "\(patient["resourceType"]?.string ?? "Patient")/\(id)"
        }
        return header.subject?.reference.flatMap { Self.hasNoId($0) ? nil : $0 }
    }

    /// The answers that the value of an Observation, or of a component of one, stands for.
    private func answers(from observation: JSONValue, for item: SurveyItem) -> [SurveyAnswer] {
        guard let member = observation.valueMember else { return [] }
        let type = String(member.name.dropFirst("value".count))
        switch (type, item.type) {
        case ("Quantity", .decimal), ("Quantity", .integer):
            guard let number = number(of: member.value, for: item) else { return [] }
            return answers(from: [FHIRPathItem(number)], for: item)
        case ("CodeableConcept", .choice), ("CodeableConcept", .openChoice):
            // The coding that is among the options, else the first.
            let codings = member.value.elements(of: "coding").map { FHIRPathItem($0, type: "Coding") }
            if let answer = codings.lazy.compactMap({ self.answers(from: [$0], for: item).first }).first {
                return [answer]
            }
            guard item.type == .openChoice, let text = member.value["text"]?.string else { return [] }
            return answers(from: [FHIRPathItem(text)], for: item)
        case ("CodeableConcept", .string), ("CodeableConcept", .text):
            let text = member.value["text"] ?? member.value["coding"]?.elements?.first?["display"]
            return text.map { answers(from: [FHIRPathItem($0)], for: item) } ?? []
        default:
            return answers(from: [FHIRPathItem(member.value, type: type)], for: item)
        }
    }

    /// The number of a quantity in the unit of a question; nil where it cannot be converted, or is only a
    /// bound.
    func number(of quantity: JSONValue, for item: SurveyItem) -> Decimal? {
        guard quantity["comparator"] == nil,
            let value = FHIRDecimal(tree: quantity["value"] ?? .null)?.decimal
        else { return nil }
        guard let unit = item.format.units.first else { return value }
        return number(value, of: quantity, in: unit)
    }

    /// A quantity in one of the units of a question: as it is where its own is among them, else in the first
    /// that it can be converted to; nil where there is none.
    func quantity(_ quantity: Quantity, for item: SurveyItem) -> Quantity? {
        let units = item.format.units
        guard !units.isEmpty, !item.format.isUnitOpen, let value = quantity.value?.decimal,
            !units.contains(where: { unit in
                unit.code.map { $0 == quantity.code } ?? false
                    || unit.display.map { $0 == quantity.unit } ?? false
            })
        else { return quantity }
        for unit in units {
            guard let number = number(value, of: quantity.tree, in: unit),
                let converted = FHIRDecimal("\(number)")
            else { continue }
            var result = Quantity(converted, in: unit)
            result.comparator = quantity.comparator
            return result
        }
        return nil
    }

    private func number(_ value: Decimal, of quantity: JSONValue, in unit: Coding) -> Decimal? {
        guard let asked = unit.code ?? unit.display else { return value }
        guard let own = quantity["code"]?.string else {
            let name = quantity["unit"]?.string
            return name == asked || name != nil && name == unit.display ? value : nil
        }
        // A code without a system is read as one of UCUM.
        let ucum = "http://unitsofmeasure.org"
        let system = quantity["system"]?.string ?? ucum
        guard system == unit.system?.rawValue ?? ucum else { return nil }
        guard own != asked else { return value }
        guard system == ucum, let from = try? UCUMUnit(own), let to = try? UCUMUnit(asked) else { return nil }
        return try? from.convert(value, to: to)
    }
}

extension Observation {
    fileprivate var hasValue: Bool { tree.valueMember != nil }

    fileprivate var origin: AnswerOrigin { .observation(id.map { "Observation/\($0)" }) }

    /// Whether it is a result, and about nobody but the subject.
    fileprivate func counts(of subject: String?) -> Bool {
        guard ["final", "amended", "corrected"].contains(tree["status"]?.string) else { return false }
        return tree.elements(of: "focus").allSatisfy { focus in
            guard let subject, let reference = focus["reference"]?.string else { return false }
            return reference == subject || reference.hasSuffix("/" + subject)
        }
    }

    /// The components with one of the codes.
    fileprivate func components(with codes: [Coding]) -> [JSONValue] {
        tree.elements(of: "component").filter { component in
            (component["code"]?.elements(of: "coding") ?? []).contains { coding in
                codes.contains {
                    $0.code == coding["code"]?.string
                        && ($0.system == nil || $0.system?.rawValue == coding["system"]?.string)
                }
            }
        }
    }

    fileprivate func hasMember(_ other: Observation) -> Bool {
        guard let id = other.id else { return false }
        return tree.elements(of: "hasMember").contains {
            $0["reference"]?.string.map { $0 == "Observation/\(id)" || $0.hasSuffix("/Observation/\(id)") }
                ?? false
        }
    }

    /// When it was measured, to compare it with others.
    fileprivate var time: SurveyAnswer? {
        let text =
            tree["effectiveDateTime"]?.string ?? tree["effectivePeriod"]?["end"]?.string
            ?? tree["effectivePeriod"]?["start"]?.string ?? tree["effectiveInstant"]?.string
            ?? tree["issued"]?.string
        return text.flatMap { FHIRDateTime(text: $0) }.map { .dateTime($0) }
    }
}

extension [Observation] {
    /// The latest; one without a time only where none has one.
    fileprivate var latest: Observation? {
        var latest: Observation?
        for observation in self {
            guard let known = latest?.time else {
                if latest == nil || observation.time != nil { latest = observation }
                continue
            }
            if let time = observation.time, time.compared(to: known) == .greater { latest = observation }
        }
        return latest
    }
}

import FHIR
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
        let values = (evaluateAmidChanges(expression, at: node) ?? []).flatMap(Self.resources)
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
        return (json["entry"]?.elements ?? []).compactMap { entry in
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

    /// The latest Observation with one of an item's codes that is not older than its period.
    /// (SDC, observation-based population)
    mutating func latestObservation(for item: SurveyItem) -> Observation? {
        guard let url = observationSearch(for: item), let found = response(to: url), !found.isNull else {
            return nil
        }
        var latest: Observation?
        for value in Self.resources(FHIRPathItem(found)) {
            guard let observation = Observation(tree: value.json), observation.isUsable else { continue }
            guard let known = latest?.time else {
                latest = observation
                continue
            }
            if let time = observation.time, time.compared(to: known) == .greater { latest = observation }
        }
        return latest
    }

    private func observationSearch(for item: SurveyItem) -> String? {
        guard item.isQuestion, let period = item.observationPeriod, !item.code.isEmpty,
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
            + "&subject=\(subject.encodedForQuery)&_sort=-date&_count=10"
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

    /// The answers that an Observation's value stands for.
    func answers(from observation: Observation, for item: SurveyItem) -> [SurveyAnswer] {
        guard let member = observation.tree.members?.first(where: { $0.name.hasPrefix("value") }) else {
            return []
        }
        let type = String(member.name.dropFirst("value".count))
        switch (type, item.type) {
        case ("Quantity", .decimal), ("Quantity", .integer):
            guard let number = number(of: member.value, for: item) else { return [] }
            return answers(from: [FHIRPathItem(number)], for: item)
        case ("CodeableConcept", .choice), ("CodeableConcept", .openChoice):
            // The coding that is among the options, else the first.
            let codings = (member.value["coding"]?.elements ?? []).map { FHIRPathItem($0, type: "Coding") }
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
    private func number(of quantity: JSONValue, for item: SurveyItem) -> Decimal? {
        guard quantity["comparator"] == nil,
            let value = FHIRDecimal(tree: quantity["value"] ?? .null)?.decimal
        else { return nil }
        guard let unit = item.format.units.first, let asked = unit.code ?? unit.display else { return value }
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
    /// Whether it has a value that counts.
    fileprivate var isUsable: Bool {
        let status = tree["status"]?.string ?? ""
        return !["entered-in-error", "cancelled", "registered"].contains(status)
            && tree.members?.contains { $0.name.hasPrefix("value") } == true
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

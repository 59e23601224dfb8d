/// Collects the facts of a visit: numbers occurrences, and names each concept once.
struct FactBuilder {
    private(set) var set: FactSet
    private var counts: [String: Int] = [:]
    private var named: Set<String> = []

    init(_ visit: StudyVisit) { set = FactSet(visit) }

    /// Adds a fact, and a row for each of its modifiers. Occurrences of a concept are numbered in their
    /// order.
    mutating func append(
        _ fact: Fact,
        _ concept: Concept,
        _ modifiers: [(code: String, value: FactValue)] = []
    ) {
        var fact = fact
        counts[fact.concept, default: 0] += 1
        fact.instance = counts[fact.concept] ?? 1
        set.facts.append(fact)
        for (code, value) in modifiers {
            var row = fact
            row.modifier = code
            row.value = value
            row.unit = nil
            row.flag = nil
            set.facts.append(row)
        }
        if named.insert(concept.path).inserted { set.concepts.append(concept) }
    }

    /// A part of the resource that has no form as a fact.
    mutating func omit(_ path: String) { set.omitted.append(path) }

    mutating func describe(_ patient: PatientDetails) { set.patient = patient }
}

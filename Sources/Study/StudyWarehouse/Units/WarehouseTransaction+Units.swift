import FHIR

/// A unit in which a code's facts are kept, and the concept that they then have.
struct ConceptUnit: Sendable, Hashable {
    let unit: String
    let concept: String
}

/// One unit for each concept, so that a comparison with a number means the same for all its facts.
///
/// The first unit of a code is that of ``KnownMeasurements``, of the questionnaire, or of the first fact. A
/// value in another unit is converted, and the original is kept beside it as a modifier. What does not
/// convert has a concept of its own, next to the code's.
extension WarehouseTransaction {
    /// More units that do not convert than a code has. Beyond them a number is kept as a text.
    private static let maximumUnits = 16

    /// The facts of a visit with one unit for each concept.
    func inOneUnit(_ set: FactSet) throws -> FactSet {
        var result = set
        result.facts = []
        let declared = Dictionary(firstOf: set.concepts.map { ($0.code, $0) })
        var named = Set(set.concepts.map(\.path))
        var used: Set<String> = []
        // The rows of an occurrence follow each other, its own one first.
        var current: (base: String, concept: String)?
        for fact in set.facts {
            var fact = fact
            if fact.modifier == "@" {
                current = nil
                if fact.isMeasured, let concept = declared[fact.concept] {
                    let target = try unit(of: fact, concept)
                    let original = fact
                    guard let target, fact.convert(to: target, concept.code) else {
                        result.facts.append(original.asText)
                        used.insert(original.concept)
                        continue
                    }
                    if fact.concept != original.concept {
                        current = (original.concept, fact.concept)
                        let own = concept.inUnit(target)
                        if named.insert(own.path).inserted { result.concepts.append(own) }
                    }
                    result.facts.append(fact)
                    used.insert(fact.concept)
                    if let row = original.original(beside: fact) { result.facts.append(row) }
                    continue
                }
            } else if let current, fact.concept == current.base {
                fact.concept = current.concept
            }
            used.insert(fact.concept)
            result.facts.append(fact)
        }
        result.concepts.removeAll { concept in
            !used.contains(concept.code) && set.facts.contains { $0.concept == concept.code }
        }
        return result
    }

    /// The unit in which a fact is kept; `nil` for one unit too many.
    private func unit(of fact: Fact, _ concept: Concept) throws -> ConceptUnit? {
        let unit = fact.unit ?? ""
        if let found = match(unit, in: concepts.units(of: concept.code), concept.code) { return found }
        if let found = match(unit, in: try storedUnits(of: concept.code), concept.code) { return found }
        // Another consumer may have another unit of the code right now.
        try db.lock("unit " + concept.code)
        var known = try storedUnits(of: concept.code)
        if known.isEmpty {
            let first = concept.unit ?? unit
            known.append(try keep(ConceptUnit(unit: first, concept: concept.code), of: concept.code))
        }
        if let found = match(unit, in: known, concept.code) { return found }
        guard known.count < Self.maximumUnits else { return nil }
        let own = ConceptNames.code(concept.code, inUnit: unit)
        return try keep(ConceptUnit(unit: unit, concept: own), of: concept.code)
    }

    private func match(_ unit: String, in known: [ConceptUnit], _ concept: String) -> ConceptUnit? {
        let molarMass = KnownMeasurements[concept]?.molarMass
        return known.first {
            UnitConversion.convert(1, from: unit, to: $0.unit, molarMass: molarMass) != nil
        }
    }

    private func keep(_ unit: ConceptUnit, of code: String) throws -> ConceptUnit {
        try db.execute(
            "INSERT INTO study_unit (code, unit, concept) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [code, unit.unit, unit.concept]
        )
        concepts.insert(unit, of: code)
        return unit
    }

    /// The units of a code, the first one first.
    func storedUnits(of code: String) throws -> [ConceptUnit] {
        var found: [ConceptUnit] = []
        if let unit = KnownMeasurements[code]?.unit { found.append(ConceptUnit(unit: unit, concept: code)) }
        let rows = try db.rows(
            """
            SELECT unit, concept FROM study_unit
            WHERE code = ?
            ORDER BY CASE WHEN concept = code THEN 0 ELSE 1 END, unit
            """,
            [code]
        )
        found += rows.map { ConceptUnit(unit: $0.text(0) ?? "", concept: $0.text(1) ?? "") }
        for unit in found { concepts.insert(unit, of: code) }
        return found
    }

    /// Declares the unit of a questionnaire's question, unless its code has one.
    ///
    /// - Returns: The unit that the code has.
    func declare(_ unit: String?, of code: String) throws -> String? {
        if let known = try storedUnits(of: code).first { return known.unit }
        guard let unit else { return nil }
        try db.lock("unit " + code)
        if let known = try storedUnits(of: code).first { return known.unit }
        return try keep(ConceptUnit(unit: unit, concept: code), of: code).unit
    }
}

extension Fact {
    /// The number as it was written.
    private var written: FHIRDecimal? {
        guard case .number(let number, _) = value else { return nil }
        return FHIRDecimal(number.exact ?? number.description)
    }

    /// - Returns: False where it cannot be a number in that unit.
    fileprivate mutating func convert(to target: ConceptUnit, _ code: String) -> Bool {
        guard let written, case .number(_, let comparison) = value,
            let converted = UnitConversion.convert(
                written,
                from: unit ?? "",
                to: target.unit,
                molarMass: KnownMeasurements[code]?.molarMass
            ),
            let number = WarehouseNumber(converted)
        else { return false }
        value = .number(number, comparison: comparison)
        unit = target.unit.isEmpty ? nil : target.unit
        concept = target.concept
        return true
    }

    /// The number with its unit as a text.
    fileprivate var asText: Fact {
        var fact = self
        fact.value = FactValue(text: [written?.description, unit].compactMap { $0 }.joined(separator: " "))
        fact.unit = nil
        return fact
    }

    /// The modifier that has the number as it was written; `nil` where it is the same.
    fileprivate func original(beside converted: Fact) -> Fact? {
        guard value != converted.value else { return nil }
        var row = self
        row.concept = converted.concept
        row.modifier = FactModifier.original
        row.flag = nil
        return row
    }
}

extension Concept {
    /// The concept of values in a unit that does not convert to that of the code.
    fileprivate func inUnit(_ unit: ConceptUnit) -> Concept {
        let shown = unit.unit.isEmpty ? "no unit" : unit.unit
        let isMeasurement = path.hasPrefix(ConceptNames.measurements)
        let component = isMeasurement ? unit.concept : "~unit:\(unit.unit):\(code)"
        var concept = Concept(
            path: ConceptNames.path(ConceptNames.parent(of: path), [component]),
            code: unit.concept,
            name: "\(name) [\(shown)]",
            key: "\(key)|unit|\(unit.unit)"
        )
        concept.unit = unit.unit
        return concept
    }
}

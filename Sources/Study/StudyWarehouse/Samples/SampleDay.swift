import FHIR
import HealthSamples
import IndivoBase

/// The totals of a participant's samples of one kind on a day.
struct SampleDay {
    let kind: StudySample.Kind
    let count: Int
    let sum: Double
    let minimum: Double
    let maximum: Double
    /// That of the sample that began last.
    let last: Double

    /// The totals of the samples of one participant and day, by kind.
    static func days(of samples: [StudySample]) -> [SampleDay] {
        var groups: [(kind: StudySample.Kind, values: [Double], last: StudySample)] = []
        for sample in samples {
            // Of few kinds, which follow each other as a rule.
            if let index = groups.lastIndex(where: { $0.kind == sample.kind }) {
                groups[index].values.append(sample.value)
                let last = groups[index].last
                if (last.start, last.id) < (sample.start, sample.id) { groups[index].last = sample }
            } else {
                groups.append((sample.kind, [sample.value], sample))
            }
        }
        return groups.map { kind, values, last in
            SampleDay(
                kind: kind,
                count: values.count,
                sum: values.reduce(0, +),
                minimum: values.min() ?? last.value,
                maximum: values.max() ?? last.value,
                last: last.value
            )
        }
    }

    /// The visit of a day, where the samples were measured.
    static func visit(of day: Int) -> StudyVisit {
        let date = FHIRDate(civil: CivilDateTime(days: day))
        return StudyVisit(id: "Samples/\(date)", start: WarehouseTime(date))
    }

    /// The facts of a day: for each kind the sum, if such numbers can be added, or else the mean; the other
    /// statistics are modifiers.
    static func facts(of day: Int, _ kinds: [SampleDay]) -> FactSet {
        var set = FactSet(visit(of: day))
        var counts: [String: Int] = [:]
        for kind in kinds.sorted(by: { $0.kind < $1.kind }) {
            let concept = kind.concept
            counts[concept.code, default: 0] += 1
            if counts[concept.code] == 1 { set.concepts.append(concept) }
            for (modifier, value) in kind.values {
                var fact = Fact(concept.code, start: set.visit.start)
                fact.modifier = modifier
                fact.instance = counts[concept.code] ?? 1
                fact.value = Self.number(value)
                fact.unit = modifier == FactModifier.count ? nil : kind.kind.unit
                set.facts.append(fact)
            }
        }
        return set
    }

    private var concept: Concept {
        Concept(
            path: ConceptNames.path(ConceptNames.measurements, [kind.concept]),
            code: kind.concept,
            name: KnownMeasurements[kind.concept]?.name ?? kind.concept,
            key: kind.key
        )
    }

    private var values: [(modifier: String, value: Double)] {
        let mean = sum / Double(count)
        return [
            ("@", KnownMeasurements[kind.concept]?.addsUp == true ? sum : mean),
            (FactModifier.count, Double(count)), (FactModifier.sum, sum), (FactModifier.mean, mean),
            (FactModifier.minimum, minimum), (FactModifier.maximum, maximum), (FactModifier.last, last),
        ]
    }

    /// To the five decimals that a fact has; a sum beyond its digits is a text.
    private static func number(_ value: Double) -> FactValue {
        guard let decimal = FHIRDecimal(value),
            let rounded = ExactDecimal(decimal.description)?.rounded(to: 5),
            let number = WarehouseNumber(FHIRDecimal(checked: rounded.trimmed.description))
        else { return FactValue(text: "\(value)") }
        return .number(number, comparison: "E")
    }
}

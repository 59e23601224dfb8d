import FHIR
import Foundation
import OrderedJSON
import StudyFormats

/// A count or an energy from the phone's health store.
public struct ActivitySample: Sendable, Hashable {
    /// The kinds of samples that are summed.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Steps, as a count.
        case steps = "HKQuantityTypeIdentifierStepCount"
        /// Flights of stairs climbed, as a count.
        case flights = "HKQuantityTypeIdentifierFlightsClimbed"
        /// Active energy, in kilojoules.
        case activeEnergy = "HKQuantityTypeIdentifierActiveEnergyBurned"
    }

    public let kind: Kind
    /// When it began.
    public let start: Date
    /// The amount.
    public let value: Decimal

    /// A sample.
    public init(kind: Kind, start: Date, value: Decimal) {
        self.kind = kind
        self.start = start
        self.value = value
    }
}

/// Somebody's activity in a period: sums of samples, and minutes of each kind of activity, as motion samples
/// show it (sleeping, stationary, driving, walking, running, cycling).
public struct ActivityReport: Sendable, Hashable {
    /// The beginning of the period.
    public let start: Date
    /// The end of the period.
    public let end: Date
    /// Sums of the samples that began in the period.
    public private(set) var sums: [ActivitySample.Kind: Decimal] = [:]
    /// Tenths of seconds of each activity.
    private(set) var durations: [ActivityStretch.Kind: Int] = [:]

    /// The report of a period.
    public init(from start: Date, to end: Date, samples: [ActivitySample] = [], motion: [MotionSample] = []) {
        self.start = start
        self.end = end
        for sample in samples where sample.start >= start && sample.start < end {
            sums[sample.kind, default: 0] += sample.value
        }
        for stretch in MotionInterpretation.stretches(motion, from: start, to: end) {
            durations[stretch.kind, default: 0] +=
                MotionSample.tenths(stretch.end) - MotionSample.tenths(stretch.start)
        }
    }

    /// The questionnaire that C3-PRO names.
    public static let questionnaire: FHIRURI = "org.chip.c3-pro.activity"

    private var period: Period { Period(start: FHIRDateTime(start), end: FHIRDateTime(end)) }

    /// Minutes, to the hundredth.
    static func minutes(_ tenths: Int) -> FHIRDecimal {
        let hundredths = (tenths + 3) / 6
        let rest = hundredths % 100
        let digits =
            "\(hundredths / 100)"
            + (rest == 0
                ? ""
                : rest % 10 == 0
                    ? ".\(rest / 10)"
                    : rest < 10
                        ? ".0\(rest)" : ".\(rest)")
        return FHIRDecimal(digits) ?? 0
    }

    /// The report as C3-PRO sends it, in FHIR R4: an answer for each sum, and the period as a contained
    /// Encounter.
    public func response(subject: Reference<Patient>, authored: Date? = nil) -> QuestionnaireResponse {
        var encounter = Encounter(
            status: .finished,
            class: Coding(
                system: "http://terminology.hl7.org/CodeSystem/v3-ActCode",
                code: "HH",
                display: "home health"
            )
        )
        encounter.id = "period"
        encounter.period = period
        var response = QuestionnaireResponse(status: .completed)
        response.contained = [AnyResource(encounter)]
        response.questionnaire = Self.questionnaire
        response.subject = subject.to(AnyResource.self)
        response.encounter = Reference("#period")
        response.authored = FHIRDateTime(authored ?? end)
        var items: [(String, Quantity)] = ActivitySample.Kind.allCases.compactMap { kind in
            sums[kind].map {
                ("healthkit.\(kind.rawValue)", Quantity(value: FHIRDecimal($0), unit: kind.unit))
            }
        }
        items += ActivityStretch.Kind.allCases.compactMap { kind in
            durations[kind].map {
                ("motion-coprocessor.\(kind.rawValue)", Quantity(value: Self.minutes($0), unit: "minute"))
            }
        }
        response.item = items.map { linkID, quantity in
            var answer = QuestionnaireResponse.Item.Answer()
            answer.value = .quantity(quantity)
            var item = QuestionnaireResponse.Item(linkId: linkID)
            item.answer = [answer]
            return item
        }
        return response
    }

    /// The response in FHIR STU3, which C3-PRO's receivers take: `context` for the encounter, `questionnaire`
    /// as a reference.
    public func c3ProResponse(subject: Reference<Patient>) -> JSONValue {
        var json = response(subject: subject).tree
        json["questionnaire"] = ["reference": JSONValue(Self.questionnaire.rawValue)]
        json["encounter"] = nil
        json["authored"] = nil
        json["context"] = ["reference": "#period"]
        if var encounter = json["contained"]?[0] {
            encounter["class"] = nil
            json["contained"] = [encounter]
        }
        return json
    }

    /// The report as Observations, one for each sum, with LOINC's codes where there are and UCUM's units.
    public func observations(subject: Reference<Patient>) -> [Observation] {
        func observation(_ code: CodeableConcept, _ quantity: Quantity) -> Observation {
            var observation = Observation(status: .final, code: code)
            observation.category = [
                .code(
                    "activity",
                    system: "http://terminology.hl7.org/CodeSystem/observation-category",
                    "Activity"
                )
            ]
            observation.subject = subject.to(AnyResource.self)
            observation.effective = .period(period)
            observation.value = .quantity(quantity)
            return observation
        }
        let counts = ActivitySample.Kind.allCases.compactMap { kind in
            sums[kind].map {
                observation(kind.code, Quantity(value: FHIRDecimal($0), unit: kind.unit, code: kind.ucum))
            }
        }
        return counts
            + ActivityStretch.Kind.allCases.compactMap { kind in
                durations[kind].map {
                    observation(
                        kind.code,
                        Quantity(value: Self.minutes($0), unit: "minute", code: "min")
                    )
                }
            }
    }
}

extension ActivitySample.Kind {
    fileprivate var unit: String { self == .activeEnergy ? "kJ" : "count" }
    fileprivate var ucum: String {
        switch self {
        case .steps: "{steps}"
        case .flights: "{flights}"
        case .activeEnergy: "kJ"
        }
    }

    fileprivate var code: CodeableConcept {
        switch self {
        case .steps: .loinc("55423-8", "Number of steps")
        case .flights: .loinc("100304-5", "Flights climbed [#] Reporting Period")
        case .activeEnergy: .loinc("41981-2", "Calories burned")
        }
    }
}

extension ActivityStretch.Kind {
    /// The linkId of C3-PRO's report is the code; sleep has LOINC's too.
    fileprivate var code: CodeableConcept {
        let own = Coding(
            system: "http://c3-pro.org/activity",
            code: "motion-coprocessor.\(rawValue)",
            display: rawValue
        )
        guard self == .sleeping else { return CodeableConcept(own, text: "Time \(rawValue)") }
        return CodeableConcept(
            own,
            Coding(system: .loinc, code: "93832-4", display: "Sleep duration"),
            text: "Time sleeping"
        )
    }
}

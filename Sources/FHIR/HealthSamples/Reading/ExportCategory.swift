import FHIR
import Foundation
import IndivoBase

/// Names that Apple's export has where HealthKit has numbers, and units of metadata, by a mapping.
struct ExportCategory {
    static let standard = ExportCategory(.standard)
    private static let activityPrefix = "HKWorkoutActivityType"
    private static let valuePrefix = "HKCategoryValue"

    private let mapping: HealthMapping
    /// The numbers by enumeration and by the value's name in lower case, without spaces.
    private let numbers: [String: [String: Int]]
    /// The names of the enumerations in lower case.
    private let enumerations: Set<String>
    private let activities: [String: String]

    init(_ mapping: HealthMapping) {
        self.mapping = mapping
        var numbers = mapping.values.mapValues { values in
            Dictionary(firstOf: values.values.map { ($1.lowercased().filter { $0 != " " }, $0) })
        }
        for (values, name, number) in Self.formerNames where numbers[values]?[name] == nil {
            numbers[values]?[name] = number
        }
        self.numbers = numbers
        enumerations = Set(mapping.values.keys.map { $0.lowercased() })
        activities = Dictionary(firstOf: mapping.workouts.keys.map { ($0.lowercased(), $0) })
    }

    /// Names that values had in earlier versions of iOS: before 16 there was one kind of sleep, before 14
    /// environments were loud, before 13 ovulation tests were positive.
    private static let formerNames = [
        ("SleepAnalysis", "asleep", 1), ("OvulationTestResult", "positive", 2),
        ("EnvironmentalAudioExposureEvent", "loudenvironment", 1),
    ]

    /// The number of `HKCategoryValueSleepAnalysisAsleepCore` and the like.
    func value(_ text: String, of type: String) throws(SampleError) -> Int? {
        if let number = Int(text) { return number }
        if text == "HKCategoryValueNotApplicable" { return 0 }
        guard text.hasPrefix(Self.valuePrefix),
            let values = mapping.types[type]?.values.flatMap({ numbers[$0] })
        else {
            // Of a type that the mapping does not know, a name has no number.
            throw .value(text, type: type, hint: "")
        }
        let name = text.dropFirst(Self.valuePrefix.count).lowercased()
        // The name of the enumeration precedes that of the value. It changed over the years, so that any of
        // them may; but nothing else, as `LowFitness` is also the end of a future `VeryLowFitness`.
        let ownName = HealthMapping.shortName(of: type).lowercased()
        let matches = values.filter { value in
            guard name.hasSuffix(value.key) else { return false }
            let enumeration = String(name.dropLast(value.key.count))
            return enumeration == ownName || enumerations.contains(enumeration)
        }
        let found = matches.max { $0.key.count < $1.key.count }
        guard let found else {
            throw .value(text, type: type, hint: " It has \(values.keys.sorted().joined(separator: ", ")).")
        }
        return found.value
    }

    /// The code of `HKWorkoutActivityTypeRunning`.
    func activity(_ name: String) -> String? {
        guard name.hasPrefix(Self.activityPrefix) else { return nil }
        return activities[name.dropFirst(Self.activityPrefix.count).lowercased()]
    }

    /// All names of activities, for suggestions.
    var activityNames: [String] {
        mapping.workouts.keys.map { Self.activityPrefix + $0.prefix(1).uppercased() + $0.dropFirst() }
    }

    /// A value of metadata: a number with a unit where the name is known to have one.
    func metadata(_ name: String, _ text: String) -> MetadataValue {
        guard mapping.metadataUnits[name] != nil, let space = text.firstIndex(of: " "),
            let number = try? SampleNumber.read(String(text[..<space]), name)
        else { return .text(text) }
        let unit = String(text[text.index(after: space)...])
        // In descriptions of quantities 98 % is written as 98, unlike in values of records.
        return .quantity(SampleQuantity(value: number, unit: unit == "%" ? .ucum(unit) : .healthKit(unit)))
    }
}

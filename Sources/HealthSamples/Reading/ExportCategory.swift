import FHIR
import Foundation
import Suggestions

/// Names that Apple's export has where HealthKit has numbers.
enum ExportCategory {
    static let activityPrefix = "HKWorkoutActivityType"
    private static let valuePrefix = "HKCategoryValue"

    /// The number of `HKCategoryValueSleepAnalysisAsleepCore` and the like.
    static func value(_ text: String, of type: String) throws(SampleError) -> Int? {
        if let number = Int(text) { return number }
        if text == "HKCategoryValueNotApplicable" { return 0 }
        guard text.hasPrefix(valuePrefix), let values = HealthMapping.standard.types[type]?.values.flatMap({ numbers[$0] }) else {
            // Of a type that only an own mapping knows, a name has no number.
            throw .value(text, type: type, hint: "")
        }
        let name = text.dropFirst(valuePrefix.count).lowercased()
        // The name of the enumeration stands before that of the value, and they changed over the years.
        let found = values.filter { name.hasSuffix($0.key) }.max { $0.key.count < $1.key.count }
        guard let found else { throw .value(text, type: type, hint: " It has \(values.keys.sorted().joined(separator: ", ")).") }
        return found.value
    }

    /// The numbers by enumeration and by the value's name in lower case, without spaces.
    private static let numbers: [String: [String: Int]] = {
        var numbers = HealthMapping.standard.values.mapValues { values in
            Dictionary(values.values.map { ($1.lowercased().filter { $0 != " " }, $0) }, uniquingKeysWith: { first, _ in first })
        }
        // Before iOS 16 there was one kind of sleep.
        numbers["SleepAnalysis"]?["asleep"] = 1
        return numbers
    }()

    /// The code of `HKWorkoutActivityTypeRunning`.
    static func activity(_ name: String) -> String? {
        guard name.hasPrefix(activityPrefix) else { return nil }
        return activities[name.dropFirst(activityPrefix.count).lowercased()]
    }

    private static let activities = Dictionary(
        HealthMapping.standard.workouts.keys.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })

    /// A value of metadata: a number with a unit where the name is known to have one.
    static func metadata(_ name: String, _ text: String) -> MetadataValue {
        guard HealthMapping.standard.metadataUnits[name] != nil, let space = text.firstIndex(of: " "),
            let number = try? SampleNumber.read(String(text[..<space]), name)
        else { return .text(text) }
        let unit = String(text[text.index(after: space)...])
        // In descriptions of quantities 98 % is written as 98, unlike in values of records.
        return .quantity(SampleQuantity(value: number, unit: unit == "%" ? .ucum(unit) : .healthKit(unit)))
    }
}

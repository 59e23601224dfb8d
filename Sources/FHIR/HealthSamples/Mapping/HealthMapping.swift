import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import UCUM

/// The meaning of samples' types: codes, categories, units, the values of enumerations.
///
/// The standard one has all of HealthKit's types. Your own mapping overrides it, type by type and member by
/// member:
///
///     let mapping = try HealthMapping.standard.overlaid(parsing: Data(contentsOf: file))
///
/// Their form is that of `schemas/health/mapping.json`; an article of the documentation describes it.
public struct HealthMapping: Sendable, Hashable {
    /// The codes, category and unit of a type.
    public struct Entry: Sendable, Hashable {
        /// The kind of the samples of a type.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A number with a unit.
            case quantity = "quantities"
            /// A value of an enumeration.
            case category = "categories"
            /// Several samples.
            case correlation = "correlations"
            /// Workouts, electrocardiograms and the like.
            case other = "others"
        }

        /// How samples of a quantity are summarized.
        public enum Total: String, Sendable, Hashable {
            /// They add up, as steps do.
            case sum
            /// They have minimum, mean and maximum, as heart rates do.
            case mean
        }

        /// The unit of a quantity in FHIR.
        public struct Unit: Sendable, Hashable {
            public var ucum: UCUMUnit
            /// The unit for people.
            public var text: String
            /// A unit of HealthKit that is accepted as this unit without conversion, as `count` is for a body
            /// mass index.
            public var accepts: String?
        }

        /// The kind of its samples.
        public var kind: Kind
        /// The name for people.
        public var display: String
        /// The codes beside HealthKit's own.
        public var codes: [Coding]
        /// The code of `observation-category`.
        public var category: String?
        /// The unit of a quantity.
        public var unit: Unit?
        /// How a quantity is summarized.
        public var total: Total?
        /// The name of the enumeration of a category's values.
        public var values: String?
        /// The types of a correlation's members, in the order that they take in FHIR.
        public var members: [String]
    }

    /// An enumeration of values.
    public struct Values: Sendable, Hashable {
        /// The system of the codes.
        public var system: String
        /// What each number means.
        public var values: [Int: String]
    }

    /// The types by their identifiers.
    public var types: [String: Entry] = [:]
    /// The enumerations by their names.
    public var values: [String: Values] = [:]
    /// HealthKit's numbers of activities, by the activities' codes.
    public var workouts: [String: Int] = [:]
    /// The units in UCUM of metadata, by their names.
    public var metadataUnits: [String: UCUMUnit] = [:]

    /// HealthKit's types, with codes of LOINC and SNOMED CT and units of UCUM.
    public static let standard: HealthMapping = {
        // A test reads it; what is compiled in cannot be wrong at run time only.
        guard let json = try? JSONValue(parsing: HealthTables.mapping),
            let mapping = try? HealthMapping().overlaid(with: json)
        else {
            preconditionFailure("the embedded mapping cannot be read")
        }
        return mapping
    }()

    /// The entry of a type.
    /// - Throws: ``SampleError/unmapped(_:hint:)``.
    public func entry(of type: String) throws(SampleError) -> Entry {
        if let entry = types[type] { return entry }
        throw .unmapped(type, hint: TypeHints.hint(for: type, in: self))
    }

    /// The entry of a type; of a quantity or category of HealthKit that the mapping does not have, since it
    /// is newer, an entry with what its identifier says.
    /// - Throws: ``SampleError/unmapped(_:hint:)`` for other types.
    func entryOrIdentifier(of type: String) throws(SampleError) -> Entry {
        if let entry = types[type] { return entry }
        for (prefix, kind) in Self.carried where type.hasPrefix(prefix) {
            let name = type.dropFirst(prefix.count)
            guard (1...80).contains(name.utf8.count), name.first?.isUppercase == true,
                name.utf8.allSatisfy(\.isASCIILetterOrDigit), !TypeHints.isMisspelt(type, in: self)
            else { continue }
            return Entry(kind: kind, display: Self.words(of: name), codes: [], members: [])
        }
        return try entry(of: type)
    }

    private static let carried: [(String, Entry.Kind)] = [
        ("HKQuantityTypeIdentifier", .quantity), ("HKCategoryTypeIdentifier", .category),
    ]

    /// `Heart Rate Variability RMSSD`.
    private static func words(of name: Substring) -> String {
        var words = ""
        for character in name {
            if character.isUppercase, words.last?.isLowercase == true { words += " " }
            words.append(character)
        }
        return words
    }

    /// A type's identifier, from an identifier or its short form such as `HeartRate`.
    /// - Throws: ``SampleError/unmapped(_:hint:)``.
    public func type(named name: String) throws(SampleError) -> String {
        if types[name] != nil { return name }
        for prefix in Self.prefixes where types[prefix + name] != nil { return prefix + name }
        let short = types.keys.map { Self.shortName(of: $0) }
        throw .unmapped(name, hint: Spelling.hint(for: String(name.prefix(120)), among: short))
    }

    private static let prefixes = [
        "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier", "HKCorrelationTypeIdentifier", "HK",
    ]

    /// An identifier without its prefix, such as `HeartRate` for `HKQuantityTypeIdentifierHeartRate`.
    public static func shortName(of type: String) -> String {
        prefixes.first { type.hasPrefix($0) }.map { String(type.dropFirst($0.count)) } ?? type
    }
}

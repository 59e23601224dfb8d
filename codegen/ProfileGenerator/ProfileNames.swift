import FHIRGenerator
import FHIRTables
import SwiftGenerator

/// The names of views: those of the profiles, without `Profile` at the end. What is called as a type of FHIR
/// or Swift keeps it; the second of two that are called alike gets a number.
struct ProfileNames {
    /// By the URLs of the profiles.
    private(set) var views: [String: String] = [:]
    private(set) var remarks: [String] = []
    private let asked: [String: String]
    /// In lower case: names are those of files, too, and a disk may ignore it.
    private var taken: Set<String>

    private static let reserved: Set<String> = {
        var names: Set<String> = [
            "Any", "AnyResource", "AnyValue", "Array", "Bool", "Character", "Dictionary", "Double", "Error",
            "FHIR", "Float", "Int", "JSONValue", "Never", "Optional", "Protocol", "Reference", "Result",
            "Self", "Sequence", "Set", "String", "Type", "Void",
        ]
        for type in Definitions.r4.types where type.kind != .nested { names.insert(Names.type(type.name)) }
        for name in ValueSetTable.enumerated.names { names.insert(Names.valueSet(name)) }
        return names
    }()

    init(asked: [String: String]) {
        self.asked = asked
        taken = Set(asked.values.map { $0.lowercased() })
    }

    mutating func choose(_ url: String, _ name: String) {
        if let name = asked[url] {
            views[url] = name
            return
        }
        var plain = SwiftSpelling.upperCamel(name, fallback: "View")
        if plain.hasSuffix("Profile"), plain != "Profile" { plain.removeLast("Profile".count) }
        if Self.reserved.contains(plain) || plain.hasPrefix("FHIRProfile") { plain += "Profile" }
        var choice = plain
        var number = 1
        while !taken.insert(choice.lowercased()).inserted {
            number += 1
            choice = "\(plain)\(number)"
        }
        if number > 1 {
            remarks.append(
                "\(url): another view is called \(plain): this one is \(choice); --name gives a better"
            )
        }
        views[url] = choice
    }
}

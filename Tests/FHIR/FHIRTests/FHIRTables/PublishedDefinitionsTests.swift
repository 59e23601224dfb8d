import FHIRTables
import Foundation
import Testing

/// The tables against the published definitions that lie beside the package.
@Suite("The tables against the published definitions")
struct PublishedDefinitionsTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../../shared/fhir/r4/elements.json").standardizedFileURL

    @Test(
        "every published element has its cardinality, types, flags, binding and rules",
        .enabled(if: FileManager.default.fileExists(atPath: file.path), "../shared/fhir is not there")
    )
    func elements() throws {
        let published = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: Self.file)) as? [String: Any]
        )
        var count = 0
        for section in ["types", "resources", "constrainedTypes"] {
            for (name, definition) in try #require(published[section] as? [String: [String: Any]]) {
                let type = try #require(Definitions.r4.type(named: name))
                #expect(type.isAbstract == definition["abstract"] as? Bool)
                for facts in try #require(definition["elements"] as? [[String: Any]]) {
                    let path = try #require(facts["path"] as? String)
                    guard path.contains(".") else {
                        #expect(
                            Set(facts["invariants"] as? [String] ?? []).subtracting(["ele-1"])
                                == Set(type.rules),
                            "\(name)"
                        )
                        continue
                    }
                    try check(facts, path: name + path.drop { $0 != "." })
                    count += 1
                }
            }
        }
        #expect(count > 2_500)
    }

    private func check(_ facts: [String: Any], path: String) throws {
        let parts = path.split(separator: ".").map(String.init)
        let type = try #require(
            Definitions.r4.type(named: parts.dropLast().joined(separator: ".")),
            "\(path)"
        )
        let name = parts[parts.count - 1].replacing("[x]", with: "")
        let element = try #require(type.element(named: name), "\(path)")
        #expect(element.isChoice == path.hasSuffix("[x]"), "\(path)")
        #expect(element.minimum == facts["min"] as? Int, "\(path)")
        #expect(element.maximum.map(String.init) ?? "*" == facts["max"] as? String, "\(path)")
        #expect(element.isSummary == facts["isSummary"] as? Bool, "\(path)")
        #expect(element.isModifier == facts["isModifier"] as? Bool, "\(path)")
        // An element whose definition is that of another has its rules too.
        let rules = facts["contentReference"] == nil ? element.rules : element.rules.filter { $0 == "ele-1" }
        #expect(rules.sorted() == (facts["invariants"] as? [String])?.sorted(), "\(path)")
        let binding = facts["binding"] as? [String: Any]
        if let valueSet = binding?["valueSet"] as? String {
            #expect(element.binding?.strength.rawValue == binding?["strength"] as? String, "\(path)")
            #expect(valueSet.prefix { $0 != "|" }.hasSuffix(element.binding?.valueSet ?? "-"), "\(path)")
        } else {
            #expect(element.binding == nil, "\(path)")
        }
        if let reference = facts["contentReference"] as? String {
            #expect("#" + Definitions.r4.types[element.types[0].id].name == reference, "\(path)")
        } else if !path.hasSuffix(".id") {
            let types = facts["types"] as? [[String: Any]] ?? []
            #expect(element.types.map(\.code) == types.map { $0["code"] as? String }, "\(path)")
            #expect(element.types.map(\.targets) == types.map { $0["targets"] as? [String] ?? [] }, "\(path)")
        }
    }
}

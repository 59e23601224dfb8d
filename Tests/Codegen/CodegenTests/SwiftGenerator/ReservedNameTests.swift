import SwiftGenerator
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Names of members that documents have")
struct ReservedNameTests {
    /// The instance members that sources declare for `IndivoDocument`, by name.
    static func members() throws -> [String: String] {
        let sources = "\(testFolder)/../../../../Sources"
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources)
            .filter { $0.hasSuffix(".swift") && !$0.contains("/Generated/") }
        var members: [String: String] = [:]
        for file in files.sorted() {
            var isInDocument = false
            for line in try #require(read("\(sources)/\(file)")).split(separator: "\n") {
                let opening =
                    #/
                    (open\ class\ IndivoDocument
                    |((public|package)\ )?extension\ (IndivoDocument|RecordDocument))\b
                    /#
                if line.starts(with: opening) {
                    isInDocument = true
                } else if line.hasPrefix("}") {
                    isInDocument = false
                }
                let member = /\ {4}([a-z()]+ |@[A-Za-z]+ )*(var|let|func) `?([A-Za-z_]+).*/
                guard isInDocument, let match = line.wholeMatch(of: member) else { continue }
                // Statics are no members of instances, and what is not public nobody outside sees.
                if line.contains("static ") || line.contains(" class var") { continue }
                guard line.contains("public ") || line.contains("open ") else { continue }
                members[String(match.3)] = file
            }
        }
        return members
    }

    @Test("a field called like a member of every document gets another name")
    func reserved() throws {
        let members = try Self.members()
        #expect(members["id"] != nil && members["description"] != nil, "The sources were not understood.")
        for (name, file) in members where !name.hasPrefix("_") {
            let lines = code(#"{ "__modelname__": "M", "\#(name)": "String" }"#)
            #expect(
                lines.last?.contains("var \(name):") == false,
                """
                \(file) declares a member '\(name)': add it to ReservedNames.documentMembers of the generator.
                """
            )
        }
    }

    /// The public types of the modules that documents are made with, by name.
    static func types() throws -> [String: String] {
        let sources = "\(testFolder)/../../../../Sources"
        var types: [String: String] = [:]
        for module in ["Record/IndivoModel", "Base/IndivoXML"] {
            let files = try FileManager.default.subpathsOfDirectory(atPath: "\(sources)/\(module)")
                .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Generated/") }
            for file in files.sorted() {
                let text = try #require(read("\(sources)/\(module)/\(file)"))
                for line in text.split(separator: "\n") {
                    let type =
                        #/
                        (@[A-Za-z]+\ )*(public|open)\ (final\ |indirect\ )?
                        (class|struct|enum|actor|protocol|typealias)\ ([A-Za-z0-9]+).*
                        /#
                    if let match = line.wholeMatch(of: type) { types[String(match.5)] = "\(module)/\(file)" }
                }
            }
        }
        return types
    }

    @Test("a model called like a type of the package gets another class")
    func packageTypes() throws {
        let types = try Self.types()
        #expect(types["XMLNode"] != nil && types["Message"] != nil, "The sources were not understood.")
        for (name, file) in types {
            let lines = code(#"{ "__modelname__": "\#(name)", "x": "String" }"#)
            #expect(
                lines.contains { $0.contains("class \(name)Document:") },
                "\(file) declares the type '\(name)': add it to ReservedNames.packageTypes of the generator."
            )
        }
    }
}

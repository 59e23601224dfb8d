#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import SwiftGenerator
import Testing

@Suite("Names of members that documents have")
struct ReservedNameTests {
    /// The instance members that sources declare for `IndivoDocument`, by name.
    static func members() throws -> [String: String] {
        let sources = "\(testFolder)/../../Sources"
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources)
            .filter { $0.hasSuffix(".swift") && !$0.contains("/Generated/") }
        var members: [String: String] = [:]
        for file in files.sorted() {
            var isInDocument = false
            for line in try #require(read("\(sources)/\(file)")).split(separator: "\n") {
                if line.starts(with: /(open class IndivoDocument|((public|package) )?extension (IndivoDocument|RecordDocument))\b/) {
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
                "\(file) declares a member '\(name)': add it to ReservedNames.documentMembers of the generator.")
        }
    }
}

import SwiftGenerator
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the generator writes, compared with files that are checked in.
///
/// `UPDATE_SNAPSHOTS=1 swift test --filter SnapshotTests` writes them anew; look at the difference before
/// checking it in.
@Suite("Snapshots")
struct SnapshotTests {
    /// A name, where the generated files are, and the arguments they are generated with.
    static let snapshots: [(name: String, folder: String, arguments: [String])] = [
        (
            "files that the tests compile and run", "Generated",
            [
                "everything.sdml", "oddities.sdml", "--import", "IndivoModel", "--access", "internal",
                "--list", "testModels",
                "--single-file", "TestModels",
            ]
        ),
        ("a file a class", "Snapshots/FileAClass", ["everything.sdml", "--command", "make models"]),
        (
            "a prefix, a suffix, package access and no list", "Snapshots/PrefixAndSuffix",
            [
                "everything.sdml", "--prefix", "Indivo", "--suffix", "Document", "--access", "package",
                "--no-import",
            ]
        ),
        (
            "a public list and two imports", "Snapshots/List",
            [
                "everything.sdml", "--list", "allOfThem", "--access", "public", "--import", "Indivo",
                "--import",
                "Foundation",
            ]
        ),
    ]

    @Test("what is generated is what is checked in", arguments: snapshots)
    func snapshot(name: String, folder: String, arguments: [String]) throws {
        let isUpdating = ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1"
        let files = arguments.map { $0.hasSuffix(".sdml") ? "\(testFolder)/Models/\($0)" : $0 }
        let outcome = GeneratorCommand.run(
            files + ["--output", "\(testFolder)/\(folder)", "--quiet"] + (isUpdating ? [] : ["--check"])
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors.filter { !$0.contains(": warning: ") } == [])
    }
}

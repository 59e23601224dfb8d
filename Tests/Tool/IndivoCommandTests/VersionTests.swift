import Foundation
import Testing

@Suite("The version")
struct VersionTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    @Test("the tool, the README and the change log have one version")
    func oneVersion() throws {
        var version = ""
        try Tool.use { version = try $0.run("--version").output.trimmingCharacters(in: .newlines) }
        #expect(version.wholeMatch(of: #/\d+\.\d+\.\d+/#) != nil)
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.contains("from: \"\(version)\""))
        let changes = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        #expect(changes.firstMatch(of: #/\n## ([0-9.]+)/#)?.output.1 == Substring(version))
    }
}

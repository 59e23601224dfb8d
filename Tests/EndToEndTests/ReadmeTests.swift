import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    @Test("the example in the README is the one that is built")
    func example() throws {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let example = try String(
            contentsOf: root.appending(path: "Examples/Medications/Sources/Medications/main.swift"), encoding: .utf8)
        #expect(!example.isEmpty)
        #expect(readme.contains("```swift\n\(example)```"))
    }

    @Test("every file that the README links to is there")
    func links() throws {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let links = readme.matches(of: #/\]\(([^)#:]+)\)/#).map { String($0.output.1) }
        #expect(!links.isEmpty)
        for link in links {
            #expect(FileManager.default.fileExists(atPath: root.appending(path: link).path), "\(link)")
        }
    }
}

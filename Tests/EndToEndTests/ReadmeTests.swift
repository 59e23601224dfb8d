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

    @Test("every file that a page links to is there")
    func links() throws {
        let pages = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter {
            $0.hasSuffix(".md") && !$0.contains(".build")
        }
        #expect(pages.count > 20)
        var count = 0
        for page in pages {
            let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
            let folder = root.appending(path: page).deletingLastPathComponent()
            // What stands in a block of code is no link.
            let prose = text.split(separator: "```", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 0 }
            for link in prose.flatMap({ $0.element.matches(of: #/\]\(([^)#:\s]+)(#[^)]*)?\)/#) }).map({ String($0.output.1) }) {
                count += 1
                #expect(FileManager.default.fileExists(atPath: folder.appending(path: link).path), "\(page): \(link)")
            }
        }
        #expect(count > 30)
    }
}

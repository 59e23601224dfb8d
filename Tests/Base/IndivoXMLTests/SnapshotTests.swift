import Foundation
import IndivoXML
import Testing

@Suite("Snapshots")
struct SnapshotTests {
    @Test("many tasks read one document at once, and one edits its own")
    func concurrent() async throws {
        let text = "<r>" + (0..<500).map { "<a n=\"\($0)\">t\($0)</a>" }.joined() + "</r>"
        let snapshot = try XMLSnapshot(parsing: Data(text.utf8))
        await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let root = snapshot.root()
                    if task == 3 { root.empty() }
                    return root.children(named: "a").reduce(0) { $0 + (Int($1.attr("n") ?? "") ?? 0) }
                }
            }
            var sums: [Int] = []
            for await sum in group { sums.append(sum) }
            #expect(sums.sorted() == [0] + Array(repeating: 124_750, count: 7))
        }
        #expect(try snapshot.root().xml() == text)
    }

    @Test("a snapshot does not follow later edits")
    func independent() throws {
        let root = try XMLNode(parsing: "<r><a/></r>")
        let before = XMLSnapshot(root.document)
        root.append(XMLNode("b"))
        let after = XMLSnapshot(root)
        root.empty()
        #expect(try before.root().xml() == "<r><a/></r>")
        #expect(try after.root().xml() == "<r><a/><b/></r>")
    }
}

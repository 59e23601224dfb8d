import IndivoXML
import Testing

@Suite("Verbs of a node and of a selection")
struct VerbParityTests {
    private static let text = """
        <r><a n="1"><x n="2"/>t<y n="3"/></a><b n="4"><y n="9"/>u</b><a n="5"><y n="6"><z n="7"/></y></a><c \
        n="8"/></r>
        """

    /// What each verb answers, in words.
    private func answers(_ query: some XMLQueryable) throws -> [String] {
        var answers: [String] = []
        func add(_ selection: XMLSelection) {
            answers.append(selection.map { $0.attr("n") ?? $0.name }.joined(separator: " "))
        }
        add(query.find("y"))
        add(query.children("y"))
        add(query.slice(0, 1))
        add(query.slice(-1))
        add(query.parents())
        add(query.parents("r"))
        add(query.parentsUntil("r"))
        add(query.siblings())
        add(query.siblings("a"))
        add(query.nextAll())
        add(query.nextAll("c"))
        add(query.nextUntil("c"))
        add(query.previousAll())
        add(query.previousAll("a"))
        add(query.previousUntil("a"))
        add(query.filter("b"))
        add(query.filter("a"))
        add(query.not("b"))
        add(query.not("a"))
        add(query.has("y"))
        add(query.has("z"))
        answers.append("\(query.is("b")) \(query.is("a"))")
        answers.append("\(query.index() ?? -1)")
        answers.append(
            "\(query.eq(0)?.name ?? "none") \(query.eq(-1)?.name ?? "none") \(query.eq(1)?.name ?? "none")"
        )
        query.each { place, node in answers.append("\(place) \(node.name)") }
        return answers
    }

    @Test("both answer alike")
    func alike() throws {
        let b = try #require(try XMLNode(parsing: VerbParityTests.text).first("b"))
        let set = XMLSelection([b])
        #expect(try answers(b) == answers(set))
        #expect(try answers(b).count > 20)
        #expect(b.first == set.first && b.last == set.last)
        #expect(b.map(\.name) == set.map(\.name))
        #expect(b.children() == set.children() && b.contents() == set.contents())
        #expect(b.text() == set.text() && b.attr("n") == set.attr("n") && b.attr("m") == set.attr("m"))
        #expect(b.filter { $0.name == "b" } == set.filter { $0.name == "b" })
        #expect(b.filter { $0.name == "a" }.isEmpty)
        #expect(b.not([b]).isEmpty && set.not([b]).isEmpty)
        #expect(b.not(b.siblings()) == set.not(b.siblings()))
        #expect(b.add(b.children()) == set.add(b.children()))
        #expect(b.index(of: b) == set.index(of: b) && b.index(of: b) == 0)
        #expect(
            b.parent() == set.parent().first && b.next() == set.next().first
                && b.previous() == set.previous().first
        )
        #expect(b.closest("r") == set.closest("r").first)
        #expect(try b.attr("n", as: Int.self) == set.attr("n", as: Int.self))
        #expect(b["y"] == set["y"])
    }

    @Test("setters do alike")
    func setters() throws {
        func edited(_ edit: (XMLNode) -> Void) throws -> String {
            let root = try XMLNode(parsing: VerbParityTests.text)
            edit(try #require(root.first("b")))
            return try root.document.xml()
        }
        let pairs: [(XMLNode) -> (() -> Void, () -> Void)] = [
            { b in ({ b.text("v") }, { XMLSelection([b]).text("v") }) },
            { b in ({ b.attr("k", "v") }, { XMLSelection([b]).attr("k", "v") }) },
            { b in ({ b.removeAttr("n") }, { XMLSelection([b]).removeAttr("n") }) },
            { b in ({ b.append(XMLNode("i")) }, { XMLSelection([b]).append(XMLNode("i")) }) },
            { b in ({ b.prepend(XMLNode("i")) }, { XMLSelection([b]).prepend(XMLNode("i")) }) },
            { b in ({ b.before(XMLNode("i")) }, { XMLSelection([b]).before(XMLNode("i")) }) },
            { b in ({ b.after(XMLNode("i")) }, { XMLSelection([b]).after(XMLNode("i")) }) },
            { b in ({ b.replace(with: XMLNode("i")) }, { XMLSelection([b]).replace(with: XMLNode("i")) }) },
            { b in ({ b.wrap(XMLNode("i")) }, { XMLSelection([b]).wrap(XMLNode("i")) }) },
            { b in ({ b.children()[0].unwrap() }, { b.children().unwrap() }) },
            { b in ({ b.remove() }, { XMLSelection([b]).remove() }) },
            { b in ({ b.empty() }, { XMLSelection([b]).empty() }) },
        ]
        let untouched = try edited { _ in }
        for pair in pairs {
            let one = try edited { pair($0).0() }
            #expect(try one == edited { pair($0).1() })
            #expect(one != untouched)
        }
    }
}

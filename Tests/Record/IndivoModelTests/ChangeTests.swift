import IndivoBase
import IndivoModel
import IndivoXML
import Testing

@Suite("What changed in a document")
struct ChangeTests {
    private class Diary: IndivoDocument {
        override class var format: Format { .nested(root: "Diary", namespace: nil) }
        @Field(in: .attribute) var number: Int?
        @Field var author: Name?
        @Field var tags: [String]
        @Field("Entry") var entries: [DiaryEntry]
    }

    private struct Name: CompoundValue {
        @Field var family: String?
        @Field var given: String?
    }

    private class DiaryEntry: IndivoDocument {
        @Field var on: XMLDate?
        @Field var pulse: Double?
    }

    private func diary() throws -> Diary {
        try Diary.read(
            from: XMLNode(
                parsing: """
                    <Diary number="007"><author><family>Ito</family></author><tags>a</tags><tags>b</tags>\
                    <Entry><on>2026-11-20</on><pulse>60.0</pulse></Entry><Entry><pulse>61</pulse></Entry>\
                    </Diary>
                    """
            )
        )
    }

    @Test("reading changes nothing, nor does setting the same value in another spelling")
    func spelling() throws {
        let diary = try diary()
        #expect(!diary.isChanged)
        diary.number = 7
        diary.entries[0].pulse = 60
        diary.author?.given = nil
        #expect(!diary.isChanged)
        #expect(try diary.xml().xml().contains("number=\"007\""))
    }

    @Test("every change is seen wherever it is made, and is none once it is taken back")
    func changes() throws {
        let changes: [(do: (Diary) -> Void, undo: (Diary) -> Void)] = [
            ({ $0.number = 8 }, { $0.number = 7 }), ({ $0.number = nil }, { $0.number = 7 }),
            ({ $0.author?.family = "Sato" }, { $0.author?.family = "Ito" }),
            (
                { $0.author = nil },
                {
                    $0.author = Name()
                    $0.author?.family = "Ito"
                }
            ),
            ({ $0.tags.reverse() }, { $0.tags.reverse() }),
            ({ $0.tags.append("c") }, { $0.tags.removeLast() }),
            ({ $0.entries[1].on = "2026-11-21" }, { $0.entries[1].on = nil }),
            ({ $0.entries.swapAt(0, 1) }, { $0.entries.swapAt(0, 1) }),
        ]
        for (index, change) in changes.enumerated() {
            let diary = try diary()
            let before = try diary.xml().canonical()
            change.do(diary)
            #expect(diary.isChanged, "change \(index)")
            let again = try Diary.read(from: diary.xml())
            #expect(again == diary && !again.isChanged, "change \(index)")
            change.undo(diary)
            #expect(!diary.isChanged, "change \(index)")
            #expect(try diary.xml().canonical() == before, "change \(index)")
        }
    }

    @Test("a random document that is written and read again is equal and unchanged")
    func randomDocuments() throws {
        var random = SeededGenerator(seed: 8)
        let texts: [String?] = [nil, "Aspirin", "a & b <c>", "日本語 🩺"]
        let numbers: [Double?] = [nil, 0, -0.5, 1e21, 316_153]
        let dates: [XMLDate?] = [nil, "2026-11-21", "1888-02-29"]
        for _ in 0..<60 {
            func fill() -> Fill {
                let fill = Fill()
                fill.pbm = texts.randomElement(using: &random) ?? nil
                fill.dispenseDaysSupply = numbers.randomElement(using: &random) ?? nil
                return fill
            }
            let medication = Medication()
            medication.drugName = CodedValue(title: texts.randomElement(using: &random) ?? nil)
            medication.startDate = dates.randomElement(using: &random) ?? nil
            medication.fulfillments = (0..<Int.random(in: 0..<4, using: &random)).map { _ in fill() }
            let read = try Medication.read(from: XMLNode(parsing: medication.xml().xml()))
            if medication.drugName?.title == nil { medication.drugName = nil }
            #expect(read == medication && !read.isChanged)
            // And so it is after changes, written into what was read.
            read.startDate = dates.randomElement(using: &random) ?? nil
            read.fulfillments.shuffle(using: &random)
            read.fulfillments.insert(fill(), at: Int.random(in: 0...read.fulfillments.count, using: &random))
            let again = try Medication.read(from: read.xml())
            #expect(again == read && !again.isChanged && read.isChanged)
        }
    }

    @Test("values of a list are found in place, then elsewhere, then between neighbours")
    func matching() {
        func match(_ new: String, _ old: String, guessing: Bool = true) -> [Int?] {
            let new = Array(new)
            let old = Array(old)
            return ListMatch.positions(of: new.count, among: old.count, guessesChanged: guessing) {
                new[$0] == old[$1]
            }
        }
        #expect(match("abc", "abc") == [0, 1, 2])
        #expect(match("cab", "abc") == [2, 0, 1])
        #expect(match("axc", "abc") == [0, 1, 2])
        #expect(match("axc", "abc", guessing: false) == [0, nil, 2])
        #expect(match("abxc", "abc") == [0, 1, nil, 2])
        #expect(match("aab", "ab") == [0, nil, 1])
        #expect(match("", "ab").isEmpty && match("ab", "") == [nil, nil])
        // The surer test is asked about all values before the weaker one.
        let sure: [Int?] = ListMatch.positions(
            of: 2,
            among: 2,
            by: { $0 == 1 && $1 == 0 },
            orBy: { _, _ in true }
        )
        #expect(sure == [1, 0])
    }

    @Test("a list is matched one to one, and completely where nothing but its order changed")
    func matchingAnyList() {
        var random = SeededGenerator(seed: 8)
        for _ in 0..<500 {
            let old = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
                Int.random(in: 0..<4, using: &random)
            }
            let shuffled = old.shuffled(using: &random)
            #expect(
                ListMatch.positions(of: old.count, among: old.count) { shuffled[$0] == old[$1] }.allSatisfy {
                    $0 != nil
                }
            )
            let new = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
                Int.random(in: 0..<4, using: &random)
            }
            let positions = ListMatch.positions(of: new.count, among: old.count, guessesChanged: true) {
                new[$0] == old[$1]
            }
            let taken = positions.compactMap { $0 }
            #expect(Set(taken).count == taken.count && taken.allSatisfy(old.indices.contains))
        }
    }
}

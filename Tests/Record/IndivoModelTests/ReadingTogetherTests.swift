import IndivoBase
import IndivoModel
import IndivoXML
import Testing

private class Diary: IndivoDocument {
    @Field var entries: [DiaryEntry]
    @Field var last: DiaryEntry?
}

/// The same in nested XML, where lists are the elements themselves.
private class NestedDiary: IndivoDocument {
    override class var format: Format { .nested(root: "Diary", namespace: nil) }

    @Field("DiaryEntry") var entries: [DiaryEntry]
    @Field var last: DiaryEntry?
}

private class DiaryEntry: IndivoDocument {
    @Field var at: XMLDateTime?
    @Field var score: Double?
    @Field(formerly: "tracker", "gadget") var device: CodedValue?
    @Field var text: String?
    @Field(formerly: "text2") var more: String?
    @Field("DiaryEntry") var parts: [DiaryEntry]
}

/// The documents of a list are read with one reader: nothing of one may be left when the next is read.
@Suite("Documents that are read together")
struct ReadingTogetherTests {
    /// Makes the XML of random entries.
    private struct Entries {
        var generator: SeededGenerator
        let isNested: Bool

        private static let fields: [(String, [String])] = [
            ("at", ["2026-11-21T10:00:00Z", "never", ""]), ("score", ["0.5", "12", "half"]),
            ("device_title", ["A"]), ("tracker_title", ["B", ""]), ("gadget_title", ["C"]),
            ("device_identifier", ["1"]),
            ("text", ["one", "two<![CDATA[ three]]>", "<!-- none -->", ""]), ("more", ["x", ""]),
            ("text2", ["y"]),
            ("unknown", ["z"]),
        ]

        mutating func entry(depth: Int = 0) -> String {
            var content = ""
            for (name, texts) in Entries.fields.shuffled(using: &generator) {
                for _ in 0..<[0, 0, 1, 1, 2][Int.random(in: 0..<5, using: &generator)] {
                    content += field(name, texts.randomElement(using: &generator) ?? "")
                }
            }
            var parts = ""
            if depth < 2 {
                for _ in 0..<Int.random(in: 0..<3, using: &generator) { parts += entry(depth: depth + 1) }
            }
            if isNested { return "<DiaryEntry>\(content)\(parts)</DiaryEntry>" }
            if !parts.isEmpty { parts = "<Field name=\"DiaryEntry\"><Models>\(parts)</Models></Field>" }
            return "<Model name=\"DiaryEntry\">\(content)\(parts)</Model>"
        }

        private func field(_ name: String, _ text: String) -> String {
            guard isNested else { return "<Field name=\"\(name)\">\(text)</Field>" }
            let names = name.split(separator: "_")
            return names.reversed().reduce(text) { "<\($1)>\($0)</\($1)>" }
        }

        func diary(_ entries: [String]) -> String {
            if isNested { return "<Diary>\(entries.joined())</Diary>" }
            return """
                <Models><Model name="Diary"><Field \
                name="entries"><Models>\(entries.joined())</Models></Field></Model></Models>
                """
        }
    }

    private func read(_ text: String, isNested: Bool) throws -> (entries: [String], problems: [String]) {
        var problems: [DocumentError] = []
        let node = try XMLNode(parsing: text)
        let entries =
            isNested
            ? try NestedDiary.read(from: node, problems: &problems).entries
            : try Diary.read(from: node, problems: &problems).entries
        let told = problems.map { "\($0.document) \($0.property) \($0.reason)" }
        return (entries.map(\.fullDescription), told)
    }

    @Test("are as each of them read alone, and have the same problems", arguments: [false, true])
    func asAlone(isNested: Bool) throws {
        var entries = Entries(generator: SeededGenerator(seed: 21), isNested: isNested)
        var problemCount = 0
        for _ in 0..<200 {
            let texts = (0..<Int.random(in: 1..<6, using: &entries.generator)).map { _ in entries.entry() }
            let together = try read(entries.diary(texts), isNested: isNested)
            let alone = try texts.map { try read(entries.diary([$0]), isNested: isNested) }
            #expect(together.entries == alone.flatMap(\.entries))
            #expect(together.problems == alone.flatMap(\.problems))
            problemCount += together.problems.count
        }
        #expect(problemCount > 200)
    }
}

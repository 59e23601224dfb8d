import Foundation
import IndivoBase
import IndivoModel
import IndivoXML
import Testing

/// What libxml2's validator takes for a value of a type of XML Schema is read, and what it refuses is
/// refused.
@Suite("Lexical spaces, compared with libxml2's")
struct LexicalSpaceTests {
    /// A type of XML Schema, how its values are read, and texts to begin with.
    struct Space: CustomTestStringConvertible, Sendable {
        let name: String
        let read: @Sendable (String) throws -> String
        let seeds: [String]
        /// What may take the place of a character, or come before one.
        let characters: String

        init<Value: LexicalValue>(_ name: String, _ type: Value.Type, _ characters: String, _ seeds: [String])
        {
            self.name = name
            read = { try Value(lexical: $0).lexical }
            self.seeds = seeds
            self.characters = characters
        }

        var testDescription: String { "xs:\(name)" }
    }

    static let spaces: [Space] = [
        Space(
            "date",
            XMLDate.self,
            "0123459-+:ZT",
            [
                "2026-11-21", "2024-02-29", "-0044-03-15", "12026-01-01", "1979-04-02Z", "1979-04-02-05:00",
                "2000-02-29+14:00",
            ]
        ),
        Space(
            "dateTime",
            XMLDateTime.self,
            "0123459-+:.ZT",
            [
                "2012-05-04T15:34:23Z", "2012-05-04T24:00:00Z", "2012-05-04T23:59:59.999-14:00",
                "-0001-12-31T00:00:00",
            ]
        ),
        Space(
            "time",
            XMLTime.self,
            "0123459-+:.ZT",
            ["15:34:23", "24:00:00", "23:59:59.5Z", "00:00:00+05:30"]
        ),
        Space(
            "gYear",
            XMLPartialDate.self,
            "0123459-+:Z",
            ["2009", "-0044", "12026", "2009Z", "2009-05:00"]
        ),
        Space("gYearMonth", XMLPartialDate.self, "0123459-+:Z", ["2009-07", "-0044-12", "2009-07Z"]),
        Space("gMonth", XMLPartialDate.self, "0123459-+:Z", ["--07", "--12Z", "--01+02:00"]),
        Space("gMonthDay", XMLPartialDate.self, "0123459-+:Z", ["--07-14", "--02-29", "--04-30Z"]),
        Space("gDay", XMLPartialDate.self, "0123459-+:Z", ["---14", "---31Z", "---01-05:00"]),
        Space(
            "duration",
            XMLDuration.self,
            "0125.-PYMDTHS",
            [
                "P1Y2M3DT4H5M6.7S", "-P1D", "PT0S", "P14M", "PT36H", "P1YT1M",
            ]
        ),
        Space("boolean", Bool.self, "truefalsTF01", ["true", "false", "1", "0"]),
        Space(
            "long",
            Int.self,
            "0123459-+.",
            ["0", "-1", "+7", "9223372036854775807", "-9223372036854775808"]
        ),
        Space(
            "decimal",
            Decimal.self,
            "0123459-+.eE",
            ["0", "-1.50", "+7", ".5", "5.", "12345678901234567890.5"]
        ),
        Space(
            "double",
            Double.self,
            "0125-+.eEINFa",
            ["0", "-1.5", "1e3", ".5", "5.E-2", "INF", "-INF", "NaN"]
        ),
        Space("base64Binary", Data.self, "AQIDw+/= ", ["", "AQID", "AQ==", "AQI=", "AQ ID", "w+/A"]),
    ]

    @Test("a text is read if it is a value, and refused with a reason if not", arguments: spaces)
    func agrees(space: Space) throws {
        var generator = SeededGenerator(seed: 8)
        var texts = space.seeds
        for number in 0..<1_500 {
            var text = Array(space.seeds[number % space.seeds.count])
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                let place = Int.random(in: 0...text.count, using: &generator)
                // Not empty: every space names characters.
                let character = space.characters.randomElement(using: &generator) ?? " "
                switch Int.random(in: 0...2, using: &generator) {
                case 0: text.insert(character, at: place)
                case 1 where place < text.count: text.remove(at: place)
                default: if place < text.count { text[place] = character }
                }
            }
            texts.append(String(text))
        }
        let refused = try Self.refused(texts, of: space.name)
        #expect(refused.count < texts.count && !refused.isEmpty, "libxml2 takes or refuses all")
        for (index, text) in texts.enumerated() where !space.isLax(text) {
            let isRefused = refused.contains(index)
            // A partial date is one type here and five there.
            if isRefused, space.isOther(text) { continue }
            do {
                let written = try space.read(text)
                #expect(!isRefused, "“\(text)” is read, and is none")
                #expect(try space.read(written) == written, "“\(text)” is written as “\(written)”")
            } catch {
                #expect(isRefused, "“\(text)” is refused, and is one: \(error)")
                #expect((error as? LexicalError)?.reason.isEmpty == false)
            }
        }
    }

    /// Which of the texts libxml2's validator refuses. Each has a line of its own.
    private static func refused(_ texts: [String], of type: String) throws -> Set<Int> {
        let schema = try XMLSchema(
            parsing: Data(
                """
                <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
                <xs:element name="r"><xs:complexType><xs:sequence><xs:element name="v" type="xs:\(type)" \
                maxOccurs="unbounded"/>
                </xs:sequence></xs:complexType></xs:element></xs:schema>
                """.utf8
            )
        )
        let lines = texts.map { "<v>\($0)</v>\n" }.joined()
        let problems = try schema.validate(XMLNode(parsing: "<r>\n\(lines)</r>"))
        return Set(problems.compactMap { $0.line.map { $0 - 2 } })
    }
}

extension LexicalSpaceTests.Space {
    /// Whether libxml2 takes more than XML Schema does, or we less: an exponent and a fraction without
    /// digits, a leap day in a year before 1 that the calendar of astronomers does not have, and a year of
    /// more than nine digits.
    fileprivate func isLax(_ text: String) -> Bool {
        switch name {
        case "decimal": !text.contains(where: \.isNumber)
        case "double": text.contains(/[eE][-+]?$/)
        case "duration": text.contains(/(^|[^0-9])\.|\.S/)
        default: text.contains(/[0-9]{10}/) || text.contains(/^-.*-02-29/)
        }
    }

    /// Whether a text is a partial date of another of XML Schema's five types.
    fileprivate func isOther(_ text: String) -> Bool {
        guard name.hasPrefix("g"), let date = try? XMLPartialDate(lexical: text) else { return false }
        let own =
            switch (date.year, date.month, date.day) {
            case (.some, nil, _): "gYear"
            case (.some, .some, _): "gYearMonth"
            case (nil, .some, nil): "gMonth"
            case (nil, .some, .some): "gMonthDay"
            default: "gDay"
            }
        return own != name
    }
}

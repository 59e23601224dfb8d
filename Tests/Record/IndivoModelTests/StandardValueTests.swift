import Foundation
import IndivoModel
import IndivoXML
import Testing

@Suite("Plain values")
struct StandardValueTests {
    @Test(
        "numbers read XML Schema's forms and write them back",
        arguments: ["0", "-1.5", "1e3", "+7", " 5 ", "INF", "-INF", ".5"]
    )
    func numbers(text: String) throws {
        let value = try Double(lexical: text)
        #expect(try Double(lexical: value.lexical) == value)
    }

    @Test("values of several fields are printed as a person writes them")
    func descriptions() {
        let low = ValueAndUnit("70", "mg/dL")
        let high = ValueAndUnit("110", "mg/dL")
        #expect("\(low)" == "70 mg/dL" && "\(ValueAndUnit("5", nil))" == "5" && "\(ValueAndUnit())" == "")
        #expect("\(ValueRange(from: low, to: high))" == "70 mg/dL to 110 mg/dL")
        #expect("\(ValueRange(from: nil, to: high))" == "up to 110 mg/dL")
        #expect("\(ValueRange(from: low, to: nil))" == "from 70 mg/dL" && "\(ValueRange())" == "")
        #expect("\(PersonName(given: "Ada", family: "Lovelace"))" == "family: Lovelace, given: Ada")
        #expect("\(VitalSign(70.8, "kg"))" == "unit: kg, value: 70.8")
    }

    @Test("what is no number is refused", arguments: ["", "five", "0x10", "1,5", "1.5.2", "infinity", "nan"])
    func noNumbers(text: String) {
        #expect(throws: LexicalError.self) { try Double(lexical: text) }
    }

    @Test("not a number is read and written, and infinity by its two names")
    func notANumber() throws {
        #expect(try Double(lexical: " NaN ").isNaN && Double(lexical: "NaN").lexical == "NaN")
        #expect(try Double(lexical: "INF").lexical == "INF" && Double(lexical: "-INF").lexical == "-INF")
    }

    @Test(
        "what is no base64 is refused",
        arguments: ["A", "AQ", "AQ=", "AQI", "AQID=", "AQ=D", "AR==", "AQ==AQ==", "A-_A"]
    )
    func noBase64(text: String) {
        #expect(throws: LexicalError.self) { try Data(lexical: text) }
    }

    @Test("booleans read four words, and in data models any case of two")
    func booleans() throws {
        #expect(try ["true", "1"].allSatisfy { try Bool(lexical: $0) })
        #expect(try !["false", "0"].contains { try Bool(lexical: $0) })
        #expect(throws: LexicalError.self) { try Bool(lexical: "TRUE") }
        #expect(try Bool.fromField("TRUE"))
    }

    @Test("decimals keep their digits", arguments: ["12345678901234567890.123456789", "-0.001", "5"])
    func decimals(text: String) throws {
        #expect(try Decimal(lexical: text).lexical == text)
    }

    @Test(
        "a decimal that would be rounded is refused, and one that would not is read",
        arguments: [
            "1" + String(repeating: "0", count: 30) + "." + String(repeating: "0", count: 20) + "1",
            "0." + String(repeating: "3", count: 50), String(repeating: "9", count: 39),
            "-1" + String(repeating: "1", count: 200),
            "1" + String(repeating: "0", count: 400), "0." + String(repeating: "0", count: 300) + "1",
            "1.0000000000000000000000000000000000000001",
        ]
    )
    func roundedDecimals(text: String) throws {
        let error = #expect(throws: LexicalError.self) { try Decimal(lexical: text) }
        #expect((error?.description.utf8.count ?? .max) < 200)
    }

    @Test("zeros that say nothing do not count as digits of a decimal")
    func zerosOfDecimals() throws {
        let zeros = String(repeating: "0", count: 1_000)
        #expect(try Decimal(lexical: "\(zeros)12.5\(zeros)") == Decimal(string: "12.5"))
        #expect(try Decimal(lexical: "-\(zeros).\(zeros)") == 0)
        let most = String(repeating: "9", count: 38)
        for text in [
            most, "-" + most, "0." + most, "1" + String(repeating: "0", count: 100),
            "1234567.\(most.dropLast(7))",
        ] {
            #expect(try Decimal(lexical: text).lexical == text)
        }
        for text in ["", ".", "+", "-.", "1.2.3", "--1", "1e3", "１"] {
            #expect(throws: LexicalError.self) { try Decimal(lexical: text) }
        }
    }

    @Test(
        "a number beyond the range of a double is refused",
        arguments: ["1e400", "-1e400", "1" + String(repeating: "0", count: 400)]
    )
    func beyondTheRange(text: String) throws {
        #expect(throws: LexicalError.self) { try Double(lexical: text) }
        #expect(Double(xmlText: text) == nil && Float(xmlText: text) == nil)
        #expect(Float(xmlText: "1e39") == nil && Float(xmlText: "INF") == .infinity)
        #expect(try Double(lexical: "1.7976931348623157e308") == .greatestFiniteMagnitude)
    }

    @Test("white space around a value means nothing, of whichever type")
    func whitespace() throws {
        #expect(
            try Bool(lexical: "\n true\t") && Int(lexical: " +7\r\n") == 7
                && Double(lexical: "\t1.50 ") == 1.5
        )
        #expect(try Decimal(lexical: " -1.50 ") == Decimal(string: "-1.5"))
        #expect(try URL(lexical: " http://a.example/ ").absoluteString == "http://a.example/")
        #expect(try Data(lexical: " AQ ID\nBA== ") == Data([1, 2, 3, 4]))
        #expect(try XMLDate(lexical: " 2026-11-21\n") == "2026-11-21")
        #expect(try XMLDuration(lexical: " P1D ").seconds == 86_400)
        #expect(try XMLTime(lexical: "\t15:34:23 ").hour == 15)
        #expect(try XMLPartialDate(lexical: " --07-14 ").day == 14)
    }

    @Test(
        "durations and partial dates are written back as they were read",
        arguments: [
            "P1Y2M3DT4H5M6.7S", "-P1D", "P0Y", "PT0S", "PT36H", "P14M", "PT0.0000001S", "P1Y", "PT1M30.50S",
            "P999999999999M",
        ]
    )
    func durations(text: String) throws {
        #expect(try XMLDuration(lexical: text).lexical == text)
    }

    @Test("a duration made in code is canonical and reads as itself")
    func newDurations() throws {
        for (months, seconds, text) in [
            (14, 93_784.5, "P1Y2M1DT2H3M4.5S"), (0, 0, "PT0S"), (-1, -60, "-P1MT1M"),
            (0, 0.000_01, "PT0.00001S"),
            (0, 59.999_999_999_9, "PT1M"),
        ] {
            let duration = try #require(XMLDuration(months: months, seconds: seconds))
            #expect(duration.lexical == text)
            #expect(try XMLDuration(lexical: text).lexical == text)
        }
        #expect(XMLDuration(months: 1, seconds: -1) == nil)
        #expect(
            XMLDuration(months: .min) == nil && XMLDuration(seconds: 1e30) == nil
                && XMLDuration(seconds: .nan) == nil
        )
    }

    @Test(
        "what is no duration is refused, however long",
        arguments: [
            "", "P", "PT", "1D", "P1", "P1DT", "P-1D", "P1.5D", "PT1.S", "P1M1Y", "P١D", "+P1D", "p1d",
            "PT" + String(repeating: "9", count: 400) + "S", "P" + String(repeating: "9", count: 40) + "Y",
            "P999999999999Y", "PT9223372036854775807H",
        ]
    )
    func noDurations(text: String) {
        #expect(throws: LexicalError.self) { try XMLDuration(lexical: text) }
    }

    @Test(
        "partial dates and times are written back as they were read",
        arguments: [
            "2009", "-0044", "12026", "2009-07", "2009-07Z", "2009-05:00", "--07", "--07+02:00", "--02-29",
            "---31", "---31Z",
        ]
    )
    func partialDates(text: String) throws {
        #expect(try XMLPartialDate(lexical: text).lexical == text)
    }

    @Test(
        "what is no partial date is refused",
        arguments: ["", "-", "--", "--13", "--02-30", "---32", "----1", "2009-7", "2009-07-14", "0000", "09"]
    )
    func noPartialDates(text: String) {
        #expect(throws: LexicalError.self) { try XMLPartialDate(lexical: text) }
    }

    @Test(
        "times are written back as they were read",
        arguments: ["15:34:23", "15:34:23.250", "24:00:00", "00:00:00Z", "15:34:23-05:00"]
    )
    func times(text: String) throws {
        #expect(try XMLTime(lexical: text).lexical == text)
        #expect(throws: LexicalError.self) { try XMLTime(lexical: text + "x") }
    }

    @Test("a number in a field reads as the same number however it is read", arguments: 0..<400)
    func fieldNumbers(seed: Int) throws {
        var generator = SystemRandomNumberGenerator()
        let digits = String(Int.random(in: -999_999_999_999_999...999_999_999_999_999, using: &generator))
        let place = Int.random(in: 0...digits.count, using: &generator)
        let text =
            seed % 3 == 0 ? digits : String(digits.prefix(place)) + "." + String(digits.dropFirst(place))
        let document = "<Model name=\"SleepNight\"><Field name=\"score\">\(text)</Field></Model>"
        guard let expected = Double(text) else {
            #expect(throws: DocumentError.self, "\(text)") {
                try SleepNight.read(from: XMLNode(parsing: document))
            }
            return
        }
        #expect(
            try SleepNight.read(from: XMLNode(parsing: document)).score?.bitPattern == expected.bitPattern,
            "\(text)"
        )
    }

    @Test("an enumeration's error lists its values")
    func enumerations() throws {
        let error = try #require(throws: LexicalError.self) { try DocumentStatus(lexical: "gone") }
        #expect(error.description.contains("“archived”") && error.description.contains("“gone”"))
    }
}

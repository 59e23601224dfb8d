import FHIR
import Foundation
import Testing

@testable import StudyWarehouse

@Suite struct FactValueTests {
    @Test(
        "moments are in UTC",
        arguments: [
            ("2026-03-01T10:00:00+01:00", "2026-03-01 09:00:00"),
            ("2026-01-01T00:30:00+02:00", "2025-12-31 22:30:00"),
            ("2026-03-01T10:00:00.1234567Z", "2026-03-01 10:00:00.123456"),
            ("2026-03-01T10:00:00.000Z", "2026-03-01 10:00:00"),
            ("2016-12-31T23:59:60Z", "2016-12-31 23:59:59"), ("2026-03-01", "2026-03-01 00:00:00"),
            ("2026-03", "2026-03-01 00:00:00"),
            ("2026", "2026-01-01 00:00:00"), ("0001-01-01T00:00:00+14:00", "0001-12-31 10:00:00"),
        ]
    )
    func utc(written: String, stored: String) throws {
        #expect(WarehouseTime(try #require(FHIRDateTime(text: written))).description == stored)
    }

    @Test(
        "numbers have five decimals",
        arguments: [
            ("0", "0"), ("-0.0", "0"), ("1.50", "1.5"), ("74.8", "74.8"), ("-2.000005", "-2.00001"),
            ("0.000004", "0"),
            ("9.999995", "10"),
            ("1e3", "1000"), ("1.5E-2", "0.015"), ("12e-7", "0"), ("9999999999999", "9999999999999"),
            ("0.00001", "0.00001"),
            ("123456789012.345678", "123456789012.34568"),
        ]
    )
    func decimals(written: String, stored: String) throws {
        #expect(WarehouseNumber(try #require(FHIRDecimal(written)))?.description == stored)
    }

    @Test("numbers that do not fit are none")
    func tooLarge() throws {
        for text in ["99999999999999", "1e13", "9999999999999.999999", "1e999999999999999999999", "1e-5000"] {
            #expect(WarehouseNumber(try #require(FHIRDecimal(text))) == nil, "\(text)")
        }
    }

    @Test("what the column cannot hold is kept as written")
    func exact() throws {
        #expect(WarehouseNumber(try #require(FHIRDecimal("2.123456")))?.exact == "2.123456")
        #expect(
            WarehouseNumber(try #require(FHIRDecimal("1234567890123.12345")))?.exact == "1234567890123.12345"
        )
        #expect(WarehouseNumber(try #require(FHIRDecimal("2.12345000")))?.exact == nil)
    }

    /// Against Foundation's decimal arithmetic.
    @Test("rounding is that of decimals")
    func rounding() throws {
        var state: UInt64 = 7
        for _ in 0..<2000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            let digits = String(state % 1_000_000_000_000)
            let scale = Int(state >> 60) % 9
            let text = "\(state & 1 == 0 ? "-" : "")\(digits)e-\(scale)"
            var value = try #require(Decimal(string: text))
            var rounded = Decimal()
            NSDecimalRound(&rounded, &value, 5, .plain)
            let written = try #require(FHIRDecimal(text))
            let ours = try #require(WarehouseNumber(written))
            #expect(Decimal(string: ours.description) == rounded, "\(text)")
        }
    }

    @Test("long texts are of their own kind")
    func longTexts() {
        #expect(
            FactValue(text: String(repeating: "ä", count: 255)) == .text(String(repeating: "ä", count: 255))
        )
        #expect(
            FactValue(text: String(repeating: "a", count: 256))
                == .longText(String(repeating: "a", count: 256))
        )
    }
}

@Suite struct ConceptNamesTests {
    @Test("codes have at most fifty characters")
    func length() {
        let long = ConceptNames.question(String(repeating: "x", count: 200), in: "phq9-123456")
        #expect(long.count <= 50)
        #expect(long != ConceptNames.question(String(repeating: "x", count: 201), in: "phq9-123456"))
        #expect(ConceptNames.question("q1", in: "phq9-123456") == "SURVEY:phq9-123456:q1")
    }

    @Test("questionnaires of one name at two addresses have different concepts")
    func sameName() {
        let names = ["http://a.example/phq9", "http://b.example/phq9"].map(ConceptNames.questionnaire)
        #expect(names[0] != names[1])
        #expect(ConceptNames.questionnaire("http://a.example/phq9|2.0") == names[0])
    }

    @Test("paths have nothing that LIKE reads as a pattern")
    func patterns() {
        let path = ConceptNames.path(ConceptNames.surveys, ["a_b%c\\d", "e"])
        #expect(path == #"\Study\Surveys\a~5fb~25c~5cd\e\"#)
        #expect(
            ConceptNames.path(ConceptNames.surveys, [String(repeating: "_", count: 900)]).utf8.count <= 700
        )
    }

    @Test("codes with colons stay whole")
    func colons() {
        #expect(ConceptNames.code(Coding(system: "http://snomed.info/sct", code: "1:2")) == "SNOMED:1:2")
        let own = [
            Coding(system: "http://a.example", code: "x"), Coding(system: "http://b.example", code: "x"),
        ].map {
            ConceptNames.code($0)
        }
        #expect(own[0] != own[1])
    }

    @Test("no code is that of something else")
    func unique() {
        let mood = ConceptNames.code(Coding(system: "http://study.example.org/codes", code: "mood")) ?? ""
        #expect(ConceptNames.code(Coding(system: "", code: String(mood.dropFirst("CODE:".count)))) != mood)
        #expect(ConceptNames.question("q1=B", in: "a-1") != ConceptNames.answer("B", to: "q1", in: "a-1"))
        let long = ConceptNames.code("LOINC", String(repeating: "1", count: 60))
        #expect(ConceptNames.code("LOINC", String(long.dropFirst("LOINC:".count))) != long)
        let answer = ConceptNames.component(answer: "A")
        #expect(ConceptNames.component(question: answer) != answer)
        #expect(ConceptNames.linkID(of: ConceptNames.component(question: "=A")) == "=A")
        #expect(ConceptNames.linkID(of: answer) == nil)
    }
}

import FHIR
import Foundation
import OrderedJSON
import Testing

@Suite("FHIR's primitives")
struct PrimitiveTests {
    @Test(
        "dates and times are written as they were read",
        arguments: [
            "2026", "2026-11", "2026-11-21", "2026-11-21T08:30:00Z", "2026-11-21T08:30:00+00:00",
            "2026-11-21T08:30:00.1200-05:30",
            "2024-02-29T23:59:60+14:00", "0001-01-01",
        ]
    )
    func dateTimes(text: String) {
        #expect(FHIRDateTime(text: text)?.description == text)
    }

    @Test(
        "what is no date or time is refused",
        arguments: [
            "", "26", "2026-", "2026-13", "2026-00", "2026-02-29", "2026-11-31", "2026-1-1", "2026-11-21T",
            "2026-11-21T08:30Z",
            "2026-11-21T08:30:00", "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z", "2026-11-21T08:30:61Z",
            "2026-11-21T08:30:00.Z",
            "2026-11-21T08:30:00+14:30", "2026-11-21T08:30:00+1:00", "2026-11T08:30:00Z",
            "2026-11-21 08:30:00Z", "0000", " 2026",
            "2026 ", "２０２６", "2026-11-21t08:30:00z",
        ]
    )
    func wrongDateTimes(text: String) {
        #expect(FHIRDateTime(text: text) == nil)
    }

    @Test("a date has no time, an instant has one")
    func precision() {
        #expect(FHIRDate(text: "2026-11-21T08:30:00Z") == nil)
        #expect(FHIRInstant(text: "2026-11-21") == nil)
        #expect(FHIRInstant(text: "2026-11-21T08:30:00Z")?.description == "2026-11-21T08:30:00Z")
        #expect(FHIRTime(text: "08:30:00.250")?.fraction == "250")
        #expect(FHIRTime(text: "08:30") == nil)
        #expect(FHIRDate(year: 2026, day: 1) == nil)
        #expect(FHIRDate(year: 2025, month: 2, day: 29) == nil)
        #expect(FHIRDate(year: 2026, month: 2)?.description == "2026-02")
    }

    @Test(
        "points in time agree with Foundation's, over the whole calendar",
        arguments: [-62_135_596_800, -1, 0, 951_782_399.5, 1e9, 253_402_300_799]
    )
    func instants(seconds: Double) {
        for offset in [0, 60, -330, 840] where offset == 0 || abs(seconds) < 2e11 && seconds > -6e10 {
            let date = Date(timeIntervalSince1970: seconds)
            let instant = FHIRInstant(date, offset: offset)
            #expect(instant.date == date)
            #expect(instant.dateTime.offset == offset)
            let hasFraction = instant.dateTime.time?.fraction.isEmpty == false
            let format = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
            if seconds > 0 { #expect((try? format.parse(instant.description)) == date) }
        }
    }

    @Test(
        "decimals keep their digits",
        arguments: ["1.10", "1e2", "0.00000001", "-0.0", "12345678901234567890.123", "1E-7"]
    )
    func decimals(digits: String) throws {
        let decimal = try #require(FHIRDecimal(digits))
        #expect(decimal.description == digits)
        #expect(decimal.tree.number == digits)
        #expect(decimal.decimal == Decimal(string: digits))
        #expect(FHIRDecimal(tree: try JSONValue(parsing: digits)) == decimal)
    }

    @Test("decimals are made of numbers, and of nothing else")
    func makingDecimals() {
        #expect((74.8 as FHIRDecimal).description == "74.8")
        #expect((5 as FHIRDecimal).description == "5")
        #expect(FHIRDecimal(Decimal(string: "1.25") ?? 0).description == "1.25")
        for text in ["", "1.", "+1", "NaN", "1,5", " 1", "0x1"] { #expect(FHIRDecimal(text) == nil) }
        #expect(FHIRDecimal(tree: "1.5") == nil)
        #expect(FHIRDecimal("1e999")?.decimal == nil)
    }
}

import Foundation
import IndivoModel
import IndivoXML
import Testing

@Suite("Dates and times")
struct DateTests {
    @Test(
        "a day is written back as it was read",
        arguments: [
            "2026-11-21", "2024-02-29", "2000-02-29", "-0044-03-15", "12026-01-01", "1979-04-02Z",
            "1979-04-02-05:00", "1979-04-02+00:00",
        ]
    )
    func dayKeepsItsText(text: String) throws {
        #expect(try XMLDate(lexical: text).lexical == text)
    }

    @Test(
        "what is no day is refused",
        arguments: [
            "", "2026", "2026-11", "2026-13-01", "2026-00-10", "2026-02-30", "2023-02-29", "1900-02-29",
            "0000-01-01",
            "02026-01-01", "26-01-01", "2026-1-1", "2026-11-21T00:00:00Z", "2026-11-21X", "2026-11-21+14:01",
            "2026-11-21+5:00", "２０２６-11-21", "2026/11/21",
        ]
    )
    func noDay(text: String) {
        #expect(throws: LexicalError.self) { try XMLDate(lexical: text) }
    }

    @Test(
        "a time is written back as it was read",
        arguments: [
            "2012-05-04T15:34:23Z", "2012-05-04T15:34:23.502840Z", "2012-05-04T15:34:23.250Z",
            "2012-05-04T15:34:23",
            "2012-05-04T15:34:23+02:00", "2012-05-04T15:34:23.1234567890123-14:00", "2012-05-04T24:00:00Z",
        ]
    )
    func timeKeepsItsText(text: String) throws {
        #expect(try XMLDateTime(lexical: text).lexical == text)
    }

    @Test(
        "what is no time is refused",
        arguments: [
            "2012-05-04", "2012-05-04T", "2012-05-04T15:34Z", "2012-05-04T25:00:00Z", "2012-05-04T24:00:01Z",
            "2012-05-04T15:60:00Z", "2012-05-04T15:34:60Z", "2012-05-04T15:34:23.Z", "2012-05-04 15:34:23Z",
            "BAD DATE",
        ]
    )
    func noTime(text: String) {
        #expect(throws: LexicalError.self) { try XMLDateTime(lexical: text) }
    }

    @Test("the reason names what is wrong")
    func reason() throws {
        let error = try #require(throws: LexicalError.self) { try XMLDate(lexical: "2023-02-29") }
        #expect(error.reason.contains("month 2 of 2023 has no day 29"))
    }

    @Test("an instant survives the way to Foundation and back", arguments: 0..<500)
    func foundationRoundTrip(seed: Int) throws {
        // Spread over the years 1 to 9999 by a fixed stride, microseconds included.
        let seconds = Double(-62_135_596_800 + seed * 631_138_519)
        let date = Date(timeIntervalSince1970: seconds + Double(seed % 7) / 8)
        let time = XMLDateTime(date)
        #expect(abs(time.date.timeIntervalSince(date)) < 0.000_1)
        #expect(try XMLDateTime(lexical: time.lexical) == time)
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.hour, .minute, .second], from: time.date)
        #expect([parts.hour, parts.minute, parts.second] == [time.hour, time.minute, time.second])
    }

    @Test("midnight as 24:00:00 is the next day's 00:00:00")
    func endOfDay() throws {
        #expect(try XMLDateTime(lexical: "2023-12-31T24:00:00Z") == "2024-01-01T00:00:00Z")
    }

    @Test("a data model's fields cut a time to its day and make a day midnight")
    func dataModelRules() throws {
        #expect(try XMLDate.fromField("2012-05-04T15:34:23Z") == "2012-05-04")
        #expect(try XMLDateTime.fromField("2012-05-04") == "2012-05-04T00:00:00Z")
    }

    @Test("days are ordered by the calendar")
    func order() {
        let days: [XMLDate] = ["2026-11-21", "-0044-03-15", "2026-02-01", "1999-12-31"]
        #expect(days.sorted() == ["-0044-03-15", "1999-12-31", "2026-02-01", "2026-11-21"])
    }
}

@Suite("Dates and Foundation")
struct FoundationBridgeTests {
    @Test("there is no year 0: the day before 1-01-01 is in the year -1, a leap year")
    func beforeChrist() throws {
        let first = try XMLDateTime(lexical: "0001-01-01T00:00:00Z").date
        #expect(XMLDateTime(first.addingTimeInterval(-1)).lexical == "-0001-12-31T23:59:59Z")
        #expect(try XMLDateTime(lexical: "-0001-12-31T24:00:00Z").date == first)
        #expect(try XMLDate(lexical: "-0001-02-29").day == 29)
        #expect(throws: LexicalError.self) { try XMLDate(lexical: "-0004-02-29") }
        #expect(XMLDate(year: 0, month: 1, day: 1) == nil)
        #expect(XMLDate(year: 1_000_000_000, month: 1, day: 1) == nil)
    }

    @Test(
        "instants beyond all years are cut, not a crash",
        arguments: [1e30, -1e30, .infinity, .nan, 9e12, -9e12]
    )
    func farAway(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(try XMLDateTime(lexical: XMLDateTime(date).lexical) == XMLDateTime(date))
        #expect(try XMLDate(lexical: XMLDate(date, in: .gmt).lexical) == XMLDate(date, in: .gmt))
    }

    @Test("components come and go through Calendar")
    func components() throws {
        let zone = try #require(TimeZone(secondsFromGMT: -5 * 3600))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let day = try XMLDate(lexical: "2024-02-29-05:00")
        #expect(XMLDate(day.dateComponents) == day)
        #expect(calendar.startOfDay(for: day.date()) == day.date())
        #expect(XMLDate(day.date(), in: zone) == XMLDate(year: 2024, month: 2, day: 29))
        let instant = try XMLDateTime(lexical: "2012-05-04T15:34:23.5-05:00")
        #expect(XMLDateTime(instant.dateComponents) == instant)
        #expect(
            calendar.date(from: instant.dateComponents).map {
                abs($0.timeIntervalSince(instant.date)) < 0.001
            } == true
        )
        let time = try XMLTime(lexical: "15:34:23.25Z")
        #expect(XMLTime(time.dateComponents) == time)
        for text in ["2009", "2009-07", "--07", "--02-29", "---31Z"] {
            let part = try XMLPartialDate(lexical: text)
            #expect(XMLPartialDate(part.dateComponents) == part, "\(text)")
        }
        let span = try XMLDuration(lexical: "P1Y2M3DT4.5S")
        #expect(span.dateComponents.month == 14)
        #expect(span.dateComponents.second == 3 * 86_400 + 4 && span.dateComponents.nanosecond == 500_000_000)
        #expect(XMLDate(DateComponents(year: 2023, month: 2, day: 29)) == nil)
        #expect(XMLDate(DateComponents(year: 2023, month: 2)) == nil)
    }

    @Test(
        "a day without a zone begins where one is",
        arguments: ["Europe/Berlin", "America/New_York", "Asia/Kolkata"]
    )
    func beginning(name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        // Among them the days on which the clocks are changed.
        for day in ["2026-03-29", "2026-10-25", "2026-03-08", "2026-11-01", "2026-11-21"] as [XMLDate] {
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute],
                from: day.date(in: zone)
            )
            #expect(
                [parts.year, parts.month, parts.day, parts.hour, parts.minute] == [
                    day.year, day.month, day.day, 0, 0,
                ]
            )
        }
    }
}

@Suite("Values read from nodes")
struct NodeValueTests {
    @Test("a date in an attribute or a text is nil when absent and an error when it is none")
    func dates() throws {
        let node = try XMLNode(parsing: "<a at=\"2012-05-04T15:34:23Z\" on=\"soon\">2026-11-21</a>")
        #expect(try node.attr("at", as: XMLDateTime.self) == "2012-05-04T15:34:23Z")
        #expect(try node.text(as: XMLDate.self) == "2026-11-21")
        #expect(try node.attr("until", as: XMLDate.self) == nil)
        #expect(throws: XMLError.self) { try node.attr("on", as: XMLDate.self) }
    }
}

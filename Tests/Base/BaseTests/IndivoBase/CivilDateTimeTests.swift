import IndivoBase
import Testing

@Suite("Dates and times of the calendar")
struct CivilDateTimeTests {
    @Test(
        "a date or time is written as it was read",
        arguments: [
            "2015", "2015-02", "2015-02-04", "0001-01-01", "9999-12-31", "2016-02-29", "2015-02-04T14",
            "2015-02-04T14:34", "2015-02-04T14:34:28", "2015-02-04T14:34:28.120", "2015-02-04T23:59:60Z",
            "2015-02-04T14:34:28.123456789+14:00", "2015-02-04T14:34:28-00:30", "2015-02-04T00:00:00Z",
        ]
    )
    func roundTrip(_ text: String) { #expect(CivilDateTime(text: text)?.description == text) }

    @Test("a time of day is read behind a T or by itself, and written by itself")
    func timeOfDay() {
        #expect(CivilDateTime(text: "T08:30")?.description == "08:30")
        var text = "08:30:00.25"
        #expect(text.withUTF8 { CivilDateTime(timeOfDay: $0) }?.description == text)
        #expect(CivilDateTime(text: "T08:30Z") == nil)
    }

    @Test(
        "what is not a date or time, or does not exist, is not read",
        arguments: [
            "", "0000", "201", "02015", "12015-01-01", "-0044-03-15", "2015-13", "2015-00-01", "2015-02-29",
            "1900-02-29", "2015-02-04T24:00:00Z", "2015-02-04T14:60", "2015-02-04T14:34:61Z", "2015-02T14",
            "2015-02-04T14:34:28.Z", "2015-02-04T14:34:28+14:01", "2015-02-04T14:34:28+1:00", "2015-02-04 ",
            "2015-02-04Z", "2015-02-04t14:34:28Z", "２０１５-02-04", "2015-02-0/", "2015-02:04",
        ]
    )
    func refused(_ text: String) { #expect(CivilDateTime(text: text) == nil) }

    @Test("the short way reads what the scanner reads")
    func plain() throws {
        for day in stride(from: -719_162, through: 2_932_896, by: 997) {
            var text = CivilDateTime(days: day).description + "T07:08:09Z"
            let plain = try #require(text.withUTF8 { CivilDateTime(plain: $0) })
            #expect(plain.days == day)
            var scanner = text + ".000"
            scanner.replaceSubrange(scanner.firstRange(of: "Z.000")!, with: ".000Z")
            var scanned = try #require(CivilDateTime(text: scanner))
            scanned.trimFraction()
            #expect(scanned == plain)
        }
    }

    @Test("a point in time comes back from its microseconds in any zone, also before 1970")
    func instants() {
        for microseconds in [
            0, -1, 1, 86_399_999_999, -86_400_000_001, 1_700_000_000_123_456, -62_135_596_800_000_000,
        ] {
            for offset in [0, 60, -570, 840, -840] {
                let time = CivilDateTime(microseconds: microseconds, offset: offset)
                #expect(time.microseconds == microseconds)
                #expect(time.inUTC().microseconds == microseconds)
                #expect(time.inUTC().offset == 0)
            }
        }
        #expect(
            CivilDateTime(microseconds: -1).description == "1969-12-31T23:59:59.999999Z"
        )
        #expect(
            CivilDateTime(text: "2015-01-01T00:30:00+01:00")?.inUTC().description == "2014-12-31T23:30:00Z"
        )
    }

    @Test("months later, a day that the month does not have is its last")
    func months() throws {
        let day = try #require(CivilDateTime(text: "2015-01-31"))
        #expect(day.adding(months: 1).description == "2015-02-28")
        #expect(day.adding(months: 13).description == "2016-02-29")
        #expect(day.adding(months: -2).description == "2014-11-30")
    }

    @Test("a date of HTTP is written as it was read")
    func http() throws {
        let text = "Sun, 06 Nov 1994 08:49:37 GMT"
        let date = try #require(CivilDateTime(httpDate: text))
        #expect(date.seconds == 784_111_777)
        #expect(date.httpDate == text)
        for other in [
            "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "",
        ] {
            #expect(CivilDateTime(httpDate: other) == nil, "\(other)")
        }
    }
}

import IndivoBase
import Testing

@Suite("Dates of HTTP")
struct HTTPDateTests {
    @Test("the RFC's example is read and written")
    func example() {
        #expect(CivilDateTime(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT")?.seconds == 784_111_777)
        #expect(CivilDateTime(seconds: 784_111_777).httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test("what is written is read again, before 1970 and on leap days too")
    func roundTrip() {
        for seconds in stride(from: -4_000_000_000, through: 60_000_000_000, by: 777_777_777) {
            #expect(CivilDateTime(httpDate: CivilDateTime(seconds: seconds).httpDate)?.seconds == seconds)
        }
        #expect(CivilDateTime(seconds: 1_709_164_800).httpDate == "Thu, 29 Feb 2024 00:00:00 GMT")
    }

    @Test(
        "days that do not exist, other forms and other zones are no dates",
        arguments: [
            "", "Sun, 30 Feb 2026 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 00 Nov 1994 08:49:37 GMT",
        ]
    )
    func malformed(text: String) { #expect(CivilDateTime(httpDate: text)?.seconds == nil) }
}

import Foundation
import Synchronization
import Testing

@testable import IndivoSandbox

@Suite("Numbers and dates as the real server takes and reports them")
struct NumbersAndDatesTests {
    /// A record with a measurement for each pair of a number and a date, the first the oldest.
    private func withMeasurements(
        _ measurements: [(value: String, date: String)],
        identifiers: IdentifierSource = .random,
        _ body: (TestApp, String) async throws -> Void
    ) async throws {
        var configuration = SandboxConfiguration()
        configuration.identifiers = identifiers
        try await withSandbox(configuration) { sandbox async throws in
            let world = try await World(sandbox)
            for (value, date) in measurements {
                let stored = try await world.owner.post(
                    "/records/\(world.record)/documents/",
                    xml: Self.document(value, date)
                )
                #expect(stored.status == 200, "\(value) \(date): \(stored.text)")
            }
            try await body(world.owner, "/records/\(world.record)")
        }
    }

    private static func document(_ value: String, _ date: String) -> String {
        """
        <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Measurement"><Field \
        name="type">N</Field>\
        <Field name="value">\(value)</Field><Field name="unit">u</Field><Field \
        name="datetime">\(date)</Field></Model></Models>
        """
    }

    private static let numbers = ["nan", "+NaN", "inf", "-Infinity", "1e400", " 7 ", "-0.0", "2.5"]

    @Test("numbers that are not finite are stored, and written bare in JSON")
    func json() async throws {
        try await withMeasurements(Self.numbers.map { ($0, "2009-01-01") }) { app, record async throws in
            let report = try await app.get(record + "/reports/Measurement/?type=N")
            let values = report.text.matches(of: /"value": ([^,}]+)/).map { String($0.output.1) }
            #expect(values == ["2.5", "0.0", "7.0", "Infinity", "-Infinity", "Infinity", "NaN", "NaN"])
            let xml = try await app.get(
                record + "/reports/Measurement/?type=N&response_format=application/xml"
            )
            let texts = xml.text.matches(of: /"value">([^<]+)/).map { String($0.output.1) }
            #expect(texts == ["2.5", "0.0", "7.0", "inf", "-inf", "inf", "nan", "nan"])
        }
    }

    @Test("NaN is equal to itself, the largest number, and what sums of it are")
    func queries() async throws {
        try await withMeasurements(Self.numbers.map { ($0, "2009-01-01") }) { app, record async throws in
            func values(_ query: String) async throws -> [String] {
                let report = try await app.get(record + "/reports/Measurement/?type=N&" + query)
                return report.text.matches(of: /"value": ([^,}]+)/).map { String($0.output.1) }
            }
            #expect(try await values("value=NAN") == ["NaN", "NaN"])
            #expect(try await values("value=inf%7C2.5&order_by=value") == ["2.5", "Infinity", "Infinity"])
            #expect(
                try await values("order_by=value")
                    == ["-Infinity", "0.0", "2.5", "7.0", "Infinity", "Infinity", "NaN", "NaN"]
            )
            for (operation, value) in [
                ("sum", "NaN"), ("avg", "NaN"), ("max", "NaN"), ("min", "-Infinity"), ("count", "8"),
            ] {
                #expect(
                    try await values("group_by=unit&aggregate_by=\(operation)*value") == [value],
                    "\(operation)"
                )
            }
            #expect(try await values("value=inf%7C-inf&group_by=unit&aggregate_by=sum*value") == ["NaN"])
            #expect(try await values("value=7%7C2.5&group_by=unit&aggregate_by=sum*value") == ["9.5"])
        }
    }

    @Test(
        "texts that are no number of the real server's language are refused",
        arguments: ["1_000", "0x10", "1,5", "infinit"]
    )
    func refusedNumbers(text: String) async throws {
        try await withMeasurements([]) { app, record async throws in
            let answer = try await app.post(record + "/documents/", xml: Self.document(text, "2009-01-01"))
            #expect(answer.status == 400)
            #expect(answer.text.contains("should have been numeric: got \(text) instead"))
        }
    }

    @Test("a date may have single digits and small letters; seconds end at 59")
    func dates() throws {
        let dates = [
            "2009-5-6": "2009-05-06T00:00:00Z", "2009-05- 6": "2009-05-06T00:00:00Z",
            "2009-05-16t12:00:00z": "2009-05-16T12:00:00Z", "2009-05-16T1:2:3Z": "2009-05-16T01:02:03Z",
            "2009-1-1T00:00:00.5Z": "2009-01-01T00:00:00.500000Z", "0001-01-01": "0001-01-01T00:00:00Z",
        ]
        for (text, instant) in dates {
            #expect(IndivoDate.parseDateTime(text)?.text == instant, "\(text)")
        }
        let refused = [
            "0000-01-01", "2009-05-16T12:00:60Z", "2009-05-16 ", "2009-05-16T12:00:00.Z",
            "2009-05-16T12:00:00.1234567Z",
            "2009-05-16T12:00:00", "2009-05-16T12:00:00+02:00", "2009-13-01", "2009-02-29", "209-01-01",
            "2009-01-01T24:00:00Z",
        ]
        for text in refused { #expect(IndivoDate.parseDateTime(text) == nil, "\(text)") }
    }

    @Test("a year before 1900 is a bad date in reports, but a year in XML of aggregates")
    func oldDates() async throws {
        try await withMeasurements([("1", "1850-02-03T10:00:00Z"), ("1", "1900-01-01")]) {
            app,
            record async throws in
            let minimal = record + "/reports/minimal/measurements/N/"
            let list = try await app.get(
                minimal + "?date_range=date_measured*1800-01-01*&order_by=date_measured"
            )
            #expect(list.text.contains("value=\"date_measured*BAD DATE*\""))
            let times = list.text.matches(of: /\ datetime="([^"]*)"/).map { String($0.output.1) }
            #expect(times == ["BAD DATE", "1900-01-01T00:00:00Z"])
            let generic = record + "/reports/Measurement/?type=N&group_by=unit&aggregate_by=min*datetime"
            #expect(try await app.get(generic).text.contains("\"value\": \"BAD DATE\""))
            #expect(
                try await app.get(generic + "&response_format=application/xml").text.contains(
                    "value=\"1850-02-03 10:00:00\""
                )
            )
            let template = try await app.get(minimal + "?group_by=lab_code&aggregate_by=min*date_measured")
            #expect(template.text.contains("value=\"Feb. 3, 1850, 10 a.m.\""))
        }
    }

    @Test("equal facts come in the order of their ids, whichever way they are sorted")
    func ties() async throws {
        // The ids go down as the facts come.
        let count = Mutex(900)
        let source = IdentifierSource(
            id: { kind in
                guard kind == .fact else { return IdentifierSource.random.id(kind) }
                let number = count.withLock { count in
                    count -= 1
                    return count
                }
                return "fact-\(number)"
            },
            token: IdentifierSource.random.token
        )
        let measurements = [("1", "2009-01-01"), ("2", "2009-01-01"), ("3", "2009-01-01")]
        try await withMeasurements(measurements, identifiers: source) { app, record async throws in
            for order in ["datetime", "-datetime"] {
                let report = try await app.get(record + "/reports/Measurement/?type=N&order_by=" + order)
                let values = report.text.matches(of: /"value": ([^,}]+)/).map { String($0.output.1) }
                #expect(values == ["3.0", "2.0", "1.0"], "\(order)")
            }
            let newest = try await app.get(record + "/reports/Measurement/?type=N&order_by=-created_at")
            let values = newest.text.matches(of: /"value": ([^,}]+)/).map { String($0.output.1) }
            #expect(values == ["3.0", "2.0", "1.0"])
        }
    }

    @Test("a page is checked where one is taken: not without a limit, nor for one aggregate")
    func pages() async throws {
        try await withMeasurements([("1", "2009-01-01")]) { app, record async throws in
            #expect(try await app.get(record + "/reports/Measurement/?limit=0&offset=-1").status == 200)
            #expect(try await app.get(record + "/reports/Measurement/?limit=1&offset=-1").status == 500)
            let one = record + "/reports/minimal/measurements/N/?aggregate_by=max*value&limit=-1"
            #expect(try await app.get(one).status == 200)
            let none = record + "/reports/minimal/measurements/X/?aggregate_by=max*value"
            #expect(try await app.get(none).text.contains("value=\"None\""))
        }
    }
}

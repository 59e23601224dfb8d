import FHIR
import Foundation
import HealthSamples
import Testing
import ZipArchive

/// What stands in the archive around Apple's export.
@Suite struct ArchiveTests {
    private func read(
        _ entries: [(name: String, text: String)],
        _ body: (inout SampleReader) throws -> Void
    ) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).zip")
        defer { try? FileManager.default.removeItem(at: url) }
        var limits = ZipLimits()
        limits.entries = 100_000
        let writer = try ZipWriter(url: url, limits: limits)
        for (name, text) in entries { try writer.add(name, data: Data(text.utf8)) }
        try writer.finish()
        var reader = try SampleReader(url: url)
        try body(&reader)
    }

    private func all(_ entries: [(name: String, text: String)]) throws -> (
        samples: [Sample], problems: [SampleProblem]
    ) {
        var result: (samples: [Sample], problems: [SampleProblem]) = ([], [])
        try read(entries) { reader in result = try ExportTests.all(reader) }
        return result
    }

    private static let export = ExportTests.head + ExportTests.record() + "</HealthData>"

    @Test("an export of very many routes is read")
    func manyRoutes() throws {
        let routes = (0..<10_001).map { ("apple_health_export/workout-routes/route_\($0).gpx", "") }
        #expect(try all([("apple_health_export/export.xml", Self.export)] + routes).samples.count == 1)
    }

    @Test("the files that macOS adds are not taken for an export")
    func macOS() throws {
        let forks = [
            "__MACOSX/._export.xml", "__MACOSX/apple_health_export/._export.xml",
            "apple_health_export/._export.xml",
            "apple_health_export/electrocardiograms/._ecg.csv",
        ]
        let (samples, problems) = try all(
            [("apple_health_export/export.xml", Self.export)] + forks.map { ($0, "\u{5}\u{16}\u{7}") }
        )
        #expect(samples.count == 1 && problems == [])
    }

    @Test("an export is found in any folder")
    func anyFolder() throws {
        let (samples, problems) = try all([
            ("Downloads/old/apple_health_export/export.xml", Self.export), ("a/b/c/other.xml", "<x/>"),
        ])
        #expect(samples.count == 1)
        #expect(problems.map(\.file) == ["a/b/c/other.xml"])
    }

    @Test("the reader names the entry of each item")
    func entryNames() throws {
        let line = Fixture.quantity("HeartRate", 60, "count/min").json.text()
        var names: [String?] = []
        try read([("a.jsonl", line), ("export.xml", Self.export), ("b.jsonl", line)]) { reader in
            var found: [String?] = []
            while try reader.next() != nil { found.append(reader.entryName) }
            names = found
        }
        #expect(names == ["export.xml", "a.jsonl", "b.jsonl"])
    }

    private static func heart(rate: String, head: String = "") -> String {
        "名前,Anna\n生年月日,1990/01/01\n記録日,2026-03-01 08:00:00 +0100\n分類,洞調律\n症状,\nソフトウェアのバージョン,1.9\n"
            + "デバイス,\"Watch6,1\"\n\(head)サンプルレート,\(rate)\n\nリード,誘導I\n単位,µV\n\n1.5\n-2\n"
    }

    @Test(
        "the rate of an electrocardiogram is read in every language",
        arguments: ["512ヘルツ", "512 赫兹", "512헤르츠", "512 герц", "512,0 Гц", "512 hertz", "512\u{A0}Hz"]
    )
    func rateLanguages(_ rate: String) throws {
        let (samples, problems) = try all([
            ("apple_health_export/electrocardiograms/ecg.csv", Self.heart(rate: rate))
        ])
        #expect(problems == [])
        guard case .electrocardiogram(let heart)? = samples.first?.value else { return #expect(Bool(false)) }
        #expect(heart.samplingFrequency.value.decimal == 512 && heart.voltages == [1.5, -2])
    }

    /// Two voltages at 512.4 a second take 3903.200… microseconds.
    @Test("a rate with a fraction gives the right end")
    func fractionalRate() throws {
        let (samples, _) = try all([("electrocardiograms/ecg.csv", Self.heart(rate: "512.4 hertz"))])
        #expect(samples.first?.end == "2026-03-01T08:00:00.003903+01:00")
    }

    @Test("a rate in another row is found by its word")
    func rateRow() throws {
        let heart = Self.heart(rate: "512 Hz", head: "x,y\n").replacingOccurrences(of: "単位", with: "Unit")
        #expect(try all([("electrocardiograms/ecg.csv", heart)]).samples.count == 1)
        let none = try all([("electrocardiograms/ecg.csv", Self.heart(rate: "ヘルツ"))])
        #expect(none.problems.first?.reason == "no sampling frequency")
    }

    @Test("the head of an electrocardiogram is bounded")
    func longHead() throws {
        let head = String(repeating: "a,b\n", count: 200)
        let problem = try #require(
            try all([("electrocardiograms/ecg.csv", Self.heart(rate: "512 Hz", head: head))]).problems.first
        )
        #expect(problem.reason.contains("in the first 100 rows") && problem.line == 101)
    }
}

import FHIR
import Foundation
import HealthSamples
import Testing
import ZipArchive

/// Progress and cancellation of reading, and the order of an archive's entries.
@Suite struct ReadingProgressTests {
    private struct Stop: Error {}

    /// An export of some megabytes, for as long as `body` takes.
    private func withExport(_ body: (URL, Int) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xml")
        defer { try? FileManager.default.removeItem(at: url) }
        let text = ExportTests.head + String(repeating: ExportTests.record(), count: 4000) + "</HealthData>\n"
        try Data(text.utf8).write(to: url)
        try body(url, text.utf8.count)
    }

    @Test("the first pass over an export tells its progress before there is a sample")
    func firstPass() throws {
        try withExport { url, size in
            final class Told { var bytes: [Int] = [] }
            let told = Told()
            var reader = try SampleReader(url: url) { told.bytes.append($0) }
            #expect(reader.totalBytes == 2 * size && told.bytes == [])
            _ = try reader.next()
            let first = told.bytes
            #expect(first.count > size / (256 << 10) && first.max() == size, "\(first)")
            while try reader.next() != nil {}
            #expect(told.bytes == told.bytes.sorted() && reader.bytesRead == 2 * size)
        }
    }

    @Test("what the progress throws ends the reading, and nothing more is given")
    func stopped() throws {
        try withExport { url, _ in
            var reader = try SampleReader(url: url) { if $0 > 500_000 { throw Stop() } }
            #expect(throws: Stop.self) { try reader.next() }
            #expect(try reader.next() == nil)
        }
    }

    @Test("a cancelled task reads nothing more, not even in the first pass")
    func cancelled() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try withExport { url, _ in
                var reader = try SampleReader(url: url)
                #expect(throws: CancellationError.self) { try reader.next() }
            }
        }
        try await task.value
    }

    @Test("the entries of an archive come by kind and name, however it is packed")
    func order() throws {
        let entries = [
            ("apple_health_export/clinical-records/b.json", #"{"resourceType":"Patient","id":"b"}"#),
            ("apple_health_export/electrocardiograms/ecg_2.csv", "bad"), ("more.jsonl", "{}"),
            ("apple_health_export/clinical-records/a.json", #"{"resourceType":"Patient","id":"a"}"#),
            ("apple_health_export/electrocardiograms/ecg_1.csv", "bad"),
            ("apple_health_export/workout-routes/route.gpx", "<gpx/>"),
            ("apple_health_export/export.xml", ExportTests.head + ExportTests.record() + "</HealthData>"),
        ]
        for packed in [entries, entries.reversed()] {
            let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).zip")
            defer { try? FileManager.default.removeItem(at: url) }
            let writer = try ZipWriter(url: url)
            for (name, text) in packed { try writer.add(name, data: Data(text.utf8)) }
            try writer.finish()
            var reader = try SampleReader(url: url)
            var found: [String] = []
            while let item = try reader.next() {
                switch item {
                case .problem(let problem):
                    found.append(String(problem.file.split(separator: "/").last ?? ""))
                case .sample(let sample, _):
                    if case .clinicalRecord(let record) = sample.value {
                        found.append(record.id ?? "")
                    } else {
                        found.append("export")
                    }
                }
            }
            #expect(found == ["export", "ecg_1.csv", "ecg_2.csv", "a", "b", "more.jsonl"])
            #expect(reader.bytesRead == reader.totalBytes)
        }
    }
}

import FHIR
import Testing

@testable import StudyWarehouse

@Suite("What is known of a sample's identity")
struct KnownSampleTests {
    private func row(_ start: Int) -> BatchSample.Row {
        let kind = StudySample.Kind(concept: "c", key: "k", unit: "1")
        let value = Double(start)
        return BatchSample.Row(
            StudySample(id: 1, kind: kind, start: start, end: nil, value: value, offset: 0, source: "s"),
            received: WarehouseTime(FHIRDateTime("2026-03-01T00:00:00Z"))
        )
    }

    @Test("rows are found by their starts, however many an identity has", arguments: [1, 8, 9, 10, 500])
    func starts(_ count: Int) {
        var known = BatchSample.Known()
        for start in 0..<count { known[start * 7] = row(start * 7) }
        for start in 0..<count { #expect(known[start * 7]?.sample.start == start * 7) }
        #expect(known.starts.sorted() == (0..<count).map { $0 * 7 })
        #expect(!known.knows(3) && known[3] == nil)
        // One that was taken away stays known, and the database's is not put in its place.
        known[0] = nil
        known.add(row(0))
        #expect(known.knows(0) && known[0] == nil)
        known[0] = row(0)
        #expect(known.latest?.sample.start == (count - 1) * 7)
        #expect(known.starts.count == count)
    }
}

import HTTPTypes
import Indivo
import IndivoTesting
import Synchronization

/// Faults of the next requests, as a test announces them; all others go well.
final class NextFaults: Sendable {
    private let faults = Mutex<[FaultyTransport.Fault?]>([])

    /// The network with these faults.
    var transport: FaultyTransport {
        FaultyTransport(.system) { _, _ in
            self.faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }

    /// What happens to the next requests, one after the other.
    func announce(_ next: FaultyTransport.Fault?...) { faults.withLock { $0 = next } }

    /// The server stores what the next request brings, the response is lost, and whatever is asked next does
    /// not arrive: the outcome cannot be known.
    func hideOutcome() { announce(.loseResponse, .loseRequest) }
}

extension TestRecord {
    /// How many documents the record has, replaced versions left out.
    func documentCount() async throws -> Int {
        try await record.documents(DocumentQuery(pageSize: 1000)).all().count
    }

    /// The notes of all problems in the record, in no particular order.
    func problemNotes() async throws -> Set<String> {
        Set(try await record.reports(of: Problem.self).all().compactMap(\.notes))
    }
}

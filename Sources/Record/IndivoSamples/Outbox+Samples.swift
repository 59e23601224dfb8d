import FHIR
import Foundation
import HealthSamples
import Indivo
import IndivoOutbox

/// What became of a sample that was given to an outbox.
public enum SampleQueueing: Sendable {
    /// It waits for delivery in this item.
    case queued(OutboxItem)
    /// It was queued before, and waits or was delivered.
    case known
    /// It cannot become a document. The text may quote the sample.
    case refused(String)
}

extension Outbox {
    /// Queues samples as documents of the record, each once, however often they are given.
    ///
    /// ```swift
    /// var reader = try SampleReader(url: export)
    /// var batch: [Sample] = []
    /// while let item = try reader.next() {
    ///     if case .sample(let sample, _) = item { batch.append(sample) }
    ///     if batch.count == 500 {
    ///         try await outbox.add(batch)
    ///         batch = []
    ///     }
    /// }
    /// try await outbox.add(batch)
    /// try await outbox.flush()
    /// ```
    /// A document goes out under its sample's identity as external id, which a record takes once: a sample
    /// whose delivery is forgotten here (`DeliveryPolicy.receipts`) is found on the server, and not stored
    /// again.
    ///
    /// - Parameters:
    ///   - samples: A batch; the queued items are searched once for each.
    ///   - parts: What documents are made of, as correlations have members with documents of their own; that
    ///     of ``SampleDocuments`` unless given.
    ///   - document: Makes the XML of a sample's document; that of ``SampleDocuments`` unless
    ///     given. For other models give `table.parts(of:)` and `table.document(of:)` of a
    ///     ``SampleTable``.
    /// - Returns: What became of each, in their order. Where one part is refused, the sample is, while its
    ///   other parts are queued.
    /// - Throws: `OutboxError` when the disk fails, and what `document` throws that is no `SampleError`. What
    ///   was queued before stays queued; giving all again does no harm.
    @discardableResult
    public func add(
        _ samples: [Sample],
        parts: (Sample) -> [Sample] = { SampleDocuments.parts(of: $0) },
        document: (Sample) throws -> [UInt8] = { try SampleDocuments.document(of: $0) }
    ) async throws -> [SampleQueueing] {
        var known = Set(try await itemsAndDelivered().map(\.id))
        var results: [SampleQueueing] = []
        for sample in samples {
            var result = SampleQueueing.known
            for part in parts(sample) {
                let id = part.identity
                guard !known.contains(id) else { continue }
                do {
                    let content = FileContent(Data(try document(part)), contentType: "application/xml")
                    let item = try await add(content, externalID: id)
                    known.insert(id)
                    if case .known = result { result = .queued(item) }
                } catch let error as SampleError {
                    if case .refused = result { continue }
                    result = .refused(error.description)
                }
            }
            results.append(result)
        }
        return results
    }
}

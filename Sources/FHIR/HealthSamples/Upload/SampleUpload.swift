import FHIR
import FHIRClient

/// Sends samples to a FHIR server. Sending them again creates nothing twice.
///
///     let upload = SampleUpload(client: client, patientID: "7")
///     for batch in batches { let outcomes = try await upload.send(batch) }
///
/// A batch is a transaction. Each Observation, or DocumentReference of a workout route, is created on the
/// condition that the patient has none with its identifier, so that two patients may have samples with equal
/// identifiers, and a transaction whose response was lost is sent again. Where the server refuses a
/// transaction, it is halved until the samples that it refuses stand alone.
///
/// Samples are only added: one that was deleted on the phone stays on the server.
public struct SampleUpload: Sendable {
    /// The outcome of a sample.
    public enum Outcome: Sendable, Hashable {
        /// It was created.
        case created
        /// It was there already.
        case existing
        /// It is a clinical record, has no mapping or the UUID of another sample, or the server refuses it.
        /// The text may quote the sample.
        case refused(String)
    }

    /// The server.
    public let client: FHIRClient
    /// The converter of samples to Observations.
    public let converter: SampleConverter
    private let patientID: String

    /// - Parameter patientID: The logical id of the patient, as the server gave it.
    public init(client: FHIRClient, patientID: String, mapping: HealthMapping = .standard) {
        self.client = client
        self.patientID = patientID
        converter = SampleConverter(mapping: mapping, subject: "Patient/\(patientID)")
    }

    private struct Item {
        var index: Int
        var identity: String
        var resource: Resource
        var device: Device?
    }

    private enum Resource {
        case observation(Observation)
        case document(DocumentReference)

        init?(_ resource: AnyResource) {
            if let observation = resource.as(Observation.self) {
                self = .observation(observation)
            } else if let document = resource.as(DocumentReference.self) {
                self = .document(document)
            } else {
                return nil
            }
        }
    }

    /// Sends samples. Servers accept a batch of one or two hundred.
    ///
    /// A correlation that cannot become an Observation is refused as a whole; send `converter.parts(of:)` of
    /// each sample instead to have its members sent.
    /// - Returns: The outcome of each, in their order.
    /// - Throws: `FHIRClientError` where the server cannot be reached or fails, `CancellationError`. It is
    ///   safe to retry.
    public func send(_ samples: [Sample]) async throws -> [Outcome] {
        var outcomes: [Outcome?] = Array(repeating: nil, count: samples.count)
        var items: [Item] = []
        var firsts: [String: Int] = [:]
        var copies: [(index: Int, first: Int)] = []
        for (index, sample) in samples.enumerated() {
            // Its subject and identifiers are those of the server that it came from: here they may be another
            // patient's.
            if case .clinicalRecord = sample.value {
                outcomes[index] = .refused(
                    "clinical records are not uploaded: they name the patient of another server"
                )
                continue
            }
            do throws(SampleError) {
                let device = converter.device(of: sample)
                let converted = try converter.resource(of: sample)
                guard let resource = Resource(converted), let identity = converted.id else {
                    outcomes[index] = .refused("it becomes neither an Observation nor a DocumentReference")
                    continue
                }
                // The server evaluates the conditions before it creates anything: the same sample twice would
                // be created twice.
                if let first = firsts[identity] {
                    if sample.fingerprint == samples[first].fingerprint {
                        copies.append((index, first))
                    } else {
                        outcomes[index] = .refused("another sample of the batch has the UUID \(identity)")
                    }
                    continue
                }
                firsts[identity] = index
                items.append(Item(index: index, identity: identity, resource: resource, device: device))
            } catch {
                outcomes[index] = .refused(error.description)
            }
        }
        for (item, outcome) in zip(items, try await send(items[...])) { outcomes[item.index] = outcome }
        for (index, first) in copies {
            outcomes[index] = outcomes[first].map { $0 == .created ? .existing : $0 }
        }
        return outcomes.map { $0 ?? .refused("not sent") }
    }

    private func send(_ items: ArraySlice<Item>) async throws -> [Outcome] {
        if items.isEmpty { return [] }
        try Task.checkCancellation()
        do {
            return try await transact(items)
        } catch let error as FHIRClientError where error.refusesContent {
            guard items.count > 1 else {
                return [.refused(error.outcome?.issue.first?.message ?? error.description)]
            }
            let middle = items.startIndex + items.count / 2
            let first = try await send(items[..<middle])
            return try await first + send(items[middle...])
        }
    }

    private func transact(_ items: ArraySlice<Item>) async throws -> [Outcome] {
        var transaction = FHIRTransaction()
        var devices: [String: Reference<Device>] = [:]
        for item in items {
            guard let device = item.device, let id = device.id, devices[id] == nil else { continue }
            var new = device
            new.id = nil
            devices[id] = transaction.create(new, ifNoneExist: [.parameter("identifier", Self.token(id))])
        }
        let start = transaction.entries.count
        for item in items {
            let device = item.device?.id.flatMap { devices[$0]?.to(AnyResource.self) }
            let condition: FHIRSearch = [
                .parameter("identifier", Self.token(item.identity)),
                .parameter("subject", .reference("Patient/\(patientID)")),
            ]
            switch item.resource {
            case .observation(var observation):
                observation.id = nil
                observation.device = device
                transaction.create(observation, ifNoneExist: condition)
            case .document(var document):
                document.id = nil
                if let device { document.author = [device] }
                transaction.create(document, ifNoneExist: condition)
            }
        }
        let results = try await client.transaction(transaction)
        return results.dropFirst(start).map { $0.status == 201 ? .created : .existing }
    }

    private static func token(_ id: String) -> FHIRSearchValue {
        .token(system: SampleConverter.identifierSystem, "urn:uuid:\(id)")
    }
}

extension FHIRClientError {
    /// Whether the server is there and refuses what was sent; sending less may help.
    fileprivate var refusesContent: Bool {
        switch status {
        case 400, 409, 412, 413, 422: true
        default: false
        }
    }
}

import FHIR

/// What became of one entry of a transaction or batch.
public struct FHIREntryResult: Sendable {
    /// The status, such as 201.
    public let status: Int
    /// The logical id, where the server stored something.
    public let id: String?
    /// The version that is stored now.
    public let versionID: String?
    /// Where it is stored.
    public let location: FHIRURI?
    /// What was asked for, or is stored, if the server returned it.
    public let resource: AnyResource?
    /// What the server says about it.
    public let outcome: OperationOutcome?

    /// Whether it was done.
    public var isSuccess: Bool { (200..<300).contains(status) || status == 304 }
}

extension FHIRClient {
    /// Does everything or nothing (`transaction`).
    ///
    /// It is retried only when that is safe: when every create has a condition.
    /// - Returns: What became of each entry, in the order of the entries.
    /// - Throws: ``FHIRClientError``; then nothing was done, unless ``FHIRClientError/mayHaveBeenDone``.
    @discardableResult
    public func transaction(_ transaction: FHIRTransaction) async throws -> [FHIREntryResult] {
        let (reply, results) = try await send(transaction, as: .transaction, expecting: .transactionResponse)
        if let index = results.firstIndex(where: { !$0.isSuccess }) {
            throw reply.malformed(
                "entry \(index) of a transaction that succeeded has status \(results[index].status)"
            )
        }
        return results
    }

    /// Does each entry independently of the others (`batch`).
    /// - Returns: What became of each, in the order of the entries; a failed entry does not throw.
    @discardableResult
    public func batch(_ batch: FHIRTransaction) async throws -> [FHIREntryResult] {
        try await send(batch, as: .batch, expecting: .batchResponse).results
    }

    private func send(
        _ transaction: FHIRTransaction,
        as type: BundleType,
        expecting responseType: BundleType
    ) async throws -> (reply: FHIRReply, results: [FHIREntryResult]) {
        let request = FHIRRequest(
            type.code,
            .post,
            [],
            body: .resource(transaction.bundle(type)),
            retry: transaction.retry
        )
        let reply = try await send(request)
        let bundle = try reply.the(FHIRBundle.self)
        guard bundle.type == responseType else {
            throw reply.malformed("it should be a bundle of type \(responseType.code)")
        }
        let entries = bundle.entry
        guard entries.count == transaction.entries.count else {
            throw reply.malformed(
                "it has \(entries.count) entries, and \(transaction.entries.count) were sent"
            )
        }
        let results = try entries.enumerated().map { index, entry throws(FHIRClientError) in
            guard let result = FHIREntryResult(entry) else {
                throw reply.malformed("its entry \(index) has no status")
            }
            return result
        }
        return (reply, results)
    }
}

extension FHIREntryResult {
    /// `nil` for an entry that does not begin with a status of three digits.
    fileprivate init?(_ entry: FHIRBundle.Entry) {
        guard let response = entry.response, let text = response.status?.prefix(while: { $0 != " " }),
            text.utf8.count == 3,
            let status = Int(text), (100...599).contains(status)
        else { return nil }
        self.status = status
        let place = ResourceLocation(response.location?.rawValue, type: nil)
        id = place.id ?? entry.resource?.id
        versionID = place.versionID ?? entry.resource?.meta?.versionId
        location = response.location
        outcome = response.outcome?.as(OperationOutcome.self) ?? entry.resource?.as(OperationOutcome.self)
        resource = entry.resource
    }
}

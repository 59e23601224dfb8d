import FHIR
import Foundation
import GRDB
import OrderedJSON
import WebServing

extension Session {
    /// A batch or a transaction as a whole, in this session's transaction of the database.
    func process(_ bundle: SentBundle) throws -> JSONValue {
        guard bundle.kind == .batch else { return try transaction(bundle) }
        var batch = BatchProgress(bundle)
        while !batch.isDone { batch = try turn(of: batch) }
        return Self.bundle("batch-response", batch.responses)
    }

    static func bundle(_ type: String, _ entries: [JSONValue]) -> JSONValue {
        var bundle: JSONValue = ["resourceType": "Bundle", "type": JSONValue(type)]
        if !entries.isEmpty { bundle["entry"] = JSONValue(entries) }
        return bundle
    }

    // MARK: Batch

    /// Does the next entries of a batch, for as long as a turn may last.
    func turn(of batch: BatchProgress) throws -> BatchProgress {
        var batch = batch
        let end = ContinuousClock.now + .seconds(limits.batchTurn)
        repeat {
            try doEntry(of: &batch)
        } while !batch.isDone && ContinuousClock.now < end
        return batch
    }

    /// A failure undoes what its entry did, and nothing else. Once the time or the bytes are used up, no
    /// further entry is done; what was done stays.
    private func doEntry(of batch: inout BatchProgress) throws {
        let index = batch.responses.count
        do {
            try deadline?.check()
            try checkBytes(batch.bytes)
            var response = FHIRResponse()
            try db.inSavepoint {
                let entry = try BundleEntry(
                    batch.bundle.entries[index],
                    index: index,
                    in: batch.bundle,
                    bases: bases
                )
                response = try perform(entry.request)
                return .commit
            }
            batch.add(responseEntry(response, batch.bundle.request), bytes: response.bytes)
        } catch let failure as FHIRFailure {
            batch.add(BatchProgress.response(failure, at: index), bytes: 0)
        }
    }

    /// What entries read and write is bounded: a small patch makes a large version, and a short search finds
    /// much.
    private func checkBytes(_ bytes: Int) throws(FHIRFailure) {
        guard bytes <= limits.response else {
            throw .tooCostly(
                """
                not done: the entries read and write more than \(limits.response) bytes of resources; \
                send fewer at once
                """,
                status: 503
            )
        }
    }

    // MARK: Transaction

    /// All entries are done, or none.
    func transaction(_ bundle: SentBundle) throws -> JSONValue {
        Self.bundle("transaction-response", try results(of: bundle))
    }

    private func results(of bundle: SentBundle) throws -> [JSONValue] {
        var entries: [BundleEntry] = []
        for (index, element) in bundle.entries.enumerated() {
            entries.append(try BundleEntry(element, index: index, in: bundle, bases: bases))
        }
        var targets: [String: (type: String, id: String)] = [:]
        var changed: Set<String> = []
        let deleted = Set(
            entries.compactMap { entry -> String? in
                guard case .delete(let type, let id) = entry.request.interaction else { return nil }
                return "\(type)/\(id)"
            }
        )
        for index in entries.indices {
            let entry = entries[index]
            try located(entry) {
                try deadline?.check()
                let found = try assignment(entry.request, deleted: deleted)
                entries[index].assigned = found.map { ($0.type, $0.id) }
                if let assigned = entries[index].assigned {
                    if found?.isChanged == true, !changed.insert("\(assigned.type)/\(assigned.id)").inserted {
                        throw FHIRFailure.invalid("two entries of a transaction change the same resource")
                    }
                    if let url = entry.fullURL, entry.method != "GET" {
                        if let other = targets[url], other != assigned {
                            throw FHIRFailure.invalid("two entries of a transaction have the same fullUrl")
                        }
                        targets[url] = assigned
                    }
                }
            }
        }
        let links = BundleLinks(targets: targets, bases: bases)
        for index in entries.indices {
            guard case .resource(let resource)? = entries[index].request.body else { continue }
            try located(entries[index]) {
                try deadline?.check()
                let resolved = try links.resolve(
                    resource,
                    fullURL: entries[index].fullURL,
                    conditional: conditionalTarget
                )
                entries[index].request.body = .resource(resolved)
            }
        }
        // DELETE, POST, PUT and PATCH, GET: in this order, whatever that of the entries is.
        var results = [JSONValue](repeating: .null, count: entries.count)
        var bytes = 0
        for methods in [["DELETE"], ["POST"], ["PUT", "PATCH"], ["GET", "HEAD"]] {
            for entry in entries where methods.contains(entry.method) {
                try located(entry) {
                    try deadline?.check()
                    let response = try performAssigned(entry)
                    bytes += response.bytes
                    try checkBytes(bytes)
                    results[entry.index] = responseEntry(response, bundle.request)
                }
            }
        }
        return results
    }

    /// Adds to a failure which entry it is of.
    private func located(_ entry: BundleEntry, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch var failure as FHIRFailure {
            failure.expression = [entry.expression, failure.expression.map { "(\($0))" }].compactMap { $0 }
                .joined(separator: " ")
            throw failure
        }
    }

    /// Which resource an entry will change, or found; its id is decided before anything is written.
    ///
    /// What the transaction deletes is deleted first, and found by no condition.
    private func assignment(
        _ request: SandboxRequest,
        deleted: Set<String>
    ) throws -> (type: String, id: String, isChanged: Bool)? {
        func match(_ type: String, _ query: QueryItems) throws -> String? {
            let matches = try matches(type, query).compactMap(store.current(row:)).filter {
                !deleted.contains($0.path)
            }
            if matches.count > 1 { throw FHIRFailure.severalMatches(matches.count) }
            return matches.first?.id
        }
        switch request.interaction {
        case .create(let type):
            if let condition = request.ifNoneExist {
                if let match = try match(type, try QueryItems(condition: condition)) {
                    return (type, match, false)
                }
            }
            return (type, LogicalID.make(), true)
        case .conditionalUpdate(let type):
            if let match = try match(type, request.query) { return (type, match, true) }
            if case .resource(let resource)? = request.body, let own = resource.member("id")?.string,
                LogicalID.isValid(own)
            {
                return (type, own, true)
            }
            return (type, LogicalID.make(), true)
        case .update(let type, let id), .patch(let type, let id), .delete(let type, let id):
            return (type, id, true)
        default: return nil
        }
    }

    private func performAssigned(_ entry: BundleEntry) throws -> FHIRResponse {
        switch entry.request.interaction {
        case .create(let type):
            return try permitted(entry.request) { try create(type, entry.request, id: entry.assigned?.id) }
        case .conditionalUpdate(let type):
            return try permitted(entry.request) {
                try conditionalUpdate(type, entry.request, newID: entry.assigned?.id)
            }
        default: return try perform(entry.request)
        }
    }

    /// The resource that a conditional reference, such as `Patient?identifier=…`, is to.
    private func conditionalTarget(_ reference: String) throws -> String {
        let parts = reference.split(separator: "?", maxSplits: 1).map(String.init)
        guard parts.count == 2, catalog.isType(parts[0]) else {
            throw FHIRFailure.invalid(
                "a conditional reference is a type and a search, such as Patient?identifier=12"
            )
        }
        let found = try matches(parts[0], try QueryItems(parsing: parts[1]))
        if found.isEmpty, keepsConditionalReferences { return reference }
        guard found.count == 1, let target = try store.current(row: found[0]) else {
            throw FHIRFailure.severalMatches(found.count)
        }
        return target.path
    }

    // MARK: Results

    private func responseEntry(_ response: FHIRResponse, _ outer: SandboxRequest) -> JSONValue {
        var head: JSONValue = ["status": JSONValue(Self.statusText(response.status))]
        var entry: JSONValue = [:]
        if let version = response.version {
            if !version.isDeleted { entry["fullUrl"] = JSONValue("\(base)/\(version.path)") }
            if response.isWritten || version.isDeleted {
                head["location"] = JSONValue("\(base)/\(version.path)/_history/\(version.version)")
            }
            head["etag"] = JSONValue(version.etag)
            head["lastModified"] = JSONValue(version.lastUpdated)
        }
        if let resource = response.resource, !response.isWritten || outer.returns == .representation {
            entry["resource"] = resource
        }
        if let outcome = response.outcome, outer.returns == .operationOutcome { head["outcome"] = outcome }
        entry["response"] = head
        return entry
    }

    static func statusText(_ status: Int) -> String { "\(status) \(reasonPhrase(status))" }
}

import FHIR
import Foundation
import GRDB
import HTTPServing
import OrderedJSON

extension Session {
    /// A batch, whose entries are done each by itself, or a transaction, of which all entries are done or none.
    func process(_ request: FHIRRequest) throws -> JSONValue {
        let bundle = try request.resource(of: "Bundle")
        let elements = bundle.member("entry")?.elements ?? []
        guard elements.lazy.prefix(limits.entries + 1).reduce(0, { count, _ in count + 1 }) <= limits.entries else {
            throw FHIRFailure.tooCostly("a Bundle has at most \(limits.entries) entries", status: 413)
        }
        switch bundle.member("type")?.string {
        case "batch": return response("batch-response", try elements.enumerated().map { try batchEntry($1, $0, request) })
        case "transaction": return response("transaction-response", try transaction(elements, request))
        default: throw FHIRFailure(400, "value", "the type of a Bundle sent here is batch or transaction", at: "Bundle.type")
        }
    }

    private func response(_ type: String, _ entries: [JSONValue]) -> JSONValue {
        var bundle: JSONValue = ["resourceType": "Bundle", "type": JSONValue(type)]
        if !entries.isEmpty { bundle["entry"] = JSONValue(entries) }
        return bundle
    }

    // MARK: Batch

    /// A failure undoes what its entry did, and nothing else.
    private func batchEntry(_ json: JSONValue, _ index: Int, _ outer: FHIRRequest) throws -> JSONValue {
        var result: JSONValue = .null
        do {
            try db.inSavepoint {
                let entry = try BundleEntry(json, index: index, bases: bases)
                result = responseEntry(try perform(entry.request), outer)
                return .commit
            }
        } catch let failure as FHIRFailure {
            // The time is up for all.
            if failure.status == 503 { throw failure }
            var failure = failure
            if failure.expression == nil { failure.expression = "Bundle.entry[\(index)]" }
            result = [
                "response": ["status": JSONValue(Self.statusText(failure.status)), "outcome": failure.outcome]
            ]
        }
        return result
    }

    // MARK: Transaction

    private func transaction(_ elements: JSONElements, _ outer: FHIRRequest) throws -> [JSONValue] {
        var entries: [BundleEntry] = []
        for (index, element) in elements.enumerated() {
            entries.append(try BundleEntry(element, index: index, bases: bases))
        }
        var targets: [String: (type: String, id: String)] = [:]
        var changed: Set<String> = []
        let deleted = Set(
            entries.compactMap { entry -> String? in
                guard case .delete(let type, let id) = entry.request.interaction else { return nil }
                return "\(type)/\(id)"
            })
        for index in entries.indices {
            let entry = entries[index]
            try located(entry) {
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
                let resolved = try links.resolve(
                    resource, fullURL: entries[index].fullURL, conditional: conditionalTarget)
                entries[index].request.body = .resource(resolved)
            }
        }
        // DELETE, POST, PUT and PATCH, GET: in this order, whatever that of the entries is.
        var results = [JSONValue](repeating: .null, count: entries.count)
        for methods in [["DELETE"], ["POST"], ["PUT", "PATCH"], ["GET", "HEAD"]] {
            for entry in entries where methods.contains(entry.method) {
                try located(entry) { results[entry.index] = responseEntry(try performAssigned(entry), outer) }
            }
        }
        return results
    }

    /// Adds to a failure which entry it is of.
    private func located(_ entry: BundleEntry, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch var failure as FHIRFailure {
            failure.expression = [entry.expression, failure.expression.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
            throw failure
        }
    }

    /// Which resource an entry will change, or found; its id is decided before anything is written.
    ///
    /// What the transaction deletes is deleted first, and found by no condition.
    private func assignment(
        _ request: FHIRRequest, deleted: Set<String>
    ) throws -> (type: String, id: String, isChanged: Bool)? {
        func match(_ type: String, _ query: QueryItems) throws -> String? {
            let matches = try matches(type, query).compactMap(store.current(row:)).filter { !deleted.contains($0.path) }
            if matches.count > 1 { throw FHIRFailure.severalMatches(matches.count) }
            return matches.first?.id
        }
        switch request.interaction {
        case .create(let type):
            if let condition = request.ifNoneExist {
                if let match = try match(type, try QueryItems(condition: condition)) { return (type, match, false) }
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
        case .update(let type, let id), .patch(let type, let id), .delete(let type, let id): return (type, id, true)
        default: return nil
        }
    }

    private func performAssigned(_ entry: BundleEntry) throws -> FHIRResponse {
        switch entry.request.interaction {
        case .create(let type): return try create(type, entry.request, id: entry.assigned?.id)
        case .conditionalUpdate(let type):
            return try conditionalUpdate(type, entry.request, newID: entry.assigned?.id)
        default: return try perform(entry.request)
        }
    }

    /// The resource that a conditional reference, such as `Patient?identifier=…`, is to.
    private func conditionalTarget(_ reference: String) throws -> String {
        let parts = reference.split(separator: "?", maxSplits: 1).map(String.init)
        guard parts.count == 2, catalog.isType(parts[0]) else {
            throw FHIRFailure.invalid("a conditional reference is a type and a search, such as Patient?identifier=12")
        }
        let found = try matches(parts[0], try QueryItems(parsing: parts[1]))
        if found.isEmpty, keepsConditionalReferences { return reference }
        guard found.count == 1, let target = try store.current(row: found[0]) else {
            throw FHIRFailure.severalMatches(found.count)
        }
        return target.path
    }

    // MARK: Results

    private func responseEntry(_ response: FHIRResponse, _ outer: FHIRRequest) -> JSONValue {
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

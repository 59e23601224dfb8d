import FHIR
import FHIRTables
import Foundation
import GRDB
import IndivoBase
import OrderedJSON
import WebServing

/// The interactions of one request, in one transaction of the database.
struct Session {
    let db: Database
    let server: ServerState
    /// The address of the server as the client knows it: `http://127.0.0.1:8080/fhir`.
    let base: String
    let now: Timestamp
    /// The end of the time that the request may take; `nil` while data is loaded.
    var deadline: RequestDeadline?
    /// Whether a conditional reference that matches nothing stays as it is, as in files that refer to
    /// resources elsewhere.
    var keepsConditionalReferences = false
    /// What the client's token gives access to; `nil` for everything.
    var access: SMARTAccess?

    var limits: FHIRSandboxLimits { server.configuration.limits }
    var catalog: SearchCatalog { .r4 }
    var bases: [String] { [base + "/"] }
    var store: ResourceStore {
        ResourceStore(db: db, catalog: catalog, now: now, bases: bases, limits: limits, logger: server.logger)
    }

    /// Carries out a request. The entries of a Bundle are carried out one by one, each by this method.
    func perform(_ request: SandboxRequest) throws -> FHIRResponse {
        try permitted(request) { try interact(request) }
    }

    private func interact(_ request: SandboxRequest) throws -> FHIRResponse {
        switch request.interaction {
        case .capabilities: return FHIRResponse(resource: Capabilities.statement(base: base, server: server))
        case .read(let type, let id): return try read(type, id, request)
        case .vread(let type, let id, let version): return try vread(type, id, version)
        case .create(let type): return try create(type, request)
        case .update(let type, let id): return try update(type, id, request)
        case .conditionalUpdate(let type): return try conditionalUpdate(type, request)
        case .patch(let type, let id): return try patch(type, id, request)
        case .conditionalPatch(let type):
            return try patch(type, try onlyMatch(type, request.query).id, request)
        case .delete(let type, let id): return try delete(type, id, request)
        case .conditionalDelete(let type): return try conditionalDelete(type, request)
        case .history(let type, let id): return FHIRResponse(resource: try history(type, id, request))
        case .search(let type): return FHIRResponse(resource: try search(type, request))
        case .validate(let type, let id): return try validate(type, id, request)
        case .terminology(let operation, let id): return try terminology(operation, id, request)
        case .everything(let id): return FHIRResponse(resource: try everything(id, request))
        case .bundle: throw FHIRFailure(400, "not-supported", "a batch or transaction has no other one in it")
        }
    }

    // MARK: Reading

    private func read(_ type: String, _ id: String, _ request: SandboxRequest) throws -> FHIRResponse {
        let stored = try existing(type, id)
        if isUnchanged(stored, request) { return FHIRResponse(status: 304, version: stored) }
        let selection = try ElementSelection(request.query)
        return FHIRResponse(resource: selection.apply(to: try stored.json()), version: stored)
    }

    private func vread(_ type: String, _ id: String, _ version: Int) throws -> FHIRResponse {
        guard let stored = try store.version(type, id, version) else { throw FHIRFailure.notFound("version") }
        guard !stored.isDeleted else { throw FHIRFailure.gone(type) }
        return FHIRResponse(resource: try stored.json(), version: stored)
    }

    /// The current version of what was not deleted.
    func existing(_ type: String, _ id: String) throws -> ResourceVersion {
        guard let stored = try store.current(type, id) else { throw FHIRFailure.notFound(type) }
        guard !stored.isDeleted else { throw FHIRFailure.gone(type) }
        return stored
    }

    /// `If-None-Match`, and without it `If-Modified-Since` (RFC 9110 section 13).
    private func isUnchanged(_ stored: ResourceVersion, _ request: SandboxRequest) -> Bool {
        if let tags = request.ifNoneMatch { return EntityTags(tags).contains(stored.version) }
        guard let text = request.ifModifiedSince else { return false }
        let since = CivilDateTime(httpDate: text).map { Int64($0.seconds) } ?? TimeRange(text)?.low.seconds
        return since.map { stored.at.seconds <= $0 } ?? false
    }

    // MARK: Writing

    /// - Throws: 412 where the version that the client knows is not the current one.
    func checkMatch(_ stored: ResourceVersion?, _ request: SandboxRequest) throws(FHIRFailure) {
        if let tags = request.ifMatch {
            guard let stored, !stored.isDeleted, EntityTags(tags).contains(stored.version) else {
                throw FHIRFailure(412, "conflict", "the current version is not the one of If-Match")
            }
        }
        if let tags = request.ifNoneMatch, let stored, !stored.isDeleted,
            EntityTags(tags).contains(stored.version)
        {
            throw FHIRFailure(412, "conflict", "there is a version that If-None-Match excludes")
        }
    }

    func create(_ type: String, _ request: SandboxRequest, id: String? = nil) throws -> FHIRResponse {
        let resource = try checked(request.resource(of: type), type)
        if let condition = request.ifNoneExist {
            if let match = try match(type, QueryItems(condition: condition)) {
                try Self.check(match, isAssigned: id)
                return written(match, status: 200, "there is one already", hasLocation: true)
            }
        }
        let stored = try store.put(resource, type, id ?? LogicalID.make(), method: "POST")
        return written(stored, status: 201, "created", hasLocation: true)
    }

    private func update(_ type: String, _ id: String, _ request: SandboxRequest) throws -> FHIRResponse {
        let resource = try checked(request.resource(of: type), type, isValidated: request.isValidated)
        guard let own = resource.member("id")?.string else {
            throw FHIRFailure(400, "required", "the resource has no id", at: "\(type).id")
        }
        guard own.utf8.elementsEqual(id.utf8) else {
            throw FHIRFailure(
                400,
                "invalid",
                "the resource's id is not that of the address",
                at: "\(type).id"
            )
        }
        return try update(type, id, resource, request)
    }

    private func update(
        _ type: String,
        _ id: String,
        _ resource: JSONValue,
        _ request: SandboxRequest
    ) throws -> FHIRResponse {
        let current = try store.current(type, id)
        try checkMatch(current, request)
        let stored = try store.put(resource, type, id, method: "PUT")
        let isNew = current?.isDeleted ?? true
        return written(stored, status: isNew ? 201 : 200, isNew ? "created" : "updated", hasLocation: isNew)
    }

    func conditionalUpdate(_ type: String, _ request: SandboxRequest, newID: String? = nil) throws
        -> FHIRResponse
    {
        let resource = try checked(request.resource(of: type), type)
        let own = resource.member("id")?.string
        guard let match = try match(type, request.query) else {
            if let own { try checkUnmatched(own, type) }
            return try update(type, own ?? newID ?? LogicalID.make(), resource, request)
        }
        try requireWritable(match, .update)
        try Self.check(match, isAssigned: newID)
        guard own == nil || own == match.id else {
            throw FHIRFailure(
                400,
                "invalid",
                "the resource's id is not that of the one that the condition matches"
            )
        }
        return try update(type, match.id, resource, request)
    }

    /// A resource of which no match was found gets the id that it has, if that is valid and free.
    private func checkUnmatched(_ id: String, _ type: String) throws {
        guard LogicalID.isValid(id) else {
            throw FHIRFailure(400, "value", "the resource's id is not a valid id of FHIR", at: "\(type).id")
        }
        if let current = try store.current(type, id), !current.isDeleted {
            throw FHIRFailure(
                409,
                "conflict",
                "the resource's id is that of one that the condition does not match"
            )
        }
    }

    /// In a transaction, other entries refer to the resource that the condition matched before any entry was
    /// carried out.
    private static func check(_ match: ResourceVersion, isAssigned id: String?) throws(FHIRFailure) {
        guard id == nil || id == match.id else {
            throw FHIRFailure(
                412,
                "conflict",
                """
                another entry of the transaction makes the resource that the condition matches, \
                or changes it to
                """
            )
        }
    }

    private func patch(_ type: String, _ id: String, _ request: SandboxRequest) throws -> FHIRResponse {
        guard case .patch(let operations)? = request.body else {
            throw FHIRFailure(415, "not-supported", "a patch is application/json-patch+json")
        }
        let current = try existing(type, id)
        try checkMatch(current, request)
        let patch = try PatchDocument(operations, limit: limits.patchOperations)
        let patched = try patch.apply(to: try current.json(), limits: limits)
        var inner = request
        inner.body = .resource(patched)
        let resource = try checked(inner.resource(of: type), type)
        guard resource.member("id")?.string == id else {
            throw FHIRFailure(422, "business-rule", "a patch does not change the id", at: "\(type).id")
        }
        return written(try store.put(resource, type, id, method: "PATCH"), status: 200, "patched")
    }

    private func delete(_ type: String, _ id: String, _ request: SandboxRequest) throws -> FHIRResponse {
        guard let current = try store.current(type, id), !current.isDeleted else {
            if request.ifMatch != nil {
                throw FHIRFailure(412, "conflict", "there is no version that If-Match names")
            }
            return FHIRResponse(outcome: Self.done("there was nothing to delete"))
        }
        try checkMatch(current, request)
        let deleted = try store.delete(current)
        return FHIRResponse(version: deleted, outcome: Self.done("deleted"))
    }

    private func conditionalDelete(_ type: String, _ request: SandboxRequest) throws -> FHIRResponse {
        guard let match = try match(type, request.query) else {
            return FHIRResponse(outcome: Self.done("there was nothing to delete"))
        }
        try requireWritable(match, .delete)
        return try delete(type, match.id, request)
    }

    /// The only match of a condition, which the request changes.
    private func onlyMatch(_ type: String, _ query: QueryItems) throws -> ResourceVersion {
        guard let match = try match(type, query) else { throw FHIRFailure.notFound(type) }
        try requireWritable(match, .update)
        return match
    }

    /// The only resource that a condition matches; `nil` if there is none.
    /// - Throws: 412 if there are several.
    private func match(_ type: String, _ query: QueryItems) throws -> ResourceVersion? {
        let matches = try matches(type, query)
        if matches.count > 1 { throw FHIRFailure.severalMatches(matches.count) }
        return try matches.first.flatMap(store.current(row:))
    }

    private func written(
        _ stored: ResourceVersion,
        status: Int,
        _ text: String,
        hasLocation: Bool = false
    ) -> FHIRResponse {
        FHIRResponse(
            status: status,
            resource: try? stored.json(),
            version: stored,
            hasLocation: hasLocation,
            isWritten: true,
            outcome: Self.done(text)
        )
    }

    static func done(_ text: String) -> JSONValue {
        FHIRFailure.outcome([("information", "informational", text, nil)])
    }
}

extension Int64 {
    fileprivate var seconds: Int64 { Timestamp(rawValue: self).seconds }
}

/// `If-Match` and `If-None-Match`: `W/"3"`, `"3"`, a list of them, or `*`.
struct EntityTags {
    private let versions: Set<String>?

    init(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        versions =
            text == "*"
            ? nil
            : Set(
                text.split(separator: ",").map { part in
                    var tag = part.trimmingCharacters(in: .whitespaces)[...]
                    if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
                    return tag.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
                }
            )
    }

    func contains(_ version: Int) -> Bool { versions?.contains(String(version)) ?? true }
}

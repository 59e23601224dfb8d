import FHIRClient
import GRDB

/// The scopes of a token, enforced: before an interaction is done, on what it finds, and after it wrote, in
/// the same transaction of the database, which a refusal undoes.
extension Session {
    /// Does an interaction as far as the token permits.
    func permitted(_ request: SandboxRequest, _ body: () throws -> FHIRResponse) throws -> FHIRResponse {
        guard let access else { return try body() }
        try checkBefore(request.interaction, hasBody: request.body != nil, access)
        let response = try body()
        return try checkAfter(request.interaction, response)
    }

    private func checkBefore(_ interaction: Interaction, hasBody: Bool, _ access: SMARTAccess) throws {
        switch interaction {
        case .capabilities, .bundle: break
        case .read(let type, let id): try requireVisible(type, id, .read)
        case .everything(let id): try requireVisible("Patient", id, .read)
        case .validate(let type?, let id?) where !hasBody: try requireVisible(type, id, .read)
        case .validate: break
        case .vread(let type, _, _), .history(let type?, _): try requireAll(of: type, .read, access)
        case .history(nil, _): try requireAll(of: "*", .read, access)
        case .create(let type): try require(type, .create, access)
        case .update(let type, let id):
            guard let current = try store.current(type, id), !current.isDeleted else {
                // An update that creates.
                return try require(type, .create, access)
            }
            try require(type, .update, access)
            guard try isVisible(current.row, type, .update) else { throw Self.insufficientScope(type) }
        case .conditionalUpdate(let type):
            try require(type, .update, access)
            try require(type, .create, access)
        case .patch(let type, let id): try requireVisible(type, id, .update)
        case .conditionalPatch(let type): try require(type, .update, access)
        case .delete(let type, let id):
            try require(type, .delete, access)
            guard let current = try store.current(type, id), !current.isDeleted else { return }
            guard try isVisible(current.row, type, .delete) else { throw Self.insufficientScope(type) }
        case .conditionalDelete(let type): try require(type, .delete, access)
        case .search(let type): try require(type, .search, access)
        case .terminology(let operation, let id?): try requireVisible(operation.resourceType, id, .read)
        case .terminology(let operation, nil): try require(operation.resourceType, .read, access)
        }
    }

    /// What was written must be the token's to write, and what it may not read does not come back.
    private func checkAfter(_ interaction: Interaction, _ response: FHIRResponse) throws -> FHIRResponse {
        guard response.isWritten, let version = response.version else { return response }
        var response = response
        let isFound: Bool
        if case .create = interaction { isFound = response.status == 200 } else { isFound = false }
        if !isFound {
            let permission: ResourceScope.Permissions = response.status == 201 ? .create : .update
            guard try isVisible(version.row, version.type, permission) else {
                throw Self.insufficientScope(version.type)
            }
        }
        let isSentWhole: Bool
        switch interaction {
        case .create: isSentWhole = !isFound
        case .update, .conditionalUpdate: isSentWhole = true
        default: isSentWhole = false
        }
        if !isSentWhole, try !isVisible(version.row, version.type, .read) {
            response.resource = nil
        }
        return response
    }

    // MARK: Conditions

    /// The condition that the rows of a type fulfil which the token opens; nil where it opens all.
    ///
    /// - Throws: 403 where it opens none.
    func visibility(_ type: String, _ permissions: ResourceScope.Permissions) throws -> SQL? {
        guard let access else { return nil }
        let rules = access.rules(type, permissions)
        guard !rules.isEmpty else { throw Self.insufficientScope(type) }
        guard !rules.contains(where: \.isUnbounded) else { return nil }
        return SearchCriterion.any(try rules.map { try condition($0, type, permissions) })
    }

    /// Who may read sees all that the patient has to do with; who writes, only what is about the patient.
    private func condition(
        _ rule: SMARTAccess.Rule,
        _ type: String,
        _ permissions: ResourceScope.Permissions
    ) throws -> SQL {
        var conditions: [SQL] = []
        if let patient = rule.patient {
            if type == "Patient" {
                conditions.append("resource.name = \(patient)")
            } else {
                let table =
                    permissions.isDisjoint(with: .reading)
                    ? PatientCompartment.subjectKeys : PatientCompartment.keys
                let keys = (table[type] ?? []).map { "\($0)" as SQL }
                conditions.append(
                    """
                    EXISTS (
                        SELECT 1
                        FROM value INDEXED BY valueByResource
                        WHERE value.resource = resource.id
                            AND value.key IN (\(keys.joined(separator: ",")))
                            AND value.system = 'Patient'
                            AND value.code = \(patient)
                    )
                    """
                )
            }
        }
        if !rule.conditions.isEmpty {
            let items = QueryItems(rule.conditions.map { ($0.name, $0.value) })
            var reader = SearchQueryReader(catalog: catalog, limits: limits, bases: bases, isStrict: true)
            let criteria = try reader.read(items, type: type).criteria
            // A condition that is none would open everything, and one on other types tells of those.
            guard criteria.count == rule.conditions.count, criteria.allSatisfy({ $0.chainedTypes.isEmpty })
            else { throw Self.insufficientScope(type) }
            conditions += criteria.map { $0.sql("resource", isFilter: true, now: now) }
        }
        return "(\(conditions.joined(separator: " AND ")))"
    }

    private func isVisible(_ row: Int64, _ type: String, _ permission: ResourceScope.Permissions) throws
        -> Bool
    {
        guard let access, !access.rules(type, permission).isEmpty else { return access == nil }
        guard let condition = try visibility(type, permission) else { return true }
        let sql: SQL = "SELECT 1 FROM resource WHERE resource.id = \(row) AND \(condition)"
        return try SQLRequest<Int>(literal: sql).fetchOne(db) != nil
    }

    /// The rows that the token may read, of several types.
    func readable(_ rows: [Int64]) throws -> [Int64] {
        guard access != nil, !rows.isEmpty else { return rows }
        var visible: Set<Int64> = []
        for start in stride(from: 0, to: rows.count, by: 500) {
            let part = rows[start..<min(start + 500, rows.count)]
            let list = part.map { "\($0)" as SQL }.joined(separator: ",")
            let types = try SQLRequest<String>(
                literal: "SELECT DISTINCT type FROM resource WHERE id IN (\(list))"
            ).fetchAll(db)
            for type in types {
                guard let access, !access.rules(type, .read).isEmpty else { continue }
                let condition = try visibility(type, .read) ?? "1"
                let sql: SQL = """
                    SELECT resource.id FROM resource
                    WHERE resource.id IN (\(list)) AND resource.type = \(type) AND \(condition)
                    """
                visible.formUnion(try SQLRequest<Int64>(literal: sql).fetchAll(db))
            }
        }
        return rows.filter(visible.contains)
    }

    /// Refuses conditions on resources of other types, unless the token opens all of these: what matches
    /// would tell of what it may not see.
    func requireOpenChains(_ query: SearchQuery) throws {
        guard let access else { return }
        for type in query.criteria.flatMap(\.chainedTypes) {
            try requireAll(of: type, .search, access)
        }
    }

    // MARK: Requirements

    /// Refuses to change what a condition found, unless the token may: a search finds what may be read.
    func requireWritable(_ match: ResourceVersion, _ permission: ResourceScope.Permissions) throws {
        guard try isVisible(match.row, match.type, permission) else {
            throw Self.insufficientScope(match.type)
        }
    }

    private func require(_ type: String, _ permission: ResourceScope.Permissions, _ access: SMARTAccess)
        throws
    {
        guard !access.rules(type, permission).isEmpty else { throw Self.insufficientScope(type) }
    }

    private func requireAll(of type: String, _ permission: ResourceScope.Permissions, _ access: SMARTAccess)
        throws
    {
        guard access.opensAll(of: type, permission) else { throw Self.insufficientScope(type) }
    }

    /// What the token may not see is not there.
    private func requireVisible(_ type: String, _ id: String, _ permission: ResourceScope.Permissions) throws
    {
        if let access { try require(type, permission, access) }
        guard let current = try store.current(type, id) else { throw FHIRFailure.notFound(type) }
        // Of what was deleted no value is left that would tell whose it was.
        if current.isDeleted, access?.opensAll(of: type, permission) != false { return }
        if try !current.isDeleted && isVisible(current.row, type, permission) { return }
        // What may be read may be told of.
        guard try !current.isDeleted && permission != .read && isVisible(current.row, type, .read) else {
            throw FHIRFailure.notFound(type)
        }
        throw Self.insufficientScope(type)
    }

    static func insufficientScope(_ type: String) -> FHIRFailure {
        var failure = FHIRFailure(
            403,
            "forbidden",
            type == "*"
                ? "the token's scopes do not permit this for all resources"
                : "the token's scopes do not permit this for \(type)"
        )
        failure.headers = [("WWW-Authenticate", "Bearer error=\"insufficient_scope\"")]
        return failure
    }
}

extension SearchCriterion {
    /// The types that it asks about besides the one that is searched.
    var chainedTypes: [String] {
        switch self {
        case .chain(_, let targets): targets.flatMap { [$0.type] + $0.criterion.chainedTypes }
        case .isReferredTo(let type, _, let criterion): [type] + criterion.chainedTypes
        default: []
        }
    }
}

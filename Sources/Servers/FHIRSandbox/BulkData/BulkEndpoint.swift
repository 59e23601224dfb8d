import FHIR
import Foundation
import GRDB
import IndivoBase
import OrderedJSON
import WebServing

/// `$export` (Bulk Data Access IG 2.0): of the system, of all patients, of a group.
struct BulkEndpoint: Sendable {
    let server: ServerState

    fileprivate enum Level: Sendable {
        case system
        case patients
        case group(String)
    }

    /// What an export contains.
    fileprivate struct Order: Sendable {
        var level: Level
        var types: [String]
        var since: Int64?
        var filters: [String: [QueryItems]] = [:]
        var elements: [String] = []
    }

    private static let pieceLimit = 8 << 20
    private static let totalLimit = 1 << 30

    /// - Returns: `nil` for a request that is not about an export.
    func respond(to request: Request, _ segments: [String], base: String, access: SMARTAccess?) async throws
        -> Response?
    {
        switch segments.count {
        case 1 where segments[0] == "$export": return try begin(.system, request, base: base, access)
        case 2 where segments == ["Patient", "$export"]:
            return try begin(.patients, request, base: base, access)
        case 3 where segments[0] == "Group" && segments[2] == "$export":
            return try begin(.group(segments[1]), request, base: base, access)
        case 2 where segments[0] == "$export-status":
            return try status(segments[1], request, base: base, access)
        case 3 where segments[0] == "$export-file": return try file(segments, request, access)
        default: return nil
        }
    }

    // MARK: Kick-off

    private func begin(_ level: Level, _ request: Request, base: String, _ access: SMARTAccess?) throws
        -> Response
    {
        guard request.method == "GET" else { throw FHIRFailure.methodNotAllowed("GET") }
        // A page elsewhere cannot send this field without a preflight (CORS), and so cannot begin an export.
        guard (request.header("Prefer") ?? "").lowercased().contains("respond-async") else {
            throw FHIRFailure.invalid("$export needs the field Prefer: respond-async")
        }
        let order = try order(level, QueryItems(parsing: request.rawQuery), access)
        let folder = FileManager.default.temporaryDirectory.appending(path: RandomToken.make(length: 32))
        let query = request.rawQuery.isEmpty ? "" : "?" + request.rawQuery
        let path = request.rawPath.dropFirst(FHIREndpoint.root.count + 1)
        let job = BulkJobs.Job(
            owner: access?.key,
            request: base + path + query,
            startedAt: ResourceVersion.instant(server.now),
            folder: folder
        )
        let id = try server.bulkJobs.begin(job) { [self] progress in
            try await export(order, to: folder, base: base, access, progress)
        }
        return Response(status: 202).adding("Content-Location", "\(base)/$export-status/\(id)")
    }

    private func order(_ level: Level, _ query: QueryItems, _ access: SMARTAccess?) throws -> Order {
        let catalog = SearchCatalog.r4
        var order = Order(level: level, types: [])
        for item in query.items {
            let values = item.value.split(separator: ",").map(String.init)
            switch item.name {
            case "_type":
                guard values.allSatisfy(catalog.isType) else {
                    throw FHIRFailure.invalid("_type has a type that R4 has not")
                }
                order.types += values
            case "_since":
                guard let range = TimeRange(item.value) else {
                    throw FHIRFailure.invalid("_since is not a time")
                }
                order.since = range.low
            case "_typeFilter":
                let parts = item.value.split(separator: "?", maxSplits: 1).map(String.init)
                guard parts.count == 2, catalog.isType(parts[0]) else {
                    throw FHIRFailure.invalid(
                        "_typeFilter is a search, such as Observation?category=laboratory"
                    )
                }
                order.filters[parts[0], default: []].append(try QueryItems(parsing: parts[1]))
            case "_elements": order.elements += values
            case "_outputFormat":
                let formats = [
                    "application/fhir+ndjson", "application/ndjson", "ndjson", "application/fhir ndjson",
                ]
                guard formats.contains(item.value) else {
                    throw FHIRFailure.invalid("_outputFormat is application/fhir+ndjson")
                }
            default: throw FHIRFailure.invalid("$export has no such parameter")
            }
        }
        let named = !order.types.isEmpty
        if !named { order.types = catalog.typeNames }
        if case .system = level {
        } else {
            order.types = order.types.filter {
                $0 == "Patient" || PatientCompartment.keys[$0]?.isEmpty == false
            }
        }
        guard let access else { return order }
        guard access.isForManyPatients else { throw Session.insufficientScope("*") }
        if case .group = level, !access.opensAll(of: "Group", .read) {
            throw Session.insufficientScope("Group")
        }
        let open = order.types.filter { access.opensAll(of: $0, .read) }
        guard !open.isEmpty, !named || open.count == order.types.count else {
            throw Session.insufficientScope("*")
        }
        order.types = open
        return order
    }

    // MARK: Export

    private func export(
        _ order: Order,
        to folder: URL,
        base: String,
        _ access: SMARTAccess?,
        _ progress: @escaping @Sendable (String) -> Void
    ) async throws -> [BulkJobs.File] {
        var files: [BulkJobs.File] = []
        var total = 0
        for (index, type) in order.types.enumerated() {
            try Task.checkCancellation()
            progress("\(index) of \(order.types.count) types")
            let rows = try await server.read(base: base, access: access) { try $0.rows(of: type, order) }
            var piece = Data()
            var count = 0
            func write() throws {
                guard count > 0 else { return }
                let number = files.count { $0.type == type } + 1
                let name = "\(type).\(number).ndjson"
                try piece.write(to: folder.appending(path: name))
                files.append(BulkJobs.File(type: type, name: name, count: count))
                piece = Data()
                count = 0
            }
            for start in stride(from: 0, to: rows.count, by: 200) {
                try Task.checkCancellation()
                let part = rows[start..<min(start + 200, rows.count)]
                let lines = try await server.read(base: base, access: access) { session in
                    try session.lines(of: part, type, elements: order.elements)
                }
                for line in lines {
                    total += line.count
                    guard total <= Self.totalLimit else {
                        throw FHIRFailure.tooCostly("the export has more than \(Self.totalLimit) bytes")
                    }
                    piece += line
                    count += 1
                    if piece.count >= Self.pieceLimit { try write() }
                }
            }
            try write()
        }
        return files
    }

    // MARK: Status and files

    private func job(_ id: String, _ access: SMARTAccess?) throws(FHIRFailure) -> BulkJobs.Job {
        guard let job = server.bulkJobs.job(id, owner: access?.key) else {
            throw FHIRFailure(404, "not-found", "there is no such export")
        }
        return job
    }

    private func status(_ id: String, _ request: Request, base: String, _ access: SMARTAccess?) throws
        -> Response
    {
        let job = try job(id, access)
        if request.method == "DELETE" {
            server.bulkJobs.remove(id)
            return Response(status: 202)
        }
        guard request.method == "GET" else { throw FHIRFailure.methodNotAllowed("GET, DELETE") }
        switch job.state {
        case .running(let progress):
            return Response(status: 202).adding("X-Progress", progress).adding("Retry-After", "1")
        case .failed(let failure): throw failure
        case .complete(let files):
            let output = files.map { file -> JSONValue in
                [
                    "type": JSONValue(file.type), "url": JSONValue("\(base)/$export-file/\(id)/\(file.name)"),
                    "count": JSONValue(file.count),
                ]
            }
            return SMARTEndpoints.json([
                "transactionTime": JSONValue(job.startedAt), "request": JSONValue(job.request),
                "requiresAccessToken": JSONValue(access != nil || !server.configuration.tokens.isEmpty),
                "output": JSONValue(output), "deleted": [], "error": [],
            ])
        }
    }

    private func file(_ segments: [String], _ request: Request, _ access: SMARTAccess?) throws -> Response {
        guard request.method == "GET" || request.method == "HEAD" else {
            throw FHIRFailure.methodNotAllowed("GET")
        }
        let job = try job(segments[1], access)
        guard case .complete(let files) = job.state,
            let file = files.first(where: { $0.name == segments[2] }),
            let content = try? Data(contentsOf: job.folder.appending(path: file.name))
        else { throw FHIRFailure(404, "not-found", "the export has no such file") }
        let type = "application/fhir+ndjson"
        guard let asked = request.header("Range"),
            let match = asked.wholeMatch(of: /bytes=([0-9]{1,15})-([0-9]{0,15})/), let first = Int(match.1)
        else {
            return Response(type: type, body: content).adding("Accept-Ranges", "bytes")
        }
        guard first < content.count else {
            return Response(status: 416).adding("Content-Range", "bytes */\(content.count)")
        }
        let last = min(Int(match.2) ?? .max, content.count - 1)
        guard first <= last else { throw FHIRFailure.invalid("the range ends before it begins") }
        return Response(status: 206, type: type, body: Data(content[first...last]))
            .adding("Content-Range", "bytes \(first)-\(last)/\(content.count)")
            .adding("ETag", "\"\(segments[1])\"")
    }
}

extension Session {
    /// The rows of a type that are exported.
    fileprivate func rows(of type: String, _ order: BulkEndpoint.Order) throws -> [Int64] {
        var conditions: [SQL] = ["resource.type = \(type)", "NOT resource.isDeleted"]
        if let since = order.since { conditions.append("resource.updatedAt >= \(since)") }
        if let visible = try visibility(type, .read) { conditions.append(visible) }
        switch order.level {
        case .system: break
        case .patients where type == "Patient": break
        case .patients: conditions.append(Self.isOfPatient(type, nil))
        case .group(let id):
            let members = try existing("Group", id).json()["member"]?.elements ?? []
            let patients = members.compactMap { member -> String? in
                let parts = member["entity"]?["reference"]?.string?.split(separator: "/").suffix(2) ?? []
                return parts.count == 2 && parts.first == "Patient" ? parts.last.map(String.init) : nil
            }
            let list = patients.map { "\($0)" as SQL }.joined(separator: ",")
            conditions.append(type == "Patient" ? "resource.name IN (\(list))" : Self.isOfPatient(type, list))
        }
        if let filters = order.filters[type] {
            let alternatives = try filters.map { items -> SQL in
                var reader = SearchQueryReader(catalog: catalog, limits: limits, bases: bases, isStrict: true)
                let query = try reader.read(items, type: type)
                try requireOpenChains(query)
                let parts = query.criteria.map { $0.sql("resource", isFilter: true, now: now) }
                return "(\((["1"] + parts).joined(separator: " AND ")))"
            }
            conditions.append(SearchCriterion.any(alternatives))
        }
        let sql: SQL = """
            SELECT resource.id
            FROM resource
            WHERE \(conditions.joined(separator: " AND "))
            ORDER BY resource.id
            """
        return try SQLRequest<Int64>(literal: sql).fetchAll(db)
    }

    /// - Parameter patients: A list of ids in SQL; nil for any patient.
    private static func isOfPatient(_ type: String, _ patients: SQL?) -> SQL {
        let keys = (PatientCompartment.keys[type] ?? []).map { "\($0)" as SQL }.joined(separator: ",")
        let whose: SQL = patients.map { "AND value.code IN (\($0))" } ?? ""
        return """
            EXISTS (
                SELECT 1
                FROM value INDEXED BY valueByResource
                WHERE value.resource = resource.id
                    AND value.key IN (\(keys))
                    AND value.system = 'Patient' \(whose)
            )
            """
    }

    /// Resources as lines of NDJSON.
    fileprivate func lines(of rows: ArraySlice<Int64>, _ type: String, elements: [String]) throws -> [Data] {
        let own = elements.compactMap { element -> String? in
            let parts = element.split(separator: ".", maxSplits: 1).map(String.init)
            return parts.count == 1 ? parts[0] : parts[0] == type ? parts[1] : nil
        }
        let selection = ElementSelection(summary: .false, elements: own)
        return try store.current(rows: rows).map { stored in
            Data(selection.apply(to: try stored.json()).utf8(.compact)) + [0x0A]
        }
    }
}

import FHIRClient
import Foundation
import GRDB
import OrderedJSON

extension Session {
    /// The rows that a condition matches, for conditional interactions: what they do not understand is an
    /// error.
    func matches(_ type: String, _ items: QueryItems) throws -> [Int64] {
        var reader = SearchQueryReader(catalog: catalog, limits: limits, bases: bases, isStrict: true)
        reader.terminology = { server.terminology(db) }
        let query = try reader.read(items, type: type)
        guard !query.criteria.isEmpty else {
            throw FHIRFailure(
                412,
                "invalid",
                "the condition has no search parameter, and so matches everything"
            )
        }
        // A condition sees what the token opens in any way: to write needs no right to search.
        return try rows(query, .all)
    }

    func search(_ type: String, _ request: SandboxRequest) throws -> JSONValue {
        var reader = SearchQueryReader(
            catalog: catalog,
            limits: limits,
            bases: bases,
            isStrict: !request.isLenient
        )
        reader.terminology = { server.terminology(db) }
        let query = try reader.read(request.query, type: type)
        let page = try page(query, path: type) { try rows(query, .search) }
        return Self.bundle(try searchset(query, page), of: page, query)
    }

    // MARK: Rows

    private func rows(_ query: SearchQuery, _ permissions: ResourceScope.Permissions) throws -> [Int64] {
        try requireOpenChains(query)
        let visible = try visibility(query.type, permissions)
        let rows = try SQLRequest<Int64>(literal: selection(query, visible)).fetchAll(db)
        guard rows.count <= limits.matches else {
            throw FHIRFailure.tooCostly("the search finds more than \(limits.matches) resources")
        }
        return rows
    }

    /// Selects the rows that a query finds, in its order: one more than there may be.
    /// - Parameter visible: What they fulfil besides, since a token opens no others.
    func selection(_ query: SearchQuery, _ visible: SQL? = nil) -> SQL {
        // The condition that matches least finds rows, and the others are asked of those: a subject may have
        // a million.
        let finder = query.criteria.indices.min { query.criteria[$0].breadth < query.criteria[$1].breadth }
        // With + there is no index of types: SQLite would rather go through all resources of a type than take
        // the finder's rows.
        let type: SQL =
            finder.map { query.criteria[$0].findsRows } == true ? "+resource.type" : "resource.type"
        var conditions: [SQL] = ["\(type) = \(query.type)", "NOT resource.isDeleted"]
        conditions += query.criteria.indices.map {
            query.criteria[$0].sql("resource", isFilter: $0 != finder, now: now)
        }
        if let visible { conditions.append(visible) }
        var order = query.sort.map { key -> SQL in
            let direction: SQL = key.isDescending ? "DESC" : "ASC"
            switch key.by {
            case .id: return "resource.name \(direction)"
            case .lastUpdated: return "resource.updatedAt \(direction)"
            case .parameter(let parameter):
                let column: SQL =
                    switch parameter.kind {
                    case .date, .number, .quantity: key.isDescending ? "max(high)" : "min(low)"
                    case .string: key.isDescending ? "max(text)" : "min(text)"
                    default: key.isDescending ? "max(code)" : "min(code)"
                    }
                let value: SQL =
                    """
                    (
                        SELECT \(column)
                        FROM value
                        WHERE value.resource = resource.id AND value.key = \(parameter.key)
                    )
                    """
                return "\(value) \(direction) NULLS LAST"
            }
        }
        order.append("resource.id ASC")
        return """
            SELECT resource.id FROM resource WHERE \(conditions.joined(separator: " AND "))
            ORDER BY \(order.joined(separator: ", ")) LIMIT \(limits.matches + 1)
            """
    }

    // MARK: Pages

    /// A page of a result, and where the others are.
    struct Page {
        var rows: ArraySlice<Int64>
        var total: Int
        var links: [(relation: String, url: String)]
    }

    /// The page of a result that a query asks for. The first is of a new result, which is kept if there are
    /// more.
    func page(_ query: SearchQuery, path: String, find: () throws -> [Int64]) throws -> Page {
        let origin = path + "?" + query.used.without("_count").text + (access.map { "\n" + $0.key } ?? "")
        let result: [Int64]
        var name: String?
        let offset = query.page?.offset ?? 0
        if let asked = query.page {
            guard let snapshot = server.snapshots[asked.snapshot], snapshot.origin == origin else {
                throw FHIRFailure(410, "expired", "the result of this search is gone; search again")
            }
            result = snapshot.rows
            name = asked.snapshot
        } else {
            result = try find()
        }
        guard offset <= result.count else { throw FHIRFailure.invalid("the result has no such page") }
        var rows = query.summary == .count ? [] : result[offset..<min(offset + query.count, result.count)]
        // What was found may have been moved to another patient since.
        if query.page != nil { rows = try readable(Array(rows))[...] }
        if name == nil, rows.count < result.count, query.summary != .count {
            name = server.snapshots.insert(.init(origin: origin, rows: result))
        }
        func url(_ offset: Int?) -> String {
            var items = query.used
            if let offset, let name {
                items = items.adding("_snapshot", name).adding("_offset", String(offset))
            }
            return "\(base)/\(path)" + (items.items.isEmpty ? "" : "?" + items.text)
        }
        var links = [("self", url(query.page?.offset))]
        if name != nil, query.count > 0 {
            links.append(("first", url(0)))
            if offset > 0 { links.append(("previous", url(max(0, offset - query.count)))) }
            if offset + query.count < result.count { links.append(("next", url(offset + query.count))) }
            links.append(("last", url((max(0, result.count - 1) / query.count) * query.count)))
        }
        return Page(rows: rows, total: result.count, links: links)
    }

    /// The entries of a page: matches, and what they include.
    func searchset(_ query: SearchQuery, _ page: Page) throws -> [JSONValue] {
        let selection = ElementSelection(summary: query.summary, elements: query.elements)
        func entry(_ stored: ResourceVersion, _ mode: String) throws -> JSONValue {
            [
                "fullUrl": JSONValue("\(base)/\(stored.path)"),
                "resource": selection.apply(to: try stored.json()),
                "search": ["mode": JSONValue(mode)],
            ]
        }
        var entries = try store.current(rows: page.rows).map { try entry($0, "match") }
        let included = try included(query, page.rows)
        entries += try store.current(rows: included.rows).map { try entry($0, "include") }
        if included.isCut {
            let text = "more than \(limits.included) resources would be included; ask for smaller pages"
            entries.append([
                "resource": FHIRFailure.outcome([("warning", "incomplete", text, nil)]),
                "search": ["mode": "outcome"],
            ])
        }
        if !query.ignored.isEmpty {
            let issues = query.ignored.map {
                ("warning", "not-supported", $0 + "; it was ignored", nil as String?)
            }
            entries.append(["resource": FHIRFailure.outcome(issues), "search": ["mode": "outcome"]])
        }
        return entries
    }

    static func bundle(_ entries: [JSONValue], of page: Page, _ query: SearchQuery) -> JSONValue {
        var bundle: JSONValue = ["resourceType": "Bundle", "type": "searchset"]
        if query.total != .none { bundle["total"] = JSONValue(page.total) }
        bundle["link"] = JSONValue(
            page.links.map { ["relation": JSONValue($0.relation), "url": JSONValue($0.url)] as JSONValue }
        )
        if !entries.isEmpty { bundle["entry"] = JSONValue(entries) }
        return bundle
    }

    // MARK: Includes

    private func included(
        _ query: SearchQuery,
        _ matches: ArraySlice<Int64>
    ) throws -> (rows: [Int64], isCut: Bool) {
        var seen = Set(matches)
        var found: [Int64] = []
        var frontier = Array(matches)
        // What was included may include more, a few times.
        for round in 0..<5 where !frontier.isEmpty {
            var next: [Int64] = []
            for include in query.includes where round == 0 || include.iterates {
                next += try followed(include, from: frontier)
            }
            for include in query.reverseIncludes where round == 0 || include.iterates {
                next += try referring(include, to: frontier)
            }
            frontier = try readable(next.filter { seen.insert($0).inserted })
            found += frontier
            if found.count > limits.included { return (Array(found.prefix(limits.included)), true) }
        }
        return (found, false)
    }

    private func followed(_ include: SearchQuery.Include, from rows: [Int64]) throws -> [Int64] {
        try inParts(rows) { list in
            let target: SQL = include.target.map { "AND target.type = \($0)" } ?? ""
            return """
                SELECT DISTINCT target.id
                FROM value
                JOIN resource AS target ON target.type = value.system AND target.name = value.code
                WHERE value.resource IN (\(list))
                    AND value.key IN (\(Self.list(include.keys)))
                    AND NOT target.isDeleted \(target)
                ORDER BY target.id LIMIT \(limits.included + 1)
                """
        }
    }

    private func referring(_ include: SearchQuery.Include, to rows: [Int64]) throws -> [Int64] {
        try inParts(rows) { list in
            let target: SQL = include.target.map { "AND target.type = \($0)" } ?? ""
            return """
                SELECT DISTINCT source.id
                FROM resource AS target
                JOIN value ON value.code = target.name AND value.system = target.type
                JOIN resource AS source ON source.id = value.resource
                WHERE target.id IN (\(list))
                    AND value.key IN (\(Self.list(include.keys)))
                    AND NOT source.isDeleted \(target)
                ORDER BY source.id LIMIT \(limits.included + 1)
                """
        }
    }

    private static func list(_ texts: [String]) -> SQL { texts.map { "\($0)" as SQL }.joined(separator: ",") }

    /// SQLite has a limit of arguments.
    private func inParts(_ rows: [Int64], _ sql: (SQL) -> SQL) throws -> [Int64] {
        var found: [Int64] = []
        for start in stride(from: 0, to: rows.count, by: 500) {
            let list = rows[start..<min(start + 500, rows.count)].map { "\($0)" as SQL }.joined(
                separator: ","
            )
            found += try SQLRequest<Int64>(literal: sql(list)).fetchAll(db)
        }
        return found
    }
}

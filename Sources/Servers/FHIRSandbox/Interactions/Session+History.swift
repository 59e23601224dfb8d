import GRDB
import OrderedJSON
import WebServing

extension Session {
    /// The versions of a resource, of all of a type, or of all, the newest first.
    ///
    /// A page ends at a sequence number, and the next begins below it: versions that come in between change
    /// no page.
    func history(_ type: String?, _ id: String?, _ request: SandboxRequest) throws -> JSONValue {
        var conditions: [SQL] = ["1"]
        if let type { conditions.append("resource.type = \(type)") }
        if let id {
            conditions.append("resource.name = \(id)")
            if let type, try store.current(type, id) == nil { throw FHIRFailure.notFound(type) }
        }
        var count = limits.defaultPage
        if let text = request.query["_count"] {
            guard let number = Int(text), number > 0 else {
                throw FHIRFailure.invalid("_count is not a number above 0")
            }
            count = min(number, limits.page)
        }
        for name in ["_since", "_at"] {
            guard let text = request.query[name] else { continue }
            guard let range = TimeRange(text) else { throw FHIRFailure.invalid("\(name) is not a time") }
            if name == "_since" {
                conditions.append("version.at >= \(range.low)")
            } else {
                // What was current at some time of the range.
                conditions.append("version.at < \(range.high)")
                conditions.append(
                    """
                    NOT EXISTS (SELECT 1 FROM version AS later WHERE later.resource = version.resource
                        AND later.number > version.number AND later.at < \(range.low))
                    """
                )
            }
        }
        let total =
            try SQLRequest<Int>(
                literal:
                    """
                    SELECT COUNT(*)
                    FROM \(ResourceVersion.tables)
                    WHERE \(conditions.joined(separator: " AND "))
                    """
            ).fetchOne(db) ?? 0
        if let text = request.query["_before"] {
            guard let sequence = Int64(text) else { throw FHIRFailure.invalid("_before is not a number") }
            conditions.append("version.sequence < \(sequence)")
        }
        let versions = try store.versions(
            SQLRequest(
                literal: """
                    SELECT \(ResourceVersion.columns)
                    FROM \(ResourceVersion.tables)
                    WHERE \(conditions.joined(separator: " AND "))
                    ORDER BY version.sequence DESC LIMIT \(count + 1)
                    """
            )
        )
        let path = [type, id, "_history"].compactMap { $0 }.joined(separator: "/")
        func url(_ query: QueryItems) -> JSONValue {
            JSONValue("\(base)/\(path)" + (query.items.isEmpty ? "" : "?" + query.text))
        }
        var links: [JSONValue] = [["relation": "self", "url": url(request.query)]]
        if versions.count > count {
            let next = request.query.without("_before").adding(
                "_before",
                String(versions[count - 1].sequence)
            )
            links.append(["relation": "next", "url": url(next)])
        }
        let entries = try versions.prefix(count).map { version -> JSONValue in
            var entry: JSONValue = ["fullUrl": JSONValue("\(base)/\(version.path)")]
            if !version.isDeleted { entry["resource"] = try version.json() }
            let isFirst = version.method == "POST"
            entry["request"] = [
                "method": JSONValue(version.method), "url": JSONValue(isFirst ? version.type : version.path),
            ]
            entry["response"] = [
                "status": version.isDeleted ? "204" : version.isCreation ? "201" : "200",
                "etag": JSONValue(version.etag), "lastModified": JSONValue(version.lastUpdated),
            ]
            return entry
        }
        var bundle: JSONValue = [
            "resourceType": "Bundle", "type": "history", "total": JSONValue(total), "link": JSONValue(links),
        ]
        if !entries.isEmpty { bundle["entry"] = JSONValue(entries) }
        return bundle
    }
}

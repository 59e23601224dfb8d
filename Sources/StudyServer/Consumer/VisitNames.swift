import OrderedJSON

/// Names the visits of one message. Of its resources none replaces another: two with one identifier are two visits.
struct VisitNames {
    private struct Seen: Hashable {
        let visit: String
        let resource: JSONValue
    }

    private var seen: Set<Seen> = []
    private var used: Set<String> = []
    private var counts: [String: Int] = [:]

    /// - Returns: The visit, with a number behind it for a second one; `nil` for the same resource once more.
    mutating func name(_ visit: String, of resource: JSONValue) -> String? {
        guard seen.insert(Seen(visit: visit, resource: resource)).inserted else { return nil }
        var name = visit
        while !used.insert(name).inserted {
            counts[visit, default: 1] += 1
            name = "\(visit)#\(counts[visit] ?? 1)"
        }
        return name
    }
}

/// Finds what is registered for a path of literal segments and captures in braces, e.g.
/// `/records/{record}/documents/`. Literal segments are tried before captures. A trailing slash counts: the
/// real server responds to the wrong form with 404.
package struct RouteTree<Value: Sendable>: Sendable {
    private var values: [Value] = []
    private var literals: [String: RouteTree] = [:]
    private var captures: [(name: String, tree: RouteTree)] = []

    package init() {}

    package mutating func insert(_ value: Value, at template: String) {
        insert(value, at: Self.segments(template)[...])
    }

    private mutating func insert(_ value: Value, at segments: ArraySlice<String>) {
        guard let segment = segments.first else { return values.append(value) }
        guard segment.hasPrefix("{"), segment.hasSuffix("}") else {
            return literals[segment, default: RouteTree()].insert(value, at: segments.dropFirst())
        }
        let name = String(segment.dropFirst().dropLast())
        let index = captures.firstIndex { $0.name == name } ?? captures.count
        if index == captures.count { captures.append((name, RouteTree())) }
        captures[index].tree.insert(value, at: segments.dropFirst())
    }

    /// What is registered for a path (already decoded), and what its captures hold; nil when nothing is.
    package func match(_ path: String) -> (values: [Value], captures: [String: String])? {
        path.hasPrefix("/") ? match(Self.segments(path)[...]) : nil
    }

    /// The same for the segments of a path; `/` alone has none.
    package func match(_ segments: [String]) -> (values: [Value], captures: [String: String])? {
        match(segments.isEmpty ? [""] : segments[...])
    }

    /// What stands between slashes, the empty segment after a trailing slash included.
    private static func segments(_ path: String) -> [String] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    private func match(_ segments: ArraySlice<String>) -> (values: [Value], captures: [String: String])? {
        guard let segment = segments.first else { return values.isEmpty ? nil : (values, [:]) }
        if let found = literals[segment]?.match(segments.dropFirst()) { return found }
        for (name, tree) in captures where !segment.isEmpty {
            if let (values, captured) = tree.match(segments.dropFirst()) {
                return (values, captured.merging([name: segment]) { $1 })
            }
        }
        return nil
    }
}

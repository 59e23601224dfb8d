/// Finds what is registered for a path. Literal segments are tried before captures.
package struct RouteTree<Value: Sendable>: Sendable {
    private var values: [Value] = []
    private var literals: [String: RouteTree] = [:]
    private var captures: [(name: String, tree: RouteTree)] = []

    package init() {}

    package mutating func insert(_ value: Value, at template: PathTemplate) {
        insert(value, at: template.segments[...])
    }

    private mutating func insert(_ value: Value, at segments: ArraySlice<PathTemplate.Segment>) {
        switch segments.first {
        case nil:
            values.append(value)
        case .literal(let text):
            literals[text, default: RouteTree()].insert(value, at: segments.dropFirst())
        case .capture(let name):
            if let index = captures.firstIndex(where: { $0.name == name }) {
                captures[index].tree.insert(value, at: segments.dropFirst())
            } else {
                var tree = RouteTree()
                tree.insert(value, at: segments.dropFirst())
                captures.append((name, tree))
            }
        }
    }

    /// What is registered for a path (already decoded), and what its captures hold; nil when nothing is.
    package func match(_ path: String) -> (values: [Value], captures: [String: String])? {
        guard path.hasPrefix("/") else { return nil }
        var captured: [String: String] = [:]
        guard let values = match(PathTemplate.split(path)[...], &captured) else { return nil }
        return (values, captured)
    }

    private func match(_ segments: ArraySlice<String>, _ captured: inout [String: String]) -> [Value]? {
        guard let segment = segments.first else { return values.isEmpty ? nil : values }
        if let tree = literals[segment], let found = tree.match(segments.dropFirst(), &captured) {
            return found
        }
        guard !segment.isEmpty else { return nil }
        for (name, tree) in captures {
            if let found = tree.match(segments.dropFirst(), &captured) {
                captured[name] = segment
                return found
            }
        }
        return nil
    }
}

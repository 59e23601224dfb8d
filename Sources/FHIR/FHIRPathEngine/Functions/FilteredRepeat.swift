import FHIR
import OrderedJSON

/// A fast path for `repeat(item).where(linkId = 'x')`, of which a form with hundreds of rows has hundreds.
///
/// To repeat compares all rows with each other, to leave out those that are equal to an earlier one. Equal
/// rows have equal link ids, and equal rows below them. So the result is the same when the rows with the link
/// id are found first, and those few are compared.
extension FHIRPathEvaluation {
    /// The result of such a filter; nil where it is another one.
    mutating func filteredRepeat(
        _ base: Reference,
        _ arguments: [Reference],
        in focus: Focus,
        at node: Node
    ) throws(FHIRPathError) -> Items? {
        guard !context.isStrict, case .function(let root, .repeat, let projection) = syntax[base].kind,
            case .member(nil, "item") = syntax[projection[0]].kind,
            let linkId = syntax.linkId(asked: arguments[0])
        else { return nil }
        if let root, syntax.isResource(root), case .variable(let name) = syntax[root].kind,
            variables[name] == nil, let rows = context.rows[linkId]
        {
            try spend(1 + rows.count, at: node)
            return try distinct(rows, at: node)
        }
        var level = focus.items
        if let root { level = try evaluate(root, in: focus) }
        var found: Items = []
        // A path may begin with the type of a resource, whatever that is called.
        guard context.resource?.resourceType != "item" else { return nil }
        while !level.isEmpty {
            for item in level where item.isResource(named: "item") { return nil }
            level = try members("item", of: level, isRoot: false, node)
            for item in level {
                guard let isFound = item.hasLinkId(linkId) else { return nil }
                if isFound { found.append(item) }
            }
            try checkCount(found.count, at: node)
        }
        return try distinct(found, at: node)
    }
}

extension FHIRPathSyntax {
    /// Whether a node is `%resource`, or `%rootResource`, which a response is too.
    package func isResource(_ reference: Reference) -> Bool {
        guard case .variable(let name) = self[reference].kind else { return false }
        return name == "resource" || name == "rootResource"
    }

    /// The link id that a criterion asks for, where it asks nothing else: `linkId = 'x'`.
    package func linkId(asked criterion: Reference) -> String? {
        guard case .operation(.equal, let left, let right) = self[criterion].kind else { return nil }
        switch (self[left].kind, self[right].kind) {
        case (.member(nil, "linkId"), .string(let text)), (.string(let text), .member(nil, "linkId")):
            return text
        default: return nil
        }
    }
}

extension FHIRPathItem {
    /// Whether this is an element with a link id: as FHIRPath compares strings, by code points. Nil where it
    /// is not a string.
    fileprivate func hasLinkId(_ text: String) -> Bool? {
        guard case .node(let element) = storage, let linkId = element.json?["linkId"] else { return false }
        return linkId.kind == .string ? linkId.isString(equalTo: text) : nil
    }

    fileprivate func isResource(named name: String) -> Bool {
        guard case .node(let element) = storage else { return false }
        return element.json?.kind == .object && element.isNamed(name)
    }
}

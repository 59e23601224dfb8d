import OrderedJSON

/// Collects issues, and finds their locations when all are there.
struct IssueCollector {
    private struct Found {
        let issue: ValidationIssue
        /// What the issue's location is that of.
        let anchor: ParsedNode?
    }

    private let limit: Int
    private var found: [Found] = []
    private(set) var errorCount = 0
    private var otherCount = 0

    init(limit: Int) { self.limit = limit }

    /// Whether no more errors are to be collected.
    var isFull: Bool { errorCount >= limit }

    mutating func add(_ issue: ValidationIssue, at anchor: ParsedNode?) {
        if issue.isError {
            errorCount += 1
        } else {
            otherCount += 1
            guard otherCount <= limit else { return }
        }
        found.append(Found(issue: issue, anchor: anchor))
    }

    /// The issues in the order of the text.
    func issues(of root: JSONValue) -> [ValidationIssue] {
        var issues = found.map(\.issue)
        if let table = found.isEmpty ? nil : JSONLineTable(textOf: root) {
            issues = found.map { found in
                found.issue.located(at: found.anchor.flatMap { table.location(of: $0.value) })
            }
            // What has no location is about the whole, and comes last.
            let order = issues.indices.sorted { left, right in
                let (a, b) = (issues[left].location?.offset ?? .max, issues[right].location?.offset ?? .max)
                return a == b ? left < right : a < b
            }
            issues = order.map { issues[$0] }
        }
        if otherCount > limit {
            issues.append(
                ValidationIssue(
                    severity: .information, code: .incomplete, expression: "", location: nil, rule: nil,
                    text: "\(otherCount - limit) more warnings and remarks are not listed"))
        }
        return issues
    }
}

extension ValidationIssue {
    fileprivate func located(at location: JSONLocation?) -> ValidationIssue {
        ValidationIssue(
            severity: severity, code: code, expression: expression, location: location, rule: rule, text: text)
    }
}

import FHIR
import OrderedJSON

/// Collects issues, and finds their locations when all are there.
struct IssueCollector {
    private let limit: Int
    private var issues: [ValidationIssue] = []
    /// The nodes whose locations the issues get.
    private var anchors: [ParsedNode?] = []
    private(set) var errorCount = 0
    private var otherCount = 0

    init(limit: Int) { self.limit = limit }

    /// Whether no more errors are to be collected.
    var isFull: Bool { errorCount >= limit }

    /// Counts an issue, before its text and path are made.
    ///
    /// - Returns: Whether the issue is to be kept.
    mutating func count(_ severity: IssueSeverity) -> Bool {
        if severity.isError {
            errorCount += 1
            return true
        }
        otherCount += 1
        return otherCount <= limit
    }

    mutating func keep(_ issue: ValidationIssue, at anchor: ParsedNode?) {
        issues.append(issue)
        anchors.append(anchor)
    }

    /// The issues in the order of the text.
    mutating func issues(of root: JSONValue) -> [ValidationIssue] {
        if let table = issues.isEmpty ? nil : JSONLineTable(textOf: root) {
            for (index, anchor) in anchors.enumerated() {
                issues[index].location = anchor.flatMap { table.location(of: $0.value) }
            }
            // What has no location is about the whole, and comes last.
            let offsets = issues.map { $0.location?.offset ?? .max }
            if zip(offsets, offsets.dropFirst()).contains(where: >) {
                issues = offsets.indices.sorted { (offsets[$0], $0) < (offsets[$1], $1) }.map { issues[$0] }
            }
        }
        if otherCount > limit {
            issues.append(
                ValidationIssue(
                    severity: .information,
                    code: .incomplete,
                    expression: "",
                    location: nil,
                    rule: nil,
                    text: "\(otherCount - limit) more warnings and remarks are not listed"
                )
            )
        }
        return issues
    }
}

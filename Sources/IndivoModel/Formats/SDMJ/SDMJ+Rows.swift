import Foundation
import OrderedJSON

extension SDMJ {
    /// A list of flat objects, each by its members' names: texts as they are, numbers by their digits, null left out.
    package static func rows(parsing json: Data) throws(SDMJError) -> [[String: String]] {
        let root = try value(parsing: json)
        guard let items = root.elements else { throw SDMJError(at: root, in: root, "expected a list") }
        var rows: [[String: String]] = []
        for item in items {
            guard let members = item.members else { throw SDMJError(at: item, in: root, "expected an object") }
            var row: [String: String] = [:]
            for member in members where !member.value.isNull {
                guard let text = member.value.scalarText else {
                    throw SDMJError(at: member.value, in: root, "expected a single value")
                }
                row[member.name] = text
            }
            rows.append(row)
        }
        return rows
    }
}

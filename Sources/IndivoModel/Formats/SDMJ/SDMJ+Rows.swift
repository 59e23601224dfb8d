import Foundation

extension SDMJ {
    /// A list of flat objects, each by its members' names: texts as they are, numbers by their digits, null left out.
    package static func rows(parsing json: Data) throws(SDMJError) -> [[String: String]] {
        guard case .array(let items) = try JSONParser.parse(json) else {
            throw SDMJError(path: "", reason: "expected a list")
        }
        var rows: [[String: String]] = []
        for (index, item) in items.enumerated() {
            guard case .object(let members) = item else {
                throw SDMJError(path: "[\(index)]", reason: "expected an object")
            }
            var row: [String: String] = [:]
            for member in members {
                switch member.value {
                case .null: break
                case .bool(let value): row[member.name] = value ? "true" : "false"
                case .number(let digits): row[member.name] = digits
                case .string(let text): row[member.name] = text
                case .array, .object:
                    throw SDMJError(path: "[\(index)].\(member.name)", reason: "expected a single value")
                }
            }
            rows.append(row)
        }
        return rows
    }
}

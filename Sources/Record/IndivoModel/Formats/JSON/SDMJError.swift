import OrderedJSON

/// What is wrong with a text in SDMJ, and where. It names no value of the text.
public struct SDMJError: Error, Hashable, CustomStringConvertible {
    /// Counted from 1; `nil` for a value that is to be written, and was not read.
    public let line: Int?
    /// Counted from 1, in Unicode scalars; `nil` where ``line`` is.
    public let column: Int?
    /// The path inside the JSON, such as `[0].fulfillments[2]`; empty where the text is not JSON.
    public let path: String
    /// What is wrong.
    public let reason: String

    init(path: String = "", reason: String, at location: JSONLocation? = nil) {
        line = location?.line
        column = location?.column
        self.path = path
        self.reason = reason
    }

    /// - Parameters:
    ///   - value: The value, or the name of the member, that is wrong.
    ///   - root: The text's value. One model alone is named as the first of a list.
    init(at value: JSONValue, in root: JSONValue, _ reason: String) {
        let path = value.location.map { (root.kind == .object ? "[0]" : "") + root.path(toOffset: $0.offset) }
        self.init(path: path ?? "", reason: reason, at: value.location)
    }

    public var description: String {
        let position = line.flatMap { line in column.map { "line \(line), column \($0): " } } ?? ""
        return position + (path.isEmpty ? reason : "\(path): \(reason)")
    }
}

extension JSONValue {
    /// The way to the innermost value that holds a byte of the text: `.name` and `[index]`.
    fileprivate func path(toOffset offset: Int) -> String {
        var path = ""
        var value = self
        while true {
            let isMember: (JSONMember) -> Bool = { member in
                guard let end = member.value.sourceRange?.upperBound else { return false }
                return member.nameValue.sourceRange.map { ($0.lowerBound..<end).contains(offset) } ?? false
            }
            if let member = value.members?.first(where: isMember) {
                path += (path.isEmpty && kind == .array ? "" : ".") + member.name
                value = member.value
            } else if let (index, item) = value.elements?.enumerated().first(where: {
                $1.sourceRange?.contains(offset) == true
            }) {
                path += "[\(index)]"
                value = item
            } else {
                return path
            }
        }
    }
}

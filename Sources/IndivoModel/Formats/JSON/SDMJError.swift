import OrderedJSON

/// What is wrong with a text in SDMJ, and where. It names no value of the text.
public struct SDMJError: Error, Hashable, CustomStringConvertible {
    /// Counted from 1; `nil` for a value that is to be written, and was not read.
    public let line: Int?
    /// Counted from 1, in Unicode scalars; `nil` where ``line`` is.
    public let column: Int?
    /// The path inside the JSON, such as `[0].fulfillments[2]`; empty where the text is no JSON.
    public let path: String
    /// What is wrong.
    public let reason: String

    init(_ error: JSONError) {
        line = error.location.line
        column = error.location.column
        path = ""
        reason = error.reason.description
    }

    init(path: String, reason: String) {
        line = nil
        column = nil
        self.path = path
        self.reason = reason
    }

    /// - Parameters:
    ///   - value: The value, or the name of the member, that is wrong.
    ///   - root: The text's value. One model alone is named as the first of a list.
    init(at value: JSONValue, in root: JSONValue, _ reason: String) {
        let location = value.location
        line = location?.line
        column = location?.column
        path = location.map { (root.kind == .object ? "[0]" : "") + root.path(toOffset: $0.offset) } ?? ""
        self.reason = reason
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
        next: while true {
            for member in value.members ?? [] {
                if let range = member.value.sourceRange, let start = member.nameValue.sourceRange?.lowerBound,
                    start <= offset, offset < range.upperBound
                {
                    path += (path.isEmpty && self.kind == .array ? "" : ".") + member.name
                    value = member.value
                    continue next
                }
            }
            for (index, element) in (value.elements ?? []).enumerated() where element.sourceRange?.contains(offset) ?? false {
                path += "[\(index)]"
                value = element
                continue next
            }
            return path
        }
    }
}

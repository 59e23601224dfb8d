#if Tool && Sandbox
import IndivoModel
import IndivoXML

/// Prints what a query found, file by file.
struct MatchPrinter {
    /// What is printed of a match.
    enum Form: Hashable {
        case xml, text, count, json
        case attribute(String)
    }

    private let form: Form
    private let namesFiles: Bool
    private var objects: [JSONValue] = []
    /// Whether anything was found so far.
    private(set) var hasMatched = false

    /// - Parameter namesFiles: Whether each match is printed behind the name of its file.
    init(form: Form, namesFiles: Bool) {
        self.form = form
        self.namesFiles = namesFiles
    }

    /// Prints the matches in one file.
    mutating func print(_ answer: XMLQuery.Answer, of file: InputFile) throws {
        let prefix = namesFiles ? "\(file.name):" : ""
        switch answer {
        case .nodes(let nodes):
            let values = try nodes.compactMap { try value(of: $0, in: file) }
            if !values.isEmpty { hasMatched = true }
            switch form {
            case .count: try StandardStreams.say("\(prefix)\(values.count)")
            case .json: objects += values
            case .xml, .text, .attribute:
                for case .string(let text) in values { try StandardStreams.say(prefix + text) }
            }
        case .value(let text, let isMatch):
            if isMatch { hasMatched = true }
            switch form {
            case .json: objects.append(JSONValue.object(fileMember(file) + [JSONValue.Member(name: "text", value: .string(text))]))
            case .xml, .text, .count: try StandardStreams.say(prefix + text)
            case .attribute:
                throw CommandFailure("--attr goes with nodes, and the expression gives a value; leave it out")
            }
        }
    }

    /// Prints what had to wait for the last file.
    func finish() throws {
        guard form == .json else { return }
        var text = ""
        JSONValue.array(objects).write(to: &text)
        try StandardStreams.say(text)
    }

    private func fileMember(_ file: InputFile) -> [JSONValue.Member] {
        namesFiles ? [JSONValue.Member(name: "file", value: .string(file.name))] : []
    }

    /// What stands for one node; `nil` when it has none.
    private func value(of node: XMLNode, in file: InputFile) throws -> JSONValue? {
        switch form {
        case .count: return .null
        case .xml: return .string(try node.xml())
        case .text: return .string(node.text())
        case .attribute(let name): return node.attr(name).map { .string($0) }
        case .json:
            let attributes = node.attributes.map { JSONValue.Member(name: $0.qualifiedName, value: .string($0.value)) }
            return .object(
                fileMember(file) + [
                    JSONValue.Member(name: "name", value: .string(node.qualifiedName)),
                    JSONValue.Member(name: "attributes", value: .object(attributes)),
                    JSONValue.Member(name: "text", value: .string(node.text())),
                    JSONValue.Member(name: "xml", value: .string(try node.xml())),
                ])
        }
    }
}
#endif

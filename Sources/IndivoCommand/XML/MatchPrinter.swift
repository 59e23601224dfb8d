import IndivoModel
import IndivoXML
import OrderedJSON

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
    mutating func print(_ result: XMLXPathResult, of file: InputFile) throws {
        let prefix = namesFiles ? "\(file.name):" : ""
        let values: [JSONValue]
        switch result {
        case .nodes(let nodes): values = try nodes.compactMap { try value(of: $0, in: file) }
        case .attributes(let attributes):
            values = try attributes.map { try value($0.value, named: $0.qualifiedName, in: file) }
        case .string, .number, .boolean: values = [try value(result.string, named: nil, in: file)]
        }
        switch result {
        case .boolean(false): break
        default: if !values.isEmpty { hasMatched = true }
        }
        switch form {
        case .count: try StandardStreams.say("\(prefix)\(values.count)")
        case .json: objects += values
        case .xml, .text, .attribute:
            for text in values.compactMap(\.string) { try StandardStreams.say(prefix + text) }
        }
    }

    /// Prints what had to wait for the last file.
    func finish() throws {
        guard form == .json else { return }
        try StandardStreams.say(JSONValue(objects).text(.pretty))
    }

    /// What stands for an attribute or another text that an expression gives.
    private func value(_ text: String, named name: String?, in file: InputFile) throws -> JSONValue {
        switch form {
        case .count: return .null
        case .xml, .text: return JSONValue(text)
        case .attribute:
            throw CommandFailure("--attr goes with elements, and the expression gives something else; leave it out")
        case .json:
            let name = name.map { [JSONMember(name: "name", value: JSONValue($0))] } ?? []
            return JSONValue(members: fileMember(file) + name + [JSONMember(name: "text", value: JSONValue(text))])
        }
    }

    private func fileMember(_ file: InputFile) -> [JSONMember] {
        namesFiles ? [JSONMember(name: "file", value: JSONValue(file.name))] : []
    }

    /// What stands for one node; `nil` when it has none.
    private func value(of node: XMLNode, in file: InputFile) throws -> JSONValue? {
        switch form {
        case .count: return .null
        case .xml: return JSONValue(try node.xml())
        case .text: return JSONValue(node.text())
        case .attribute(let name): return node.attr(name).map { JSONValue($0) }
        case .json:
            let attributes = node.attributes.map { JSONMember(name: $0.qualifiedName, value: JSONValue($0.value)) }
            return JSONValue(
                members: fileMember(file) + [
                    JSONMember(name: "name", value: JSONValue(node.qualifiedName)),
                    JSONMember(name: "attributes", value: JSONValue(members: attributes)),
                    JSONMember(name: "text", value: JSONValue(node.text())),
                    JSONMember(name: "xml", value: JSONValue(try node.xml())),
                ])
        }
    }
}

import ArgumentParser
import IndivoModel
import IndivoXML
import OrderedJSON

struct SelectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "select", abstract: "Print the parts of XML that a CSS selector or an XPath expression means.",
        discussion: """
            indivo select 'Model[name=Medication] > Field[name^=drugName]' \\
                --text meds.xml
            indivo select --namespace d=http://indivo.org/vocab/xml/documents# \\
                'd|Model' --count *.xml
            indivo select --xpath 'count(//*[local-name()="Model"])' meds.xml

            A name without a prefix means elements of any namespace in selectors, of none in XPath. Of several files \
            each match is printed behind the name of its file. An XPath expression may give a text, a number or a \
            boolean, which is printed; false counts as no match.

            The exit status is 0 when something matched, 1 when nothing did, 2 when something is wrong.
            """)

    @Argument(help: "A selector: CSS with namespaces, and jQuery's positions such as :first and :eq(2).")
    var selector: String

    @Argument(help: "The files; standard input when left out or -.", completion: .file())
    var files: [String] = []

    @Flag(help: "Print the text of each match.")
    var text = false

    @Option(help: ArgumentHelp("Print this attribute of each match that has it.", valueName: "name"))
    var attr: String?

    @Flag(help: "Print how many matches there are in each file; of one file the number alone.")
    var count = false

    @Flag(help: "Print a JSON array of objects with name, attributes, text and xml (and file, where several are read).")
    var json = false

    @Flag(help: "The selector is an XPath 1.0 expression.")
    var xpath = false

    @Option(
        name: .customLong("namespace"),
        help: ArgumentHelp(
            "A prefix for the selector, as PREFIX=URI; =URI is the namespace of names without a prefix.", valueName: "prefix=uri"))
    var namespaceArguments: [String] = []

    func validate() throws {
        if [text, attr != nil, count, json].count(where: \.self) > 1 {
            throw ValidationError("--text, --attr, --count and --json exclude each other.")
        }
        for argument in namespaceArguments where !argument.contains("=") || argument.hasSuffix("=") {
            throw ValidationError(
                "'\(argument)' after --namespace is not PREFIX=URI, such as d=http://indivo.org/vocab/xml/documents#.")
        }
    }

    private var namespaces: [String: String] {
        let pairs = namespaceArguments.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        return Dictionary(pairs.map { (String($0[0]), String($0[1])) }, uniquingKeysWith: { $1 })
    }

    func run() throws {
        let query = try XMLQuery(selector, isXPath: xpath, namespaces: namespaces)
        let inputs = InputFile.all(files)
        var printer = MatchPrinter(form: form, namesFiles: inputs.count > 1)
        var failed = false
        for input in inputs {
            let root: XMLNode
            do {
                root = try input.parse()
            } catch let failure as CommandFailure {
                StandardStreams.complain("\(failure)")
                failed = true
                continue
            }
            try printer.print(query.matches(in: root), of: input)
        }
        try printer.finish()
        if failed { throw ExitCode(2) }
        if !printer.hasMatched { throw ExitCode(1) }
    }

    private var form: MatchPrinter.Form {
        if text { return .text }
        if let attr { return .attribute(attr) }
        if count { return .count }
        return json ? .json : .xml
    }
}

/// A selector or an XPath expression.
enum XMLQuery {
    case selector(XMLSelector)
    case xpath(String, namespaces: [String: String])

    /// - Throws: ``CommandFailure`` for a selector that is none. XPath is understood only when it is evaluated.
    init(_ text: String, isXPath: Bool, namespaces: [String: String]) throws {
        if isXPath {
            if namespaces[""] != nil { throw CommandFailure("XPath has no default namespace; give it a prefix, --namespace d=URI") }
            self = .xpath(text, namespaces: namespaces)
            return
        }
        do {
            self = .selector(try XMLSelector(text, namespaces: namespaces))
        } catch let error as XMLSelectorError {
            throw CommandFailure(
                "the selector is wrong: \(error); prefixes are declared with --namespace, examples are in indivo select --help")
        }
    }

    /// What the query means in the document of `root`, the root itself included.
    func matches(in root: XMLNode) throws -> XMLXPathResult {
        switch self {
        case .selector(let selector): return .nodes(root.document.find(selector))
        case .xpath(let expression, let namespaces):
            do {
                return try root.document.xpath(expression, namespaces: namespaces)
            } catch let error as XMLError {
                throw CommandFailure("\(error); prefixes are declared with --namespace, see indivo select --help")
            }
        }
    }
}

/// Prints what a query found, file by file.
struct MatchPrinter {
    /// What is printed of a match.
    enum Form: Hashable {
        case xml, text, count, json
        case attribute(String)
    }

    let form: Form
    /// Whether each match is printed behind the name of its file.
    let namesFiles: Bool
    private var objects: [JSONValue] = []
    /// Whether anything was found so far.
    private(set) var hasMatched = false

    init(form: Form, namesFiles: Bool) { (self.form, self.namesFiles) = (form, namesFiles) }

    /// Prints the matches in one file.
    mutating func print(_ result: XMLXPathResult, of file: InputFile) throws {
        let prefix = namesFiles ? "\(file.name):" : ""
        let values: [JSONValue]
        switch result {
        case .nodes(let nodes): values = try nodes.compactMap { try value(of: $0) }
        case .attributes(let attributes): values = try attributes.map { try value($0.value, named: $0.qualifiedName) }
        case .string, .number, .boolean: values = [try value(result.string, named: nil)]
        }
        if case .boolean(false) = result {} else { hasMatched = hasMatched || !values.isEmpty }
        switch form {
        case .count: try StandardStreams.say("\(prefix)\(values.count)")
        case .json:
            let name = namesFiles ? [JSONMember(name: "file", value: JSONValue(file.name))] : []
            objects += values.map { JSONValue(members: name + ($0.members ?? [])) }
        case .xml, .text, .attribute:
            for text in values.compactMap(\.string) { try StandardStreams.say(prefix + text) }
        }
    }

    /// Prints what had to wait for the last file.
    func finish() throws {
        if form == .json { try StandardStreams.say(JSONValue(objects).text(.pretty)) }
    }

    /// What stands for an attribute or another text that an expression gives.
    private func value(_ text: String, named name: String?) throws -> JSONValue {
        switch form {
        case .count: return .null
        case .xml, .text: return JSONValue(text)
        case .attribute: throw CommandFailure("--attr goes with elements, and the expression gives something else; leave it out")
        case .json: return name.map { ["name": JSONValue($0), "text": JSONValue(text)] } ?? ["text": JSONValue(text)]
        }
    }

    /// What stands for one node; `nil` when it has none.
    private func value(of node: XMLNode) throws -> JSONValue? {
        switch form {
        case .count: return .null
        case .xml: return JSONValue(try node.xml())
        case .text: return JSONValue(node.text())
        case .attribute(let name): return node.attr(name).map { JSONValue($0) }
        case .json:
            let attributes = node.attributes.map { JSONMember(name: $0.qualifiedName, value: JSONValue($0.value)) }
            return [
                "name": JSONValue(node.qualifiedName), "attributes": JSONValue(members: attributes),
                "text": JSONValue(node.text()), "xml": JSONValue(try node.xml()),
            ]
        }
    }
}

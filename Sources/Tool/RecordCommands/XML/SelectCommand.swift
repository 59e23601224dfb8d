import ArgumentParser
import IndivoModel
import IndivoXML
import OrderedJSON

struct SelectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "select",
        abstract: "Print the parts of XML that a CSS selector or an XPath expression selects.",
        discussion: """
            indivo select 'Model[name=Medication] > Field[name^=drugName]' \\
                --text meds.xml
            indivo select --namespace d=http://indivo.org/vocab/xml/documents# \\
                'd|Model' --count *.xml
            indivo select --xpath 'count(//*[local-name()="Model"])' meds.xml

            A name without a prefix means elements of any namespace in selectors, of none in XPath. \
            Of several files each match is printed behind the name of its file. \
            An XPath expression may give a text, a number or a boolean, which is printed; \
            false counts as no match.

            The exit status is 0 when something matched, 1 when nothing did, 2 when something is wrong.
            """
    )

    @Argument(help: "A selector: CSS with namespaces, and jQuery's positions such as :first and :eq(2).")
    var selector: String

    @Argument(help: "The files; standard input when left out or -.", completion: .file()) var files:
        [String] = []

    @Flag(help: "Print the text of each match.") var text = false

    @Option(help: .value("name", "Print this attribute of each match that has it.")) var attr: String?

    @Flag(help: "Print the number of matches in each file; for one file the number alone.") var count =
        false

    @Flag(
        help:
            """
            Print a JSON array of objects with name, attributes, text and xml (and file, \
            where several are read).
            """
    )
    var json = false

    @Flag(help: "The selector is an XPath 1.0 expression.") var xpath = false

    @Option(
        name: .customLong("namespace"),
        help: .value(
            "prefix=uri",
            "A prefix for the selector, as PREFIX=URI; =URI is the namespace of names without a prefix."
        )
    )
    var namespaceArguments: [String] = []

    func validate() throws {
        if [text, attr != nil, count, json].count(where: \.self) > 1 {
            throw ValidationError("--text, --attr, --count and --json exclude each other.")
        }
        for argument in namespaceArguments where !argument.contains("=") || argument.hasSuffix("=") {
            throw ValidationError(
                """
                '\(argument)' after --namespace is not PREFIX=URI, such as \
                d=http://indivo.org/vocab/xml/documents#.
                """
            )
        }
    }

    func run() throws {
        let query = try query()
        let inputs = InputFile.all(files)
        var objects: [JSONValue] = []
        var hasMatched = false
        var failed = false
        for input in inputs {
            let root: XMLNode
            do {
                root = try input.parse()
            } catch let failure as CommandFailure {
                StandardStreams.printError("\(failure)")
                failed = true
                continue
            }
            let result = try query(root.document)
            let values: [JSONValue]
            switch result {
            case .nodes(let nodes): values = try nodes.compactMap(value)
            case .attributes(let attributes):
                values = try attributes.map { try value(of: $0.value, named: $0.qualifiedName) }
            case .string, .number, .boolean: values = [try value(of: result.string)]
            }
            if case .boolean(false) = result {} else { hasMatched = hasMatched || !values.isEmpty }
            // Of several files each match is printed behind the name of its own.
            let file = inputs.count > 1 ? input.name : nil
            if json {
                let name = file.map { [JSONMember(name: "file", value: JSONValue($0))] } ?? []
                objects += values.map { JSONValue(members: name + ($0.members ?? [])) }
            } else {
                let texts = count ? ["\(values.count)"] : values.compactMap(\.string)
                for text in texts { try StandardStreams.say((file.map { "\($0):" } ?? "") + text) }
            }
        }
        if json { try StandardStreams.say(JSONValue(objects).text(.pretty)) }
        if failed { throw ExitCode(2) }
        if !hasMatched { throw ExitCode(1) }
    }

    /// What the selector or expression means in a document, the root included. XPath is understood only when
    /// it is evaluated.
    private func query() throws -> (XMLNode) throws -> XMLXPathResult {
        let pairs = namespaceArguments.map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        let namespaces = Dictionary(pairs.map { (String($0[0]), String($0[1])) }, uniquingKeysWith: { $1 })
        if xpath {
            if namespaces[""] != nil {
                throw CommandFailure("XPath has no default namespace; give it a prefix, --namespace d=URI")
            }
            return { document in
                do {
                    return try document.xpath(selector, namespaces: namespaces)
                } catch let error as XMLError {
                    throw CommandFailure(
                        "\(error); prefixes are declared with --namespace, see indivo select --help"
                    )
                }
            }
        }
        do {
            let selector = try XMLSelector(selector, namespaces: namespaces)
            return { .nodes($0.find(selector)) }
        } catch let error as XMLSelectorError {
            throw CommandFailure(
                """
                the selector is wrong: \(error); prefixes are declared with --namespace, \
                examples are in indivo select --help
                """
            )
        }
    }

    /// What stands for one node; `nil` when it has none.
    private func value(of node: XMLNode) throws -> JSONValue? {
        if count { return .null }
        if text { return JSONValue(node.text()) }
        if let attr { return node.attr(attr).map { JSONValue($0) } }
        guard json else { return JSONValue(try node.xml()) }
        let attributes = node.attributes.map {
            JSONMember(name: $0.qualifiedName, value: JSONValue($0.value))
        }
        return [
            "name": JSONValue(node.qualifiedName), "attributes": JSONValue(members: attributes),
            "text": JSONValue(node.text()),
            "xml": JSONValue(try node.xml()),
        ]
    }

    /// What stands for an attribute or another text that an expression gives.
    private func value(of text: String, named name: String? = nil) throws -> JSONValue {
        if attr != nil {
            throw CommandFailure(
                "--attr goes with elements, and the expression gives something else; leave it out"
            )
        }
        guard json else { return JSONValue(text) }
        return name.map { ["name": JSONValue($0), "text": JSONValue(text)] } ?? ["text": JSONValue(text)]
    }
}

import ArgumentParser
import IndivoModel
import IndivoXML

struct SelectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "select",
        abstract: "Print the parts of XML that a CSS selector or an XPath expression means.",
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
            "A prefix for the selector, as PREFIX=URI; =URI is the namespace of names without a prefix.",
            valueName: "prefix=uri"))
    var namespaceArguments: [String] = []

    func validate() throws {
        let forms = [text, attr != nil, count, json].filter { $0 }
        if forms.count > 1 { throw ValidationError("--text, --attr, --count and --json exclude each other.") }
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

import ArgumentParser
import FHIR
import OrderedJSON

struct FHIRPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Evaluate a FHIRPath expression on a resource.",
        discussion: """
            indivo fhir path 'entry.resource.ofType(Observation).value.value' bundle.json
            indivo fhir path 'birthDate <= today() - 18 years' patient.xml

            Each item of the result is printed on a line of its own, as JSON; dates, times and quantities as strings.

            The exit status is 0 when there is a result, 1 when it is empty, 2 for a wrong expression or a file that \
            cannot be read, 3 when the evaluation fails.
            """)

    // Not two arguments: an expression may begin with a minus, and would be taken for an option.
    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The expression, and the file; standard input when that is left out or -.", valueName: "expression> <file"),
        completion: .file())
    var arguments: [String]

    /// Expression and file, without the `--` that may stand before them.
    private var operands: ArraySlice<String> { arguments.first == "--" ? arguments.dropFirst() : arguments[...] }
    private var expression: String { operands.first ?? "" }

    func validate() throws {
        guard (1...2).contains(operands.count) else {
            throw ValidationError("An expression and at most one file are expected; an expression with spaces stands in quotes.")
        }
    }

    func run() throws {
        let file = operands.dropFirst().first ?? "-"
        let path = try reporting { () throws(FHIRPathError) in try FHIRPath(expression) }
        let json = try ResourceFile(InputFile(path: file)).json
        let items = try reporting { () throws(FHIRPathError) in try path.evaluate(on: json) }
        for item in items { try StandardStreams.say(item.json.text()) }
        if items.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }

    /// Turns errors of the expression into what the shell and a person are told.
    private func reporting<Value>(_ body: () throws(FHIRPathError) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            let isWrong = error.kind == .syntax || error.kind == .semantic
            throw CommandFailure(
                error.reason, at: "expression:\(position(offset: error.offset)):",
                status: isWrong ? .wrongUse : .evaluationFailed)
        }
    }

    /// Line and column of an offset in UTF-8 bytes; columns count Unicode scalars.
    private func position(offset: Int) -> String {
        let before = expression.utf8.prefix(max(0, offset))
        let line = before.count { $0 == 0x0A } + 1
        let lineStart = before.lastIndex(of: 0x0A).map { before.index(after: $0) } ?? before.startIndex
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return "\(line):\(column)"
    }
}

import IndivoModel
import OrderedJSON

/// What a check found out about one file.
struct CheckedFile {
    /// One thing that is wrong, or might be.
    struct Problem: Hashable {
        enum Severity: String {
            case error
            /// It can be read and sent all the same.
            case warning
        }

        var severity = Severity.error
        var line: Int?
        var column: Int?
        var message: String
    }

    /// A document in the file, and which of its properties have a value.
    struct Understood {
        var name: String
        var line: Int?
        var properties: [String]
    }

    let file: InputFile
    /// What the file is, in words.
    var kind = "not a document"
    /// The class that it is read as; `nil` where there is none.
    var className: String?
    var documents: [Understood] = []
    var problems: [Problem] = []
    /// What is worth knowing and not wrong.
    var notes: [String] = []

    init(_ file: InputFile) { self.file = file }

    /// The check's result for people: what the file is, what was understood, and each problem behind its place.
    var lines: [String] {
        var lines = ["\(file.name): \(kind)" + (className.map { ", read as \($0)" } ?? "")]
        for document in documents {
            let place = document.line.map { "line \($0): " } ?? ""
            let properties = document.properties.joined(separator: ", ")
            lines.append("  \(place)\(document.name): \(properties.isEmpty ? "nothing understood" : properties)")
        }
        for problem in problems {
            let place = file.place(problem.line, problem.column)
            lines.append("\(place) \(problem.severity): \(problem.message)")
        }
        for note in notes { lines.append("\(file.name): note: \(note)") }
        let warnings = count(.warning)
        lines.append(
            "\(file.name): \(Self.number(count(.error), "problem"))"
                + (warnings > 0 ? ", \(Self.number(warnings, "warning"))" : ""))
        return lines
    }

    /// How many problems there are of a severity.
    func count(_ severity: Problem.Severity) -> Int { problems.count { $0.severity == severity } }

    private static func number(_ count: Int, _ noun: String) -> String {
        "\(count == 0 ? "no" : "\(count)") \(noun)\(count == 1 ? "" : "s")"
    }

    /// The same for programs.
    var json: JSONValue {
        let documents = documents.map { document -> JSONValue in
            [
                "name": JSONValue(document.name), "line": JSONValue(document.line),
                "understood": JSONValue(document.properties.map { JSONValue($0) }),
            ]
        }
        let problems = problems.map { problem -> JSONValue in
            [
                "severity": JSONValue(problem.severity.rawValue), "line": JSONValue(problem.line),
                "column": JSONValue(problem.column), "message": JSONValue(problem.message),
            ]
        }
        return [
            "file": JSONValue(file.name), "kind": JSONValue(kind), "class": JSONValue(className),
            "documents": JSONValue(documents), "problems": JSONValue(problems),
            "notes": JSONValue(notes.map { JSONValue($0) }),
        ]
    }
}

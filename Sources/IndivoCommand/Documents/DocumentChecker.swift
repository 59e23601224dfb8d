import Foundation
import IndivoModel
import IndivoSchemas
import IndivoXML
import OrderedJSON

/// Finds everything that is wrong with a document: well-formedness, the schema of its kind, values, rules of its model.
struct DocumentChecker {
    static let namespace = "http://indivo.org/vocab/xml/documents#"

    private var result: CheckedFile
    private var unreadable: [DocumentError] = []

    /// Checks what a file holds.
    static func check(_ data: Data, of file: InputFile) throws -> CheckedFile {
        var checker = DocumentChecker(result: CheckedFile(file))
        if SDMJ.isLikely(data) { try checker.checkJSON(data) } else { try checker.checkXML(data) }
        checker.result.problems.sort { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) }
        return checker.result
    }

    private init(result: CheckedFile) { self.result = result }

    private mutating func add(
        _ message: String, line: Int? = nil, column: Int? = nil, severity: CheckedFile.Problem.Severity = .error
    ) {
        let problem = CheckedFile.Problem(severity: severity, line: line, column: column, message: message)
        if !result.problems.contains(problem) { result.problems.append(problem) }
    }

    // MARK: Formats

    private mutating func checkJSON(_ data: Data) throws {
        result.kind = "SDMJ"
        let root: XMLNode
        do {
            root = try SDMJ.models(parsing: data)
        } catch {
            return add(error.place + error.reason, line: error.line, column: error.column)
        }
        try checkModels(root, form: "SDMJ", isAnswer: false)
    }

    private mutating func checkXML(_ data: Data) throws {
        let root: XMLNode
        do {
            root = try XMLNode(parsing: data)
        } catch let error as XMLError {
            result.kind = "not well-formed XML"
            return add(error.message, line: error.line, column: error.column)
        }
        let isAnswer = root.namespace == nil
        let nested = isAnswer ? NestedKinds.answers : root.namespace == Self.namespace ? NestedKinds.documents : [:]
        if root.name == "Models", isAnswer || root.namespace == Self.namespace {
            try checkModels(root, form: "SDMX", isAnswer: isAnswer)
        } else if let reader = nested[root.name] {
            try checkNested(root, reader, isAnswer: isAnswer)
        } else if isAnswer, try IndivoSchemas.problems(of: root) != nil {
            result.kind = "\(root.name), an answer of a server"
        } else {
            result.kind = "<\(root.qualifiedName)>" + (root.namespace.map { " in \($0)" } ?? " in no namespace")
            let advice =
                isAnswer && NestedKinds.documents[root.name] != nil
                ? "; what servers look into is <\(root.name)> in the namespace \(Self.namespace)" : ""
            add("there is no class for this document; a server stores it without understanding it\(advice)", line: root.line)
        }
        checkSchema(of: root, problems: try IndivoSchemas.problems(of: root) ?? [])
    }

    private mutating func checkSchema(of root: XMLNode, problems: [XMLSchema.Problem]) {
        for problem in problems {
            // What was said of a value already, and in clearer words, is not said again.
            let isKnown = unreadable.contains { error in
                guard case .unreadableValue(let text, _) = error.reason else { return false }
                return error.line == problem.line && problem.message.contains("'\(text)'")
            }
            if !isKnown { add(problem.message.replacing("{\(Self.namespace)}", with: ""), line: problem.line) }
        }
    }

    private mutating func checkNested(_ root: XMLNode, _ reader: NestedKinds.Reader, isAnswer: Bool) throws {
        result.kind = root.name + (isAnswer ? ", an answer of a server" : "")
        do {
            let reading = try reader(root, &unreadable)
            result.className = reading.className
            if let properties = reading.properties {
                result.documents = [.init(name: root.name, line: root.line, properties: properties)]
            }
        } catch let error as DocumentError {
            unreadable.append(error)
        }
        addUnreadable()
    }

    private mutating func addUnreadable() {
        for error in unreadable {
            let place = error.line.map { " (line \($0))" } ?? ""
            add(error.description.replacing(place, with: ""), line: error.line)
        }
    }

    // MARK: Models

    private mutating func checkModels(_ root: XMLNode, form: String, isAnswer: Bool) throws {
        let elements = root.children(named: "Model")
        result.kind = "\(form), \(elements.count == 1 ? "1 model" : "\(elements.count) models")"
        result.className = "SDMXDocument"
        if isAnswer {
            result.notes.append(
                "this is what servers answer; in a document for a server <Models> is in the namespace "
                    + Self.namespace)
        }
        var documents: [IndivoDocument] = []
        // One without a name is the schema's to complain of.
        for element in elements where element.attr("name") != nil {
            do {
                documents.append(try IndivoDocument.registered(for: element, problems: &unreadable))
            } catch let error as DocumentError {
                unreadable.append(error)
            }
        }
        addUnreadable()
        for document in documents {
            result.documents.append(
                .init(name: document.modelName, line: document.sourceLine, properties: try understood(of: document)))
            try checkNames(in: document, isAnswer: isAnswer)
            // Servers leave out in reports what they require in documents.
            if !isAnswer { try checkRules(of: document) }
        }
        if documents.isEmpty, result.problems.isEmpty, !isAnswer { add("the document holds no model", line: root.line) }
    }

    private func understood(of document: IndivoDocument) throws -> [String] {
        guard !document.isKnownModel else { return try document.presentProperties() }
        return (document as? GenericDocument)?.fields.map(\.name) ?? []
    }

    /// Looks for models and fields that nobody knows, in related documents too.
    private mutating func checkNames(in document: IndivoDocument, isAnswer: Bool) throws {
        let model = document.modelName
        guard document.isKnownModel else {
            let message = "no model “\(model)” is known; name the folder of its SDML with --models"
            if isAnswer { result.notes.append(message) } else { add(message, line: document.sourceLine) }
            return
        }
        for field in document.sourceFields where !isAnswer {
            switch field.meaning {
            case .known: break
            case .formerly(let current):
                add(
                    "“\(field.name)” is an older name of \(model)'s “\(current)”, and servers refuse it; "
                        + "indivo document convert --current-names writes today's",
                    line: field.line, severity: .warning)
            case .unknown: add("the model \(model) has no field “\(field.name)”, and servers refuse it", line: field.line)
            }
        }
        for related in try document.relatedDocuments() { try checkNames(in: related, isAnswer: isAnswer) }
    }

    private mutating func checkRules(of document: IndivoDocument) throws {
        for problem in try document.problems() {
            // A value that cannot be read is there all the same.
            let isUnreadable = unreadable.contains {
                $0.line == problem.line && !$0.property.isEmpty && problem.property.hasSuffix($0.property)
            }
            if !isUnreadable { add("\(problem)", line: problem.line) }
        }
    }
}

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

/// The kinds of nested XML that there are classes for: typed documents, and servers' responses.
enum NestedKinds {
    /// Reads an element and notes what of it cannot be read.
    typealias Reader = @Sendable (XMLNode, inout [DocumentError]) throws -> Reading

    /// What reading gave.
    struct Reading {
        var className: String
        /// Which properties have a value, where that is known.
        var properties: [String]?
    }

    /// By the name of the root element, documents in Indivo's namespace.
    static let documents: [String: Reader] = [
        "Demographics": document(Demographics.self),
        "Equipment": document(EquipmentDocument.self),
        "Procedure": document(ProcedureDocument.self),
        "SimpleClinicalNote": document(SimpleClinicalNoteDocument.self),
        "Annotation": document(Annotation.self),
    ]

    /// By the name of the root element, responses in no namespace.
    static let answers: [String: Reader] = [
        "Record": answer(RecordInformation.self),
        "Records": answer(RecordList.self),
        "Document": answer(DocumentMetadata.self),
        "Documents": answer(DocumentList.self),
        "DocumentStatusHistory": answer(DocumentStatusHistory.self),
        "Reports": document(Reports.self),
        "AggregateReports": answer(AggregateReports.self),
        "Message": answer(Message.self),
        "Messages": answer(Messages.self),
        "Notifications": answer(Notifications.self),
        "Carenets": answer(Carenets.self),
        "CarenetAccounts": answer(CarenetAccounts.self),
        "Account": answer(Account.self),
    ]

    private static func document<Document: IndivoDocument>(_ type: Document.Type) -> Reader {
        { node, problems in
            let document = try Document.read(from: node, problems: &problems)
            return Reading(className: "\(Document.self)", properties: try document.presentProperties())
        }
    }

    private static func answer<Value: CompoundValue>(_ type: Value.Type) -> Reader {
        { node, problems in
            _ = try Value.read(from: node, problems: &problems)
            return Reading(className: "\(Value.self)")
        }
    }
}

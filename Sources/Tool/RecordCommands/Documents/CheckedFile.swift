import Foundation
import IndivoModel
import IndivoXML
import OrderedJSON
import SDML

/// The result of checking one file: its well-formedness, the schema of its kind, its values, and its model.
struct CheckedFile {
    static let namespace = "http://indivo.org/vocab/xml/documents#"

    /// One problem. A document with nothing but warnings can be read and sent.
    struct Problem: Hashable {
        var severity: Diagnostic.Severity
        var line: Int?
        var column: Int?
        var message: String
    }

    private let file: InputFile
    /// What the file is, in words.
    private var kind = "not a document"
    /// The class that it is read as; `nil` where there is none.
    private var className: String?
    /// The documents in the file, and which of their properties have a value.
    private var documents: [(name: String, line: Int?, properties: [String])] = []
    private(set) var problems: [Problem] = []
    /// What is worth knowing and not wrong.
    private var notes: [String] = []
    private var unreadable: [DocumentError] = []

    init(_ file: InputFile) throws {
        self.file = file
        let data = try file.read()
        let isJSON = SDMJ.isLikely(data)
        let root: XMLNode
        do {
            root = isJSON ? try SDMJ.models(parsing: data) : try XMLNode(parsing: data)
        } catch let error as any LocatedError {
            kind = isJSON ? "SDMJ" : "not well-formed XML"
            add(error.told, line: error.line, column: error.column)
            return
        }
        if isJSON { try checkModels(root, form: "SDMJ", isAnswer: false) } else { try checkXML(root) }
        problems.sort { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) }
    }

    private mutating func add(
        _ message: String,
        line: Int?,
        column: Int? = nil,
        severity: Diagnostic.Severity = .error
    ) {
        let problem = Problem(severity: severity, line: line, column: column, message: message)
        if !problems.contains(problem) { problems.append(problem) }
    }

    // MARK: Formats

    private mutating func checkXML(_ root: XMLNode) throws {
        let isAnswer = root.namespace == nil
        let nested = isAnswer ? Self.answers : root.namespace == Self.namespace ? Self.nestedDocuments : [:]
        let schemaProblems = try IndivoSchemas.problems(of: root)
        if root.name == "Models", isAnswer || root.namespace == Self.namespace {
            try checkModels(root, form: "SDMX", isAnswer: isAnswer)
        } else if let type = nested[root.name] {
            try read(root, as: type)
        } else if isAnswer, schemaProblems != nil {
            kind = "\(root.name), an answer of a server"
        } else {
            kind = "<\(root.qualifiedName)>" + (root.namespace.map { " in \($0)" } ?? " in no namespace")
            let advice =
                isAnswer && Self.nestedDocuments[root.name] != nil
                ? "; what servers look into is <\(root.name)> in the namespace \(Self.namespace)" : ""
            add(
                "there is no class for this document; a server stores it without understanding it\(advice)",
                line: root.line
            )
        }
        for problem in schemaProblems ?? [] {
            // A value that was reported before, in clearer words, is not reported again.
            let isKnown = unreadable.contains { error in
                guard case .unreadableValue(let text, _) = error.reason else { return false }
                return error.line == problem.line && problem.message.contains("'\(text)'")
            }
            if !isKnown {
                add(problem.message.replacing("{\(Self.namespace)}", with: ""), line: problem.line)
            }
        }
    }

    private mutating func read(_ root: XMLNode, as type: Any.Type) throws {
        kind = root.name + (root.namespace == nil ? ", an answer of a server" : "")
        do {
            if let type = type as? IndivoDocument.Type {
                let document = try type.read(from: root, problems: &unreadable)
                documents = [(root.name, root.line, try document.presentProperties())]
                if root.namespace != nil { try checkRules(of: document) }
            } else if let type = type as? any CompoundValue.Type {
                _ = try type.read(from: root, problems: &unreadable)
            }
            className = "\(type)"
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

    /// The classes of documents in Indivo's namespace, by the name of the root element.
    private static let nestedDocuments: [String: Any.Type] = [
        "Demographics": Demographics.self, "Equipment": EquipmentDocument.self,
        "Procedure": ProcedureDocument.self,
        "SimpleClinicalNote": SimpleClinicalNoteDocument.self, "Annotation": Annotation.self,
    ]

    /// The classes of responses, in no namespace.
    private static let answers: [String: Any.Type] = [
        "Record": RecordInformation.self, "Records": RecordList.self, "Document": DocumentMetadata.self,
        "Documents": DocumentList.self, "DocumentStatusHistory": DocumentStatusHistory.self,
        "Reports": Reports.self,
        "AggregateReports": AggregateReports.self, "Message": Message.self, "Messages": Messages.self,
        "Notifications": Notifications.self, "Carenets": Carenets.self,
        "CarenetAccounts": CarenetAccounts.self,
        "Account": Account.self,
    ]

    // MARK: Models

    private mutating func checkModels(_ root: XMLNode, form: String, isAnswer: Bool) throws {
        let elements = root.children(named: "Model")
        kind = "\(form), \(elements.count == 1 ? "1 model" : "\(elements.count) models")"
        className = "SDMXDocument"
        if !isAnswer {
            for problem in SDMXDocument.problems(beside: root) { add(problem.reason, line: problem.line) }
        }
        if isAnswer {
            notes.append(
                """
                this is what servers answer; in a document for a server <Models> is in the namespace \
                \(Self.namespace)
                """
            )
        }
        var models: [IndivoDocument] = []
        // A model without a name is reported by the schema.
        for element in elements where element.attr("name") != nil {
            do {
                models.append(try IndivoDocument.registered(for: element, problems: &unreadable))
            } catch let error as DocumentError {
                unreadable.append(error)
            }
        }
        addUnreadable()
        for model in models {
            let fields = (model as? GenericDocument)?.fields.map(\.name) ?? []
            let properties = model.isKnownModel ? try model.presentProperties() : fields
            documents.append((model.modelName, model.sourceLine, properties))
            try checkNames(in: model, isAnswer: isAnswer)
            // In reports, servers leave out what they require in documents.
            if !isAnswer { try checkRules(of: model) }
        }
        if models.isEmpty, problems.isEmpty, !isAnswer { add("the document holds no model", line: root.line) }
    }

    /// Checks for unknown models and fields, also in related documents.
    private mutating func checkNames(in document: IndivoDocument, isAnswer: Bool) throws {
        let model = document.modelName
        guard document.isKnownModel else {
            let message = "no model “\(model)” is known; name the folder of its SDML with --models"
            return isAnswer ? notes.append(message) : add(message, line: document.sourceLine)
        }
        for field in document.sourceFields where !isAnswer {
            switch field.meaning {
            case .known: break
            case .formerly(let current):
                add(
                    "“\(field.name)” is an older name of \(model)'s “\(current)”, and servers refuse it; "
                        + "indivo document convert --current-names writes today's",
                    line: field.line,
                    severity: .warning
                )
            case .unknown:
                add(
                    "the model \(model) has no field “\(field.name)”, and servers refuse it",
                    line: field.line
                )
            case .misplacedModels(let why): add("\(model).\(field.name): \(why)", line: field.line)
            }
        }
        for related in try document.relatedDocuments() { try checkNames(in: related, isAnswer: isAnswer) }
    }

    private mutating func checkRules(of document: IndivoDocument) throws {
        for problem in try document.problems() {
            // A value that cannot be read is present all the same.
            let isUnreadable = unreadable.contains {
                $0.line == problem.line && !$0.property.isEmpty && problem.property.hasSuffix($0.property)
            }
            if !isUnreadable { add("\(problem)", line: problem.line) }
        }
    }

    // MARK: The result

    /// For people: what the file is, what was read from it, and each problem with its location.
    var lines: [String] {
        let understood = documents.map { document in
            let properties =
                document.properties.isEmpty
                ? "nothing understood" : document.properties.joined(separator: ", ")
            return "  \(document.line.map { "line \($0): " } ?? "")\(document.name): \(properties)"
        }
        let warnings = count(.warning) > 0 ? ", \(Self.number(count(.warning), "warning"))" : ""
        return ["\(file.name): \(kind)" + (className.map { ", read as \($0)" } ?? "")] + understood
            + problems.map { "\(file.place($0.line, $0.column)) \($0.severity): \($0.message)" }
            + notes.map { "\(file.name): note: \($0)" } + [
                "\(file.name): \(Self.number(count(.error), "problem"))\(warnings)"
            ]
    }

    func count(_ severity: Diagnostic.Severity) -> Int { problems.count { $0.severity == severity } }

    private static func number(_ count: Int, _ noun: String) -> String {
        "\(count == 0 ? "no" : "\(count)") \(noun)\(count == 1 ? "" : "s")"
    }

    /// The same for programs.
    var json: JSONValue {
        let documents: [JSONValue] = documents.map { name, line, properties in
            [
                "name": JSONValue(name), "line": JSONValue(line),
                "understood": JSONValue(properties.map { JSONValue($0) }),
            ]
        }
        let problems: [JSONValue] = problems.map { problem in
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

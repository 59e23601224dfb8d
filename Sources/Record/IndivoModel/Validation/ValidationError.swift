import IndivoXML

/// Everything a server would refuse about a document, at once.
public struct ValidationError: Error, Hashable, CustomStringConvertible {
    /// Everything that a server would refuse.
    public let problems: [Problem]

    public var description: String { problems.map(\.description).joined(separator: "\n") }

    /// One thing a server would refuse about a document.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The data model.
        public let model: String
        /// The property's path, such as `fulfillments[0].date`; empty where the reason names an element of
        /// XML.
        public let property: String
        /// What is wrong, and what would be right. It may quote the document.
        public let reason: String
        /// The line of the source, from 1, where the document was read from one: of the field, or of its
        /// document.
        public let line: Int?
        /// The reason as far as it does not quote the document.
        package internal(set) var rule = "has a problem"

        public var description: String { "\(place): \(reason)" }

        /// The model and the property.
        package var place: String { property.isEmpty ? model : "\(model).\(property)" }

        /// The problem's property and reason, the same for every index in a list.
        var withoutIndexes: [String] {
            [
                property.split(separator: "[").map { $0.split(separator: "]").last ?? "" }.joined(
                    separator: "[]"
                ), reason,
            ]
        }
    }
}

extension ValidationError.Problem {
    /// Everything that a server would refuse about a document that was written elsewhere: fields that its
    /// models do not have, values that cannot be read, and what the models' rules say. Models without a class
    /// are not checked. Anything else than SDMX or a typed document has no problem.
    package static func found(in root: XMLNode) -> [ValidationError.Problem] {
        if root.name == "Models" {
            guard root.namespace == SDMX.namespace else {
                let reason = "is not in the namespace \(SDMX.namespace): servers make no facts of it"
                return [.init(model: root.name, property: "", reason: reason, line: root.line)]
            }
            return root.children(named: "Model").flatMap(found(inModel:))
        }
        guard let type = try? DocumentClasses.type(of: root) else { return [] }
        let (document, unreadable) = read(root, as: type)
        return problems(of: document, unreadable)
    }

    private static func found(inModel model: XMLNode) -> [ValidationError.Problem] {
        guard let name = model.attr("name"), !name.isEmpty else {
            return [
                .init(
                    model: "Model",
                    property: "",
                    reason: "has no name: servers refuse it",
                    line: model.line
                )
            ]
        }
        let (document, unreadable) = read(model, as: DocumentClasses.type(ofModel: name))
        guard let document else { return unreadable.map(problem) }
        return problems(of: document, unreadable) + unknownFields(of: document)
    }

    private static func problems(of document: IndivoDocument?, _ unreadable: [DocumentError])
        -> [ValidationError.Problem]
    {
        // A value that cannot be read is reported once.
        let broken = ((try? document?.problems()) ?? []).filter { problem in
            !unreadable.contains {
                $0.line == problem.line && !$0.property.isEmpty && problem.property.hasSuffix($0.property)
            }
        }
        return unreadable.map(problem) + broken
    }

    /// Reads as much as possible. Reading throws no other errors than `DocumentError`.
    private static func read(_ element: XMLNode, as type: IndivoDocument.Type) -> (
        IndivoDocument?, unreadable: [DocumentError]
    ) {
        let problems = ReadingProblems()
        do {
            return (try type.read(from: element, collecting: problems), problems.all)
        } catch {
            return (nil, problems.all + [error as? DocumentError].compactMap { $0 })
        }
    }

    private static func problem(_ error: DocumentError) -> ValidationError.Problem {
        .init(model: error.document, property: error.property, reason: error.explanation, line: error.line)
    }

    private static func unknownFields(of document: IndivoDocument) -> [ValidationError.Problem] {
        guard document.isKnownModel else { return [] }
        let fields = document.sourceFields.compactMap { field -> ValidationError.Problem? in
            let reason: String
            switch field.meaning {
            case .known: return nil
            case .formerly(let current): reason = "is an older name of “\(current)”, and servers refuse it"
            case .unknown: reason = "is not a field of the model, and servers refuse it"
            case .misplacedModels(let why): reason = why
            }
            return .init(model: document.modelName, property: field.name, reason: reason, line: field.line)
        }
        return fields + ((try? document.relatedDocuments()) ?? []).flatMap(unknownFields(of:))
    }
}

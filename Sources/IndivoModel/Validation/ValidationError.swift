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
        /// The property's path, such as `fulfillments[0].date`; empty where the reason names an element of XML.
        public let property: String
        /// What is wrong, and what would be right. It may quote the document.
        public let reason: String
        /// The line of the source, from 1, where the document was read from one: of the field, or of its document.
        public let line: Int?
        /// The reason as far as it does not quote the document.
        package let rule: String

        init(model: String, property: String, reason: String, line: Int?, rule: String = "has a problem") {
            self.model = model
            self.property = property
            self.reason = reason
            self.line = line
            self.rule = rule
        }

        public var description: String { "\(place): \(reason)" }

        /// The model and the property.
        package var place: String { property.isEmpty ? model : "\(model).\(property)" }
    }
}

extension ValidationError.Problem {
    /// Everything that a server would refuse about a document that was written elsewhere: fields that its models do not
    /// have, values that cannot be read, and what the models' rules say. Models without a class are not checked.
    /// Anything else than SDMX or a typed document has no problem.
    package static func found(in root: XMLNode) -> [ValidationError.Problem] {
        if root.name == "Models" { return root.children(named: "Model").flatMap(found(inModel:)) }
        guard (try? DocumentClasses.type(of: root)) != nil else { return [] }
        var unreadable: [DocumentError] = []
        return reading(&unreadable) { _ = try IndivoDocument.read(from: root, problems: &$0) }
    }

    private static func found(inModel model: XMLNode) -> [ValidationError.Problem] {
        guard model.attr("name")?.isEmpty == false else { return [] }
        var unreadable: [DocumentError] = []
        var document: IndivoDocument?
        let unread = reading(&unreadable) { document = try IndivoDocument.registered(for: model, problems: &$0) }
        guard let document else { return unread }
        // A value that cannot be read is there all the same.
        let broken = ((try? document.problems()) ?? []).filter { problem in
            !unreadable.contains {
                $0.line == problem.line && !$0.property.isEmpty && problem.property.hasSuffix($0.property)
            }
        }
        return unread + unknownFields(of: document) + broken
    }

    private static func reading(
        _ unreadable: inout [DocumentError], _ read: (inout [DocumentError]) throws -> Void
    ) -> [ValidationError.Problem] {
        do {
            try read(&unreadable)
        } catch let error as DocumentError {
            unreadable.append(error)
        } catch {
            // Nothing else is thrown by what reads; a server would say what it is.
        }
        return unreadable.map {
            ValidationError.Problem(model: $0.document, property: $0.property, reason: $0.explanation, line: $0.line)
        }
    }

    private static func unknownFields(of document: IndivoDocument) -> [ValidationError.Problem] {
        guard document.isKnownModel else { return [] }
        let fields = document.sourceFields.compactMap { field -> ValidationError.Problem? in
            let reason: String
            switch field.meaning {
            case .known: return nil
            case .formerly(let current): reason = "is an older name of “\(current)”, and servers refuse it"
            case .unknown: reason = "is not a field of the model, and servers refuse it"
            }
            return ValidationError.Problem(
                model: document.modelName, property: field.name, reason: reason, line: field.line)
        }
        return fields + ((try? document.relatedDocuments()) ?? []).flatMap(unknownFields(of:))
    }
}

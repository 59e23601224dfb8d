import IndivoXML

extension ValidationProblem {
    /// Everything that a server would refuse about a document that was written elsewhere: fields that its models do not
    /// have, values that cannot be read, and what the models' rules say. Models without a class are not checked.
    ///
    /// - Parameter root: The root of SDMX or of a typed document; anything else has no problem.
    package static func found(in root: XMLNode) -> [ValidationProblem] {
        if root.name == "Models" { return root.children(named: "Model").flatMap(found(inModel:)) }
        guard (try? DocumentClasses.type(of: root)) != nil else { return [] }
        var unreadable: [DocumentError] = []
        return reading(&unreadable) { _ = try IndivoDocument.read(from: root, problems: &$0) }
    }

    private static func found(inModel model: XMLNode) -> [ValidationProblem] {
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
    ) -> [ValidationProblem] {
        do {
            try read(&unreadable)
        } catch let error as DocumentError {
            unreadable.append(error)
        } catch {
            // Nothing else is thrown by what reads; a server would say what it is.
        }
        return unreadable.map {
            ValidationProblem(model: $0.document, property: $0.property, reason: $0.explanation, line: $0.line)
        }
    }

    private static func unknownFields(of document: IndivoDocument) -> [ValidationProblem] {
        guard document.isKnownModel else { return [] }
        let fields = document.sourceFields.compactMap { field -> ValidationProblem? in
            let reason: String
            switch field.meaning {
            case .known: return nil
            case .formerly(let current): reason = "is an older name of “\(current)”, and servers refuse it"
            case .unknown: reason = "is not a field of the model, and servers refuse it"
            }
            return ValidationProblem(
                model: document.modelName, property: field.name, reason: reason, line: field.line)
        }
        return fields + ((try? document.relatedDocuments()) ?? []).flatMap(unknownFields(of:))
    }
}

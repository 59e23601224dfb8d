import IndivoXML

extension ValidationError.Problem {
    /// The models of a document, also within others, for which neither a class nor a shape is registered. A
    /// server may know them all the same.
    package static func unknownModels(in root: XMLNode) -> [ValidationError.Problem] {
        guard root.name == "Models" else { return [] }
        return root.find("Model").compactMap { model in
            guard let name = model.attr("name"), !name.isEmpty,
                DocumentClasses.type(ofModel: name) == GenericDocument.self,
                DocumentClasses.runtimeModel(named: name) == nil
            else { return nil }
            return ValidationError.Problem(
                model: name,
                property: "",
                reason:
                    "is not a model that this app knows, and a server refuses what it does not know either",
                line: model.line
            )
        }
    }
}

import IndivoXML

extension IndivoDocument {
    /// All values of the document, one a line, related documents included, for debugging.
    ///
    /// ```
    /// Medication 6f9619ff-8b86-4d01-b42d-00cf4fc964ff
    ///   drugName.title: Vitamin C 500 MG
    ///   startDate: 2026-11-21
    ///   fulfillments[0]: Fill
    ///     dispenseDaysSupply: 30.0
    /// ```
    /// Fields that the class does not know follow at the end, under their names in XML.
    ///
    /// It contains the patient's data: keep it out of logs. ``description`` has only the kind and the id.
    public final var fullDescription: String {
        ([modelName + (id.map { " \($0)" } ?? "")] + lines(margin: "  ")).joined(separator: "\n")
    }

    /// The document's values, without its kind.
    fileprivate final func lines(margin: String) -> [String] {
        let table = FieldTable(self)
        var lines = table.lines(table.schema.group, path: "", margin: margin)
        guard type(of: self).format.isDataModel, let source else { return lines }
        let isUnknown: (String) -> Bool =
            self is GenericDocument
            ? { _ in true } : Set(sourceFields.filter { $0.meaning == .unknown }.map(\.name)).contains
        lines += Self.lines(of: source, margin: margin, where: isUnknown)
        return lines
    }

    /// Fields without a property.
    private static func lines(of model: XMLNode, margin: String, where isWanted: (String) -> Bool) -> [String]
    {
        var lines: [String] = []
        for field in model.ownChildren(named: "Field") {
            guard let name = field.attr("name"), isWanted(name) else { continue }
            let models = field.relatedModels
            if models.isEmpty { lines.append(line(name, field.text(), margin)) }
            for (index, model) in models.enumerated() {
                lines.append(
                    line(models.count == 1 ? name : "\(name)[\(index)]", model.attr("name") ?? "", margin)
                )
                lines += Self.lines(of: model, margin: margin + "  ") { _ in true }
            }
        }
        return lines
    }

    fileprivate static func line(_ name: String, _ text: String, _ margin: String) -> String {
        margin + "\(name): \(text)".split(whereSeparator: \.isNewline).joined(separator: "\n\(margin)  ")
    }
}

extension CompoundValue {
    /// The fields that have a value, as in `family: Lovelace, given: Ada`. It contains the patient's data:
    /// keep it out of logs.
    public var description: String {
        let table = FieldTable(self, .dataModel)
        return table.lines(table.schema.group, path: "", margin: "").joined(separator: ", ")
    }
}

extension FieldTable {
    /// A line for each value; `path` stands before the properties' names.
    fileprivate func lines(_ group: FieldGroup, path: String, margin: String) -> [String] {
        group.fields.flatMap { field -> [String] in
            let name = path + field.property
            if let relation = field.relation {
                return relations[relation].items.enumerated().flatMap { index, item in
                    item.lines(field.shape.isList ? "\(name)[\(index)]" : name, format, margin: margin)
                }
            }
            if let inner = field.inner { return lines(inner, path: name + ".", margin: margin) }
            return string(of: field.leaf).map { [IndivoDocument.line(name, $0, margin)] } ?? []
        }
    }
}

extension TableItem {
    fileprivate func lines(_ name: String, _ format: TableFormat, margin: String) -> [String] {
        switch self {
        case .text(let text):
            return [IndivoDocument.line(name, text, margin)]
        case .value(let value):
            let table = FieldTable(value, format)
            return table.lines(table.schema.group, path: name + ".", margin: margin)
        case .document(let document):
            return [IndivoDocument.line(name, document.modelName, margin)]
                + document.lines(margin: margin + "  ")
        case .element:
            return []
        }
    }
}

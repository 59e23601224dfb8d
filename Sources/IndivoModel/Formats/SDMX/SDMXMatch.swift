import IndivoXML

extension XMLNode {
    /// Whether this model of a stored document is the one that a report shows.
    ///
    /// Reports do not give the stored text word for word: they spell numbers and dates their own way, fill in `false`
    /// where a boolean was left out, leave out some relations and shuffle the rest.
    func isSameModel(as reported: XMLNode, of type: IndivoDocument.Type) -> Bool {
        guard type.isModel(self), type.isModel(reported) else { return false }
        let name = attr("name") ?? ""
        let isGeneral = type == IndivoDocument.self
        if isGeneral, name != reported.attr("name") ?? "" { return false }
        let schema = ModelSchema.of(isGeneral ? DocumentClasses.type(ofModel: name) : type)
        let (a, b) = (FieldTable(self, schema, .dataModel), FieldTable(reported, schema, .dataModel))
        return schema.leaves.indices.allSatisfy { schema.leaves[$0].means(a.reportedText(of: $0), b.reportedText(of: $0)) }
            && schema.relations.indices.allSatisfy { index in
                guard case .document(let related) = schema.relations[index].shape.kind else { return true }
                let (stored, reported) = (a.models(of: index), b.models(of: index))
                // Reports leave out some relations.
                if reported.isEmpty { return true }
                return stored.count == reported.count
                    && ListMatch.positions(of: reported.count, among: stored.count, by: {
                        stored[$1].isSameModel(as: reported[$0], of: related)
                    }).allSatisfy { $0 != nil }
            }
    }
}

extension FieldTable {
    /// A leaf's text; `nil` for what a report may fill in where nothing is stored.
    fileprivate func reportedText(of leaf: Int) -> String? {
        let text = text(of: leaf)?.string
        return schema.leaves[leaf].type.dataType == .boolean && text == "false" ? nil : text
    }

    /// The `Model` elements of a relation.
    func models(of relation: Int) -> [XMLNode] {
        relations[relation].items.compactMap { item in
            if case .element(let element) = item.content { element.node } else { nil }
        }
    }

    /// The documents in a relation of an object.
    func documents(of relation: Int) -> [IndivoDocument] {
        relations[relation].items.compactMap { item in
            if case .document(let document) = item.content { document } else { nil }
        }
    }
}

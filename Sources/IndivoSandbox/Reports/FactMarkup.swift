import GRDB

extension ModelCatalog {
    /// Facts as SDMX, without the namespace that documents need on their way in.
    func markup(_ facts: [FactRow], in db: Database) throws -> Markup { try markup(facts, FactRow.children(of: facts, in: db)) }

    private func markup(_ facts: [FactRow], _ children: FactChildren) throws -> Markup {
        facts.isEmpty ? "<Models/>" : "<Models>\(try facts.map { try markup($0, children) })</Models>"
    }

    private func markup(_ fact: FactRow, _ children: FactChildren) throws -> Markup {
        let values = try fact.values()
        var markup: Markup = "<Model documentId=\"\(fact.document)\" name=\"\(fact.model)\">"
        func add(_ name: String, _ value: Markup?) {
            if let value { markup += "<Field name=\"\(name)\">\(value)</Field>" } else { markup += "<Field name=\"\(name)\"/>" }
        }
        for field in fields(of: fact.model) {
            add(field.name, FieldText.text(values[field.name] ?? .null, field.type).map { Markup(escaping: $0) })
        }
        for relation in self[fact.model]?.outputs ?? [] {
            let nested = children.of(fact, relation.name)
            if relation.isList {
                add(relation.name, nested.isEmpty ? nil : try self.markup(nested, children))
            } else if let child = nested.first {
                add(relation.name, try self.markup(child, children))
            }
        }
        return markup + "</Model>"
    }
}

import GRDB
import IndivoModel

/// Writes facts as SDMX, without the namespace that documents need on their way in.
struct FactMarkup {
    let models: ModelCatalog

    init(_ models: ModelCatalog) { self.models = models }

    func models(_ facts: [FactRow], in db: Database) throws -> Markup {
        try models(facts, FactStore(db: db).children(of: facts))
    }

    private func models(_ facts: [FactRow], _ children: FactChildren) throws -> Markup {
        if facts.isEmpty { return "<Models/>" }
        return "<Models>\(try facts.map { try model($0, children) })</Models>"
    }

    private func model(_ fact: FactRow, _ children: FactChildren) throws -> Markup {
        var markup: Markup = "<Model documentId=\"\(fact.document)\" name=\"\(fact.model)\">"
        let values = try fact.values()
        for field in models.fields(of: fact.model) {
            if let text = FieldText.text(values[field.name] ?? .null, field.type) {
                markup += "<Field name=\"\(field.name)\">\(text)</Field>"
            } else {
                markup += "<Field name=\"\(field.name)\"/>"
            }
        }
        for relation in models[fact.model]?.outputs ?? [] {
            let nested = children.of(fact, relation.name)
            if relation.isList, nested.isEmpty {
                markup += "<Field name=\"\(relation.name)\"/>"
            } else if relation.isList {
                markup += "<Field name=\"\(relation.name)\">\(try models(nested, children))</Field>"
            } else if let child = nested.first {
                markup += "<Field name=\"\(relation.name)\">\(try model(child, children))</Field>"
            }
        }
        return markup + "</Model>"
    }
}

import GRDB
import IndivoModel
import OrderedJSON

/// Facts as reports write them.
extension ModelCatalog {
    /// Facts as SDMJ, the server's JSON of data models.
    func json(_ facts: [FactRow], in db: Database) throws -> String {
        let children = try FactRow.children(of: facts, in: db)
        return JSONValue(try facts.map { try json($0, children) }).serverText
    }

    private func json(_ fact: FactRow, _ children: FactChildren) throws -> JSONValue {
        let values = try fact.values()
        var members = [
            JSONMember(name: "__modelname__", value: JSONValue(fact.model)),
            JSONMember(name: "__documentid__", value: JSONValue(fact.document)),
        ]
        members += fields(of: fact.model).map {
            JSONMember(name: $0.name, value: $0.type.json(values[$0.name] ?? .null))
        }
        for relation in self[fact.model]?.outputs ?? [] {
            let nested = try children.of(fact, relation.name).map { try json($0, children) }
            guard let value = relation.isList ? JSONValue(nested) : nested.first else { continue }
            members.append(JSONMember(name: relation.name, value: value))
        }
        return JSONValue(members: members)
    }

    /// Facts as SDMX, without the namespace that documents need on their way in.
    func markup(_ facts: [FactRow], in db: Database) throws -> Markup {
        try markup(facts, FactRow.children(of: facts, in: db))
    }

    private func markup(_ facts: [FactRow], _ children: FactChildren) throws -> Markup {
        facts.isEmpty ? "<Models/>" : "<Models>\(try facts.map { try markup($0, children) })</Models>"
    }

    private func markup(_ fact: FactRow, _ children: FactChildren) throws -> Markup {
        func field(_ name: String, _ value: Markup?) -> Markup {
            value.map { "<Field name=\"\(name)\">\($0)</Field>" } ?? "<Field name=\"\(name)\"/>"
        }
        let values = try fact.values()
        let leaves = fields(of: fact.model).map { leaf in
            field(leaf.name, leaf.type.text(values[leaf.name] ?? .null).map { "\($0)" })
        }
        let relations = try (self[fact.model]?.outputs ?? []).compactMap { relation -> Markup? in
            let nested = children.of(fact, relation.name)
            if relation.isList {
                return field(relation.name, nested.isEmpty ? nil : try markup(nested, children))
            }
            return try nested.first.map { field(relation.name, try markup($0, children)) }
        }
        return "<Model documentId=\"\(fact.document)\" name=\"\(fact.model)\">\(leaves)\(relations)</Model>"
    }

    /// A model's leaves, in order; demographics, which are no model that reports know, have theirs too.
    private func fields(of model: String) -> [DataModel.Field] {
        guard model == "Demographics" else { return self[model]?.fields ?? [] }
        return DemographicsContent.fields.map { name, _ in
            DataModel.Field(
                name: name,
                type: name.hasSuffix("_preferred_p") ? .boolean : name == "bday" ? .date : .string
            )
        }
    }
}

/// The values of fields, as reports write them.
extension DataModel.FieldType {
    var isDate: Bool { self == .date || self == .dateTime }

    /// A stored date as the real server writes it, which it cannot for years before 1900.
    func date(_ stored: String) -> String { stored < "1900" ? "BAD DATE" : wholeDate(stored) }

    /// A stored date of any year, without a fraction that is zero.
    func wholeDate(_ stored: String) -> String {
        self == .dateTime ? stored.replacing(".000000Z", with: "Z") : stored
    }

    func json(_ value: JSONValue) -> JSONValue {
        if isDate { return value.string.map { JSONValue(date($0)) } ?? value }
        return self == .number ? value.storedNumber.map { JSONValue(decimal: $0) } ?? value : value
    }

    /// The text of a field in SDMX; nil for none.
    func text(_ value: JSONValue) -> String? {
        if self == .number, let number = value.storedNumber { return PythonText.decimal(number) }
        let value = json(value)
        return value.isNull ? nil : value.string ?? value.double.map(PythonText.decimal) ?? value.text()
    }
}

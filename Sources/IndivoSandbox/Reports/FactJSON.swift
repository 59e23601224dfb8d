import GRDB
import IndivoModel
import OrderedJSON

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
        for field in fields(of: fact.model) {
            members.append(JSONMember(name: field.name, value: FieldText.json(values[field.name] ?? .null, field.type)))
        }
        for relation in self[fact.model]?.outputs ?? [] {
            let nested = try children.of(fact, relation.name).map { try json($0, children) }
            guard let value = relation.isList ? JSONValue(nested) : nested.first else { continue }
            members.append(JSONMember(name: relation.name, value: value))
        }
        return JSONValue(members: members)
    }

    /// A model's leaves, in order; demographics, which are no model that reports know, have theirs too.
    func fields(of model: String) -> [DataModel.Field] {
        guard model == "Demographics" else { return self[model]?.fields ?? [] }
        return DemographicsContent.fields.map { name, _ in
            DataModel.Field(name: name, type: name.hasSuffix("_preferred_p") ? .boolean : name == "bday" ? .date : .string)
        }
    }
}

/// The values of fields, as reports write them.
enum FieldText {
    /// A stored date-time without a fraction that is zero. The real server cannot write years before 1900.
    static func date(_ stored: String, _ type: DataModel.FieldType) -> String {
        if stored < "1900" { return "BAD DATE" }
        return type == .dateTime ? stored.replacing(".000000Z", with: "Z") : stored
    }

    static func json(_ value: JSONValue, _ type: DataModel.FieldType) -> JSONValue {
        switch type {
        case .date, .dateTime: value.string.map { JSONValue(date($0, type)) } ?? value
        case .number: value.double.map { JSONValue(decimal: $0) } ?? value
        case .string, .boolean: value
        }
    }

    /// The text of a field in SDMX; nil for none.
    static func text(_ value: JSONValue, _ type: DataModel.FieldType) -> String? {
        if value.isNull { return nil }
        let value = json(value, type)
        return value.string ?? value.double.map(DecimalText.twelveDigits) ?? value.text()
    }
}

import GRDB
import IndivoModel
import OrderedJSON

/// Writes facts as SDMJ, the server's JSON of data models.
struct FactJSON {
    let models: ModelCatalog

    init(_ models: ModelCatalog) { self.models = models }

    func list(_ facts: [FactRow], in db: Database) throws -> String {
        let children = try FactStore(db: db).children(of: facts)
        return JSONValue(try facts.map { try object($0, children) }).serverText
    }

    private func object(_ fact: FactRow, _ children: FactChildren) throws -> JSONValue {
        var members = [
            JSONMember(name: "__modelname__", value: JSONValue(fact.model)),
            JSONMember(name: "__documentid__", value: JSONValue(fact.document)),
        ]
        let values = try fact.values()
        for field in models.fields(of: fact.model) {
            members.append(JSONMember(name: field.name, value: FieldText.json(values[field.name] ?? .null, field.type)))
        }
        for relation in models[fact.model]?.outputs ?? [] {
            let nested = try children.of(fact, relation.name).map { try object($0, children) }
            if relation.isList {
                members.append(JSONMember(name: relation.name, value: JSONValue(nested)))
            } else if let child = nested.first {
                members.append(JSONMember(name: relation.name, value: child))
            }
        }
        return JSONValue(members: members)
    }
}

extension ModelCatalog {
    /// A model's leaves, in order; demographics, which are no model that reports know, have theirs too.
    func fields(of model: String) -> [DataModel.Field] {
        if model == "Demographics" {
            return DemographicsContent.fields.map {
                DataModel.Field(name: $0, type: $0.hasSuffix("_preferred_p") ? .boolean : $0 == "bday" ? .date : .string)
            }
        }
        return self[model]?.fields ?? []
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

import GRDB
import IndivoModel

/// Writes facts as SDMJ, the server's JSON of data models.
struct FactJSON {
    let models: ModelCatalog

    init(_ models: ModelCatalog) { self.models = models }

    func list(_ facts: [FactRow], in db: Database) throws -> String {
        let children = try FactStore(db: db).children(of: facts)
        return JSONValue.array(try facts.map { try object($0, children) }).text
    }

    private func object(_ fact: FactRow, _ children: FactChildren) throws -> JSONValue {
        var members = [
            JSONValue.Member("__modelname__", .string(fact.model)),
            JSONValue.Member("__documentid__", .string(fact.document)),
        ]
        let values = try fact.values()
        for field in models.fields(of: fact.model) {
            members.append(JSONValue.Member(field.name, FieldText.json(values[field.name] ?? .null, field.type)))
        }
        for relation in models[fact.model]?.outputs ?? [] {
            let nested = try children.of(fact, relation.name).map { try object($0, children) }
            if relation.isList {
                members.append(JSONValue.Member(relation.name, .array(nested)))
            } else if let child = nested.first {
                members.append(JSONValue.Member(relation.name, child))
            }
        }
        return .object(members)
    }
}

extension ModelCatalog {
    /// A model's leaves, in order; demographics, which are no model that reports know, have theirs too.
    func fields(of model: String) -> [DataField] {
        if model == "Demographics" {
            return DemographicsContent.fields.map {
                DataField(name: $0, type: $0.hasSuffix("_preferred_p") ? .boolean : $0 == "bday" ? .date : .string)
            }
        }
        return self[model]?.fields ?? []
    }
}

/// The values of fields, as reports write them.
enum FieldText {
    /// A stored date-time without a fraction that is zero. The real server cannot write years before 1900.
    static func date(_ stored: String, _ type: DataFieldType) -> String {
        if stored < "1900" { return "BAD DATE" }
        return type == .dateTime ? stored.replacing(".000000Z", with: "Z") : stored
    }

    static func json(_ value: JSONValue, _ type: DataFieldType) -> JSONValue {
        switch (type, value) {
        case (.date, .string(let text)), (.dateTime, .string(let text)): .string(date(text, type))
        // What is stored as a whole number is a number all the same.
        case (.number, .integer(let number)): .number(Double(number))
        case (.boolean, .integer(let number)): .boolean(number != 0)
        default: value
        }
    }

    /// The text of a field in SDMX; nil for none.
    static func text(_ value: JSONValue, _ type: DataFieldType) -> String? {
        switch json(value, type) {
        case .null: nil
        case .string(let text): text
        case .number(let number): DecimalText.twelveDigits(number)
        case let other: other.text
        }
    }
}

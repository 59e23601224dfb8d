import IndivoModel
import Synchronization

/// The data models a sandbox knows: the core models and what was added to them.
final class ModelCatalog: Sendable {
    private let state: Mutex<(shapes: [String: ModelShape], problems: [String])>

    init(_ models: [DataModel]) { state = Mutex((ModelCatalog.link(models), [])) }

    func replace(with models: [DataModel], problems: [String] = []) {
        let linked = ModelCatalog.link(models)
        state.withLock { $0 = (linked, problems) }
    }

    /// What was wrong with models that are left out, each with its position.
    var problems: [String] { state.withLock { $0.problems } }

    subscript(name: String) -> ModelShape? { state.withLock { $0.shapes[name] } }

    /// The model of a name in a URL, where the letter case does not matter.
    func find(_ name: String) -> ModelShape? {
        self[name] ?? all.first { $0.name.lowercased() == name.lowercased() }
    }

    var all: [ModelShape] { state.withLock { $0.shapes.values.sorted { $0.name < $1.name } } }

    /// Tables of the real server that are no data models: it fails when asked to report on them.
    static let otherTables: Set = [
        "account", "accountfullshare", "audit", "carenet", "demographics", "document", "documentrels",
        "documentschema",
        "documentstatushistory", "fact", "machineapp", "message", "nonce", "notification", "pha", "principal",
        "record",
        "share", "statusname",
    ]

    private static func link(_ models: [DataModel]) -> [String: ModelShape] {
        var shapes = Dictionary(
            models.map { ($0.name, ModelShape($0)) },
            uniquingKeysWith: { _, last in last }
        )
        for shape in shapes.values {
            for relation in shape.relations where relation.name == shape.reference {
                let reverse = DataModel.Relation(
                    name: ModelCatalog.reverseName(of: shape.name),
                    isList: true,
                    model: shape.name
                )
                shapes[relation.model]?.outputs.append(reverse)
            }
        }
        return shapes
    }

    /// The name under which an object lists those who refer to it.
    static func reverseName(of model: String) -> String { model.lowercased() + "_set" }
}

/// A data model as the server works with it, with what is written beside its leaves and relations.
@dynamicMemberLookup
struct ModelShape: Sendable {
    private let model: DataModel
    let fieldTypes: [String: DataModel.FieldType]
    /// The relation to an object that does not belong to this one. Reports list those who refer to an object
    /// with that instead.
    let reference: String?
    /// What reports nest.
    var outputs: [DataModel.Relation]
    let constraints: ModelConstraints

    init(_ model: DataModel) {
        self.model = model
        fieldTypes = Dictionary(firstOf: model.fields.map { ($0.name, $0.type) })
        // In the server's own models one one-to-one field is in truth a reference: many may share the object.
        let reference = model.name == "VitalSigns" ? "encounter" : nil
        outputs = model.relations.filter { $0.name != reference }
        constraints = ModelConstraints(model)
        self.reference = reference
    }

    subscript<Value>(dynamicMember member: KeyPath<DataModel, Value>) -> Value { model[keyPath: member] }
}

import IndivoModel
import Synchronization

/// The data models a sandbox knows: the core models and what was added to them.
final class ModelCatalog: Sendable {
    private let shapes: Mutex<[String: ModelShape]>
    private let mistakes = Mutex<[String]>([])

    init(_ models: [DataModel]) { shapes = Mutex(ModelCatalog.link(models)) }

    /// Replaces the known models by others.
    /// - Parameter problems: What was wrong with models that are not among them.
    func replace(with models: [DataModel], problems: [String] = []) {
        let linked = ModelCatalog.link(models)
        shapes.withLock { $0 = linked }
        mistakes.withLock { $0 = problems }
    }

    /// What was wrong with models that are left out, each with its position.
    var problems: [String] { mistakes.withLock { $0 } }

    /// The model of exactly this name.
    subscript(name: String) -> ModelShape? { shapes.withLock { $0[name] } }

    /// The model of a name in a URL, where the letter case does not matter.
    func find(_ name: String) -> ModelShape? {
        if let shape = self[name] { return shape }
        return shapes.withLock { $0.values.first { $0.name.lowercased() == name.lowercased() } }
    }

    var all: [ModelShape] { shapes.withLock { $0.values.sorted { $0.name < $1.name } } }

    /// Names that the real server has tables for, though they are no data models: it fails when asked to report on
    /// them.
    static let otherTables: Set = [
        "account", "accountfullshare", "audit", "carenet", "demographics", "document", "documentrels", "documentschema",
        "documentstatushistory", "fact", "machineapp", "message", "nonce", "notification", "pha", "principal", "record",
        "share", "statusname",
    ]

    private static func link(_ models: [DataModel]) -> [String: ModelShape] {
        var shapes = Dictionary(models.map { ($0.name, ModelShape($0)) }, uniquingKeysWith: { _, last in last })
        for shape in shapes.values {
            for relation in shape.inputs where relation.isReference {
                shapes[relation.model]?.outputs.append(
                    ModelShape.Relation(name: ModelCatalog.reverseName(of: shape.name), model: shape.name, isList: true))
            }
        }
        return shapes
    }

    /// The name under which an object lists those who refer to it.
    static func reverseName(of model: String) -> String { model.lowercased() + "_set" }
}

import IndivoXML
import Synchronization

/// The classes by which models are read when only their name is known.
enum DocumentClasses {
    /// What is known of a model.
    private enum Known {
        case type(IndivoDocument.Type)
        case shape(RuntimeModel)
    }

    private static let registered = Mutex(
        Dictionary(
            uniqueKeysWithValues: (IndivoDocument.coreModels + [
                Annotation.self, Demographics.self, EquipmentDocument.self, ProcedureDocument.self,
                Reports.self,
                SimpleClinicalNoteDocument.self,
            ]).map { (key(of: $0), Known.type($0)) }
        )
    )

    /// The model's name or, of nested XML, the root's name and namespace.
    private static func key(of type: IndivoDocument.Type) -> [String?] {
        if case .nested(let root, let namespace) = type.format {
            [root, namespace]
        } else {
            [type.modelName]
        }
    }

    static func register(_ type: IndivoDocument.Type) {
        let key = key(of: type)
        if type != IndivoDocument.self { registered.withLock { $0[key] = .type(type) } }
    }

    static func register(_ model: RuntimeModel) { registered.withLock { $0[[model.name]] = .shape(model) } }

    private static func type(_ key: [String?]) -> IndivoDocument.Type? {
        if case .type(let type)? = registered.withLock({ $0[key] }) { type } else { nil }
    }

    /// The class registered for a model, or ``GenericDocument``.
    static func type(ofModel name: String) -> IndivoDocument.Type { type([name]) ?? GenericDocument.self }

    /// The class registered for what an element is: a model, a document that holds one, or nested XML's root.
    static func type(of element: XMLNode) throws -> IndivoDocument.Type {
        if element.name == "Model" || element.name == "Models" {
            return type(ofModel: try SDMX.soleModel(in: element, for: IndivoDocument.self).attr("name") ?? "")
        }
        if let type = type([element.name, element.namespace]) { return type }
        let expected = "<Models>, <Model> or the root of a registered class"
        throw DocumentError(element, isNot: expected, document: "IndivoDocument", showsNamespace: true)
    }

    /// A model that is known only by its shape.
    static func runtimeModel(named name: String) -> RuntimeModel? {
        if case .shape(let model)? = registered.withLock({ $0[[name]] }) { model } else { nil }
    }

    /// The shape of a model, whichever way it is known; one without fields when it is not.
    static func schema(ofModel name: String) -> ModelSchema {
        runtimeModel(named: name)?.schema ?? ModelSchema.of(type(ofModel: name))
    }
}

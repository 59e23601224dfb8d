import Synchronization

/// The classes by which models are read when only their name is known.
enum DocumentClasses {
    /// What is known of a model.
    private enum Known {
        case type(IndivoDocument.Type)
        case shape(RuntimeModel)
    }

    private static let registered = Mutex(
        Dictionary(uniqueKeysWithValues: IndivoDocument.coreModels.map { ($0.modelName, Known.type($0)) }))

    static func register(_ type: IndivoDocument.Type) { registered.withLock { $0[type.modelName] = .type(type) } }

    static func register(_ model: RuntimeModel) { registered.withLock { $0[model.name] = .shape(model) } }

    /// The class registered for a model, or ``GenericDocument``.
    static func type(ofModel name: String) -> IndivoDocument.Type {
        guard case .type(let type)? = registered.withLock({ $0[name] }) else { return GenericDocument.self }
        return type
    }

    /// A model that is known only by its shape.
    static func runtimeModel(named name: String) -> RuntimeModel? {
        guard case .shape(let model)? = registered.withLock({ $0[name] }) else { return nil }
        return model
    }

    /// The shape of a model, whichever way it is known; one without fields when it is not.
    static func flatLayout(ofModel name: String) -> FlatLayout {
        runtimeModel(named: name)?.flat ?? Layout.of(type(ofModel: name)).flat
    }
}

extension IndivoDocument {
    /// Makes the class known, so that its model is read as this class wherever it is met.
    ///
    /// The core models are known from the start; a class registered later for the same model takes its place.
    public static func register() { DocumentClasses.register(self) }
}

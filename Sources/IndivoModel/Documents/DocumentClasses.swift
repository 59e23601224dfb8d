import Synchronization

/// The classes by which models are read when only their name is known.
enum DocumentClasses {
    private static let registered = Mutex(
        Dictionary(uniqueKeysWithValues: IndivoDocument.coreModels.map { ($0.modelName, $0) }))

    static func register(_ type: IndivoDocument.Type) { registered.withLock { $0[type.modelName] = type } }

    /// The class registered for a model, or ``GenericDocument``.
    static func type(ofModel name: String) -> IndivoDocument.Type {
        registered.withLock { $0[name] } ?? GenericDocument.self
    }
}

extension IndivoDocument {
    /// Makes the class known, so that its model is read as this class wherever it is met.
    ///
    /// The core models are known from the start; a class registered later for the same model takes its place.
    public static func register() { DocumentClasses.register(self) }
}

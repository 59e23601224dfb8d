import SDML

/// The names of the classes, one for each model, chosen so that none clashes.
struct ClassNames {
    private var names: [String: String] = [:]
    /// The names of all classes.
    private(set) var all: Set<String> = []

    init(schema: SDMLSchema, options: GeneratorOptions, diagnostics: Diagnostics) {
        // Class names are file names, and a disk may ignore letter case.
        var free = FreeNames(ignoresCase: true, isReserved: ReservedNames.isType)
        for model in options.externalModels where schema.model(named: model) == nil {
            names[model] = model
            _ = free.take(model)
        }
        let forbidden = ReservedNames.usedTypes.union(SwiftGrammar.keywords).union(SwiftGrammar.unusableMembers)
        for model in schema.models {
            guard let name = model.notes.swiftName else { continue }
            let fault = forbidden.contains(name) ? "the name is Swift's or Indivo's own" : nil
            free.take(name, askedForBy: "The class of '\(model.name)'", at: model.location, fault, diagnostics)
            names[model.name] = name
        }
        let rest = schema.models.filter { $0.notes.swiftName == nil }
        for model in FreeNames.plainFirst(rest, named: \.name, spelt: SwiftSpelling.upperCamel) {
            let name = options.prefix + SwiftSpelling.upperCamel(model.name, fallback: "Model") + options.suffix
            // `Document` behind a name may make another type's of it: `Indivo`.
            names[model.name] = free.choose(ReservedNames.isType(name) ? name + "Document" : name)
        }
        all = Set(names.values)
    }

    /// The class of a model that is in the schema or external.
    func name(ofModel model: String) -> String { names[model] ?? model }
}

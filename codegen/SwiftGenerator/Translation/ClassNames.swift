import SDML

/// The names of the classes, one for each model, chosen so that none clashes.
struct ClassNames {
    private var names: [String: String] = [:]
    /// The names of all classes.
    private(set) var all: Set<String> = []

    init(schema: SDMLSchema, options: GeneratorOptions, diagnostics: inout Diagnostics) {
        for model in options.externalModels where schema.model(named: model) == nil { names[model] = model }
        // Class names are file names, and a disk may ignore letter case.
        var taken = Set(names.values.map { $0.lowercased() })

        for model in schema.models {
            guard let name = model.notes.swiftName else { continue }
            if ReservedNames.usedTypes.contains(name) || SwiftGrammar.keywords.contains(name)
                || SwiftGrammar.unusableMembers.contains(name) {
                diagnostics.error(
                    at: model.location,
                    "The class of '\(model.name)' cannot be called '\(name)', as its notes ask: the name is Swift's or "
                        + "Indivo's own.")
            } else if !taken.insert(name.lowercased()).inserted {
                diagnostics.error(
                    at: model.location,
                    "The class of '\(model.name)' cannot be called '\(name)', as its notes ask: another class is.")
            }
            names[model.name] = name
        }
        // Models whose names are taken as they are come first: no oddly named one can take theirs.
        let rest = schema.models.filter { $0.notes.swiftName == nil }
        let plain = rest.filter { SwiftSpelling.upperCamel($0.name, fallback: "") == $0.name }
        let odd = rest.filter { SwiftSpelling.upperCamel($0.name, fallback: "") != $0.name }
        for model in plain + odd {
            let spelt = SwiftSpelling.upperCamel(model.name, fallback: "Model")
            var name = options.prefix + spelt + options.suffix
            if ReservedNames.isType(name) { name += "Document" }
            var choice = name
            var number = 2
            // `Document` behind a name may make another type's of it: `Indivo`.
            while ReservedNames.isType(choice) || !taken.insert(choice.lowercased()).inserted {
                choice = "\(name)\(number)"
                number += 1
            }
            names[model.name] = choice
        }
        all = Set(names.values)
    }

    /// The class of a model that is in the schema or external.
    func name(ofModel model: String) -> String { names[model] ?? model }
}

import SDML

/// The names of classes or of properties in Swift, by those of their models or fields, chosen so that none
/// clashes.
struct SwiftNames {
    private var names: [String: String] = [:]
    private var taken: Set<String> = []
    /// The number that was put behind a name last.
    private var lastNumbers: [String: Int] = [:]
    /// What nothing may be called unless notes ask for it.
    private let reserved: Set<String>
    /// The same for the properties of classes. Made once: a schema may have thousands of models.
    private var reservedForProperties: Set<String> = []
    private let ignoresCase: Bool

    /// The classes of a schema's models and of external ones.
    init(classesOf schema: SDMLSchema, _ options: GeneratorOptions, _ diagnostics: Diagnostics) {
        // Class names are file names, and a disk may ignore letter case.
        reserved = ReservedNames.types
        ignoresCase = true
        for model in options.externalModels where schema.model(named: model) == nil {
            names[model] = model
            _ = take(model)
        }
        let forbidden = ReservedNames.usedTypes.union(SwiftGrammar.keywords).union(
            SwiftGrammar.unusableMembers
        )
        let models = schema.models.map { (name: $0.name, asked: $0.notes.swiftName, location: $0.location) }
        takeAsked(models, "The class", forbidden, "the name is Swift's or Indivo's own", diagnostics)
        chooseRest(models, spelt: SwiftSpelling.upperCamel) { model in
            let name = options.prefix + SwiftSpelling.upperCamel(model, fallback: "Model") + options.suffix
            // `Document` behind a name may make another type's of it: `Indivo`.
            return ReservedNames.types.contains(name) ? name + "Document" : name
        }
        // A property called like a type would hide it from the declarations beside.
        reservedForProperties = ReservedNames.documentMembers.union(SwiftGrammar.unusableMembers)
            .union(ReservedNames.usedTypes).union(names.values)
    }

    /// The properties of one class.
    init(propertiesOf model: SDMLModel, _ classes: SwiftNames, _ diagnostics: Diagnostics) {
        let reserved = classes.reservedForProperties
        self.reserved = reserved
        ignoresCase = false
        let fields = model.fields.map { (name: $0.name, asked: $0.notes.swiftName, location: $0.location) }
        takeAsked(
            fields,
            "The property",
            reserved,
            "a type, or a member of every document, has that name",
            diagnostics
        )
        let classPrefix = SwiftSpelling.lowerCamel(classes[model.name], fallback: "document")
        func plain(_ field: String) -> String { SwiftSpelling.lowerCamel(field, fallback: "field") }
        chooseRest(fields, spelt: SwiftSpelling.lowerCamel) { field in
            let plain = plain(field)
            return reserved.contains(plain) ? classPrefix + SwiftSpelling.uppercasedStart(plain) : plain
        }
        for field in fields
        where field.asked == nil && ReservedNames.documentMembers.contains(plain(field.name)) {
            diagnostics.warn(
                at: field.location,
                "The property of '\(field.name)' is called '\(self[field.name])': "
                    + "'\(plain(field.name))' of every document is something else, and would compile. "
                    + "Notes can choose another name: \"swiftName\"."
            )
        }
    }

    /// The class of a model that is in the schema or external, or the property of a field.
    subscript(name: String) -> String { names[name] ?? name }

    /// A model or a field, with the name that its notes ask for.
    private typealias Thing = (name: String, asked: String?, location: SourceLocation)

    /// Takes a name; `false` when something has it.
    private mutating func take(_ name: String) -> Bool {
        taken.insert(ignoresCase ? name.lowercased() : name).inserted
    }

    /// Takes the names that notes ask for, and reports those that cannot be had.
    private mutating func takeAsked(
        _ things: [Thing],
        _ kind: String,
        _ forbidden: Set<String>,
        _ fault: String,
        _ diagnostics: Diagnostics
    ) {
        for thing in things {
            guard let name = thing.asked else { continue }
            names[thing.name] = name
            if let fault = forbidden.contains(name) ? fault : take(name) ? nil : "another one is" {
                diagnostics.error(
                    at: thing.location,
                    "\(kind) of '\(thing.name)' cannot be called '\(name)', as its notes ask: \(fault)."
                )
            }
        }
    }

    /// Names the others, with a number where something has the name. Those whose names can stand in Swift as
    /// they are come first: no oddly named one can take theirs.
    private mutating func chooseRest(
        _ things: [Thing],
        spelt: (String, String) -> String,
        _ wanted: (String) -> String
    ) {
        let rest = things.filter { $0.asked == nil }.map(\.name)
        for thing in rest.filter({ spelt($0, "") == $0 }) + rest.filter({ spelt($0, "") != $0 }) {
            let name = wanted(thing)
            var choice = name
            let key = ignoresCase ? name.lowercased() : name
            while reserved.contains(choice) || !take(choice) {
                let number = lastNumbers[key, default: 1] + 1
                lastNumbers[key] = number
                choice = "\(name)\(number)"
            }
            names[thing] = choice
        }
    }
}

import SDML

/// The names of the properties of one class, chosen so that none clashes with another or with what every document has.
struct PropertyNames {
    private var names: [String: String] = [:]

    init(model: SDMLModel, classNames: ClassNames, diagnostics: inout Diagnostics) {
        // A property called like a type would hide it from the declarations beside.
        func isReserved(_ name: String) -> Bool {
            ReservedNames.documentMembers.contains(name) || SwiftGrammar.unusableMembers.contains(name)
                || ReservedNames.usedTypes.contains(name) || classNames.all.contains(name)
        }
        var taken: Set<String> = []
        for field in model.fields {
            guard let name = field.notes.swiftName else { continue }
            if isReserved(name) {
                diagnostics.error(
                    at: field.location,
                    "The property of '\(field.name)' cannot be called '\(name)', as its notes ask: a type, or a "
                        + "member of every document, has that name.")
            } else if !taken.insert(name).inserted {
                diagnostics.error(
                    at: field.location,
                    "The property of '\(field.name)' cannot be called '\(name)', as its notes ask: another one is.")
            }
            names[field.name] = name
        }
        // Fields whose names can stand as they are come first: no oddly named one can take theirs.
        let rest = model.fields.filter { $0.notes.swiftName == nil }
        let plain = rest.filter { SwiftSpelling.lowerCamel($0.name, fallback: "") == $0.name }
        let odd = rest.filter { SwiftSpelling.lowerCamel($0.name, fallback: "") != $0.name }
        let classPrefix = SwiftSpelling.lowerCamel(classNames.name(ofModel: model.name), fallback: "document")
        for field in plain + odd {
            var name = SwiftSpelling.lowerCamel(field.name, fallback: "field")
            let plain = name
            if isReserved(name) { name = classPrefix + SwiftSpelling.uppercasedStart(name) }
            var choice = name
            var number = 2
            while isReserved(choice) || !taken.insert(choice).inserted {
                choice = "\(name)\(number)"
                number += 1
            }
            names[field.name] = choice
            if ReservedNames.documentMembers.contains(plain) {
                diagnostics.warn(
                    at: field.location,
                    "The property of '\(field.name)' is called '\(choice)': '\(plain)' of every document is something else, "
                        + "and would compile. Notes can choose another name: \"swiftName\".")
            }
        }
    }

    /// The property of a field of the model.
    func name(ofField field: String) -> String { names[field] ?? field }
}

import SDML

/// The names of the properties of one class, chosen so that none clashes with another or with what every document has.
struct PropertyNames {
    private var names: [String: String] = [:]

    init(model: SDMLModel, className: String, diagnostics: inout Diagnostics) {
        let reserved = ReservedNames.documentMembers.union(SwiftGrammar.unusableMembers)
        var taken: Set<String> = []
        for field in model.fields {
            guard let name = field.notes.swiftName else { continue }
            if reserved.contains(name) {
                diagnostics.error(
                    at: field.location,
                    "The property of '\(field.name)' cannot be called '\(name)', as its notes ask: every document has "
                        + "a member of that name.")
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
        let classPrefix = SwiftSpelling.lowerCamel(className, fallback: "document")
        for field in plain + odd {
            var name = SwiftSpelling.lowerCamel(field.name, fallback: "field")
            if reserved.contains(name) { name = classPrefix + SwiftSpelling.firstLetterUppercased(name) }
            var choice = name
            var number = 2
            while reserved.contains(choice) || !taken.insert(choice).inserted {
                choice = "\(name)\(number)"
                number += 1
            }
            names[field.name] = choice
        }
    }

    /// The property of a field of the model.
    func name(ofField field: String) -> String { names[field] ?? field }
}

import SDML

/// The names of the properties of one class, chosen so that none clashes with another or with what every document has.
struct PropertyNames {
    private var names: [String: String] = [:]

    init(model: SDMLModel, classNames: ClassNames, diagnostics: Diagnostics) {
        // A property called like a type would hide it from the declarations beside.
        var free = FreeNames { name in
            ReservedNames.documentMembers.contains(name) || SwiftGrammar.unusableMembers.contains(name)
                || ReservedNames.usedTypes.contains(name) || classNames.all.contains(name)
        }
        for field in model.fields {
            guard let name = field.notes.swiftName else { continue }
            let fault = free.isReserved(name) ? "a type, or a member of every document, has that name" : nil
            free.take(name, askedForBy: "The property of '\(field.name)'", at: field.location, fault, diagnostics)
            names[field.name] = name
        }
        let classPrefix = SwiftSpelling.lowerCamel(classNames.name(ofModel: model.name), fallback: "document")
        let rest = model.fields.filter { $0.notes.swiftName == nil }
        for field in FreeNames.plainFirst(rest, named: \.name, spelt: SwiftSpelling.lowerCamel) {
            let plain = SwiftSpelling.lowerCamel(field.name, fallback: "field")
            let choice = free.choose(free.isReserved(plain) ? classPrefix + SwiftSpelling.uppercasedStart(plain) : plain)
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

/// Gives names, each once.
struct FreeNames {
    /// Whether names that differ only in letter case are the same.
    var ignoresCase = false
    /// Whether nothing may have a name.
    let isReserved: (String) -> Bool
    private var taken: Set<String> = []

    init(ignoresCase: Bool = false, isReserved: @escaping (String) -> Bool) {
        (self.ignoresCase, self.isReserved) = (ignoresCase, isReserved)
    }

    /// Takes a name; `false` when something has it.
    mutating func take(_ name: String) -> Bool { taken.insert(ignoresCase ? name.lowercased() : name).inserted }

    /// Takes a name that notes ask for, and reports where it cannot be had.
    mutating func take(
        _ name: String, askedForBy thing: String, at location: SourceLocation, _ fault: String?, _ diagnostics: Diagnostics
    ) {
        if let fault = fault ?? (take(name) ? nil : "another one is") {
            diagnostics.error(at: location, "\(thing) cannot be called '\(name)', as its notes ask: \(fault).")
        }
    }

    /// Takes a name, or the first with a number behind it that nothing has.
    mutating func choose(_ name: String) -> String {
        var (choice, number) = (name, 2)
        while isReserved(choice) || !take(choice) {
            choice = "\(name)\(number)"
            number += 1
        }
        return choice
    }

    /// Things whose names can stand in Swift as they are before the others: no oddly named one can take theirs.
    static func plainFirst<Thing>(
        _ things: [Thing], named name: (Thing) -> String, spelt: (String, String) -> String
    ) -> [Thing] {
        func isPlain(_ thing: Thing) -> Bool { spelt(name(thing), "") == name(thing) }
        return things.filter { isPlain($0) } + things.filter { !isPlain($0) }
    }
}

/// Makes one schema of the definitions of all files: joins what is defined twice alike, finds what is
/// referred to.
struct SchemaLinker {
    let definitions: [ModelDefinition]
    let notes: [String: NotesOfModel]
    let externalModels: Set<String>
    let diagnostics: Diagnostics

    func link() -> SDMLSchema {
        var chosen: [String: ModelDefinition] = [:]
        for definition in definitions where !definition.isReference {
            guard let first = chosen[definition.name] else {
                chosen[definition.name] = definition
                continue
            }
            checkRepetition(definition, of: first)
            // A definition with fields says more than an empty one at the top of a file.
            if first.fields.isEmpty && !definition.fields.isEmpty { chosen[definition.name] = definition }
        }
        checkReferences(chosen)
        for definition in chosen.values {
            if definition.fields.isEmpty && !definition.isDamaged {
                diagnostics.warn(at: definition.location, "The model '\(definition.name)' has no fields.")
            }
            checkLeaves(definition)
        }
        checkCase(chosen)
        let models = chosen.values.map(model)
        for model in models { checkFormerNames(model) }
        return SDMLSchema(models: models)
    }

    private func model(_ definition: ModelDefinition) -> SDMLModel {
        let notes = notes[definition.name]
        var fields = definition.fields
        for index in fields.indices {
            fields[index].notes = notes?.fields[fields[index].name] ?? FieldNotes()
        }
        return SDMLModel(
            name: definition.name,
            fields: fields,
            notes: notes?.notes ?? ModelNotes(),
            fileName: definition.fileName,
            location: definition.location
        )
    }

    private func checkRepetition(_ definition: ModelDefinition, of first: ModelDefinition) {
        if definition.isDamaged || first.isDamaged || definition.fields.isEmpty || first.fields.isEmpty {
            return
        }
        let name = definition.name
        if definition.types != first.types {
            diagnostics.error(
                at: definition.location,
                """
                The model '\(name)' is defined differently at \
                \(first.location)\(difference(definition, first)). Make them alike, or leave only \
                '"\(ModelReader.nameKey)": "\(name)"' in one to refer to the other.
                """
            )
        } else if !definition.isNested && !first.isNested {
            diagnostics.error(
                at: definition.location,
                "The model '\(name)' is defined already at \(first.location). Remove one of them."
            )
        }
    }

    /// ` (field 'x')`: the first field in which two definitions differ.
    private func difference(_ a: ModelDefinition, _ b: ModelDefinition) -> String {
        let own = a.types
        let others = b.types
        if let field = a.fields.first(where: { others[$0.name] != $0.type }) {
            return " (field '\(field.name)')"
        }
        return b.fields.first { own[$0.name] == nil }.map { " (field '\($0.name)' is missing here)" } ?? ""
    }

    private func checkReferences(_ models: [String: ModelDefinition]) {
        let known = Set(models.keys).union(externalModels)
        for reference in definitions where reference.isReference && !known.contains(reference.name) {
            let hint = diagnostics.hint(for: reference.name, among: known)
            let advice = hint.isEmpty ? " Give it fields here, or add the file that defines it." : hint
            diagnostics.error(
                at: reference.location,
                "No model '\(reference.name)' is defined in these files.\(advice)"
            )
        }
    }

    /// Data cannot tell a field `name_title` from the title of a coded value `name`.
    private func checkLeaves(_ definition: ModelDefinition) {
        var owners: [String: String] = [:]
        for field in definition.fields {
            var names = [field.name]
            if case .value(let type) = field.type { names = type.leaves(named: field.name).map(\.name) }
            if let name = names.first(where: { owners[$0] != nil }), let owner = owners[name] {
                diagnostics.warn(
                    at: field.location,
                    "In data, '\(field.name)' and '\(owner)' both use the name '\(name)': rename one of them."
                )
            }
            for name in names { owners[name] = owners[name] ?? field.name }
        }
    }

    /// A former name that another field has today would be read twice.
    private func checkFormerNames(_ model: SDMLModel) {
        var owners = Dictionary(model.fields.map { ($0.name, $0.name) }, uniquingKeysWith: { $1 })
        for field in model.fields {
            for name in field.notes.formerly {
                if let owner = owners[name] {
                    diagnostics.error(
                        at: field.location,
                        """
                        The notes say that '\(field.name)' was '\(name)' formerly, but that is a \
                        name of '\(owner)'.
                        """
                    )
                }
                owners[name] = field.name
            }
        }
    }

    /// The addresses of reports ignore letter case.
    private func checkCase(_ models: [String: ModelDefinition]) {
        var seen: [String: String] = [:]
        for model in models.values.sorted(by: { $0.name < $1.name }) {
            if let other = seen.updateValue(model.name, forKey: model.name.lowercased()) {
                diagnostics.warn(
                    at: model.location,
                    """
                    The models '\(other)' and '\(model.name)' differ only in letter case: \
                    a server has one report for both.
                    """
                )
            }
        }
    }
}

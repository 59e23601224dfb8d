import Suggestions

/// Makes one schema of the definitions of all files: joins what is defined twice alike, finds what is referred to.
struct SchemaLinker {
    let definitions: [ModelDefinition]
    let notes: [String: NotesOfModel]
    let externalModels: Set<String>

    func link(into diagnostics: inout Diagnostics) -> SDMLSchema {
        var chosen: [String: ModelDefinition] = [:]
        for definition in definitions where !definition.isReference {
            guard let first = chosen[definition.name] else {
                chosen[definition.name] = definition
                continue
            }
            checkRepetition(definition, of: first, into: &diagnostics)
            // A definition with fields says more than an empty one at the top of a file.
            if first.fields.isEmpty && !definition.fields.isEmpty { chosen[definition.name] = definition }
        }
        checkReferences(chosen, into: &diagnostics)
        for definition in chosen.values {
            if definition.fields.isEmpty && !definition.isDamaged {
                diagnostics.warn(at: definition.location, "The model '\(definition.name)' has no fields.")
            }
            checkLeaves(definition, into: &diagnostics)
        }
        checkCase(chosen, into: &diagnostics)
        let models = chosen.values.map(model)
        for model in models { checkFormerNames(model, into: &diagnostics) }
        return SDMLSchema(models: models)
    }

    private func model(_ definition: ModelDefinition) -> SDMLModel {
        let notes = notes[definition.name]
        let fields = definition.fields.map { field in
            SDMLField(
                name: field.name, type: field.type, notes: notes?.fields[field.name] ?? FieldNotes(),
                location: field.location)
        }
        return SDMLModel(
            name: definition.name, fields: fields, notes: notes?.notes ?? ModelNotes(), fileName: definition.fileName,
            location: definition.location)
    }

    private func checkRepetition(
        _ definition: ModelDefinition, of first: ModelDefinition, into diagnostics: inout Diagnostics
    ) {
        if definition.isDamaged || first.isDamaged || definition.fields.isEmpty || first.fields.isEmpty { return }
        let name = definition.name
        if !definition.agrees(with: first) {
            diagnostics.error(
                at: definition.location,
                "The model '\(name)' is defined differently at \(first.location)\(difference(definition, first)). "
                    + "Make them alike, or leave only '\"\(ModelReader.nameKey)\": \"\(name)\"' in one to refer to "
                    + "the other.")
        } else if !definition.isNested && !first.isNested {
            diagnostics.error(
                at: definition.location,
                "The model '\(name)' is defined already at \(first.location). Remove one of them.")
        }
    }

    /// ` (field 'x')`: the first field in which two definitions differ.
    private func difference(_ a: ModelDefinition, _ b: ModelDefinition) -> String {
        let types = Dictionary(b.fields.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 })
        if let field = a.fields.first(where: { types[$0.name] != $0.type }) { return " (field '\(field.name)')" }
        let names = Set(a.fields.map(\.name))
        return b.fields.first { !names.contains($0.name) }.map { " (field '\($0.name)' is missing here)" } ?? ""
    }

    private func checkReferences(_ models: [String: ModelDefinition], into diagnostics: inout Diagnostics) {
        for reference in definitions where reference.isReference {
            if models[reference.name] != nil || externalModels.contains(reference.name) { continue }
            let known = Set(models.keys).union(externalModels)
            diagnostics.error(
                at: reference.location,
                "No model '\(reference.name)' is defined in these files."
                    + (Spelling.nearest(to: reference.name, among: known).map { " Did you mean '\($0)'?" }
                        ?? " Give it fields here, or add the file that defines it."))
        }
    }

    /// Data cannot tell a field `name_title` from the title of a coded value `name`.
    private func checkLeaves(_ definition: ModelDefinition, into diagnostics: inout Diagnostics) {
        var owners: [String: String] = [:]
        for field in definition.fields {
            let names: [String]
            switch field.type {
            case .value(let type): names = type.leaves(named: field.name).map(\.name)
            case .one, .many: names = [field.name]
            }
            for name in names {
                if let owner = owners[name] {
                    diagnostics.warn(
                        at: field.location,
                        "In data, '\(field.name)' and '\(owner)' both use the name '\(name)': rename one of them.")
                    break
                }
                owners[name] = field.name
            }
        }
    }

    /// An old name that is somebody's name today would be read twice.
    private func checkFormerNames(_ model: SDMLModel, into diagnostics: inout Diagnostics) {
        var owners = Dictionary(model.fields.map { ($0.name, $0.name) }, uniquingKeysWith: { $1 })
        for field in model.fields {
            for name in field.notes.formerly {
                if let owner = owners[name] {
                    diagnostics.error(
                        at: field.location,
                        "The notes say that '\(field.name)' was '\(name)' formerly, but that is a name of '\(owner)'.")
                }
                owners[name] = field.name
            }
        }
    }

    /// The addresses of reports ignore letter case.
    private func checkCase(_ models: [String: ModelDefinition], into diagnostics: inout Diagnostics) {
        var seen: [String: String] = [:]
        for name in models.keys.sorted() {
            if let other = seen[name.lowercased()], let definition = models[name] {
                diagnostics.warn(
                    at: definition.location,
                    "The models '\(other)' and '\(name)' differ only in letter case: a server has one report for both.")
            }
            seen[name.lowercased()] = name
        }
    }
}

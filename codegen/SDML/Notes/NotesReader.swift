import Suggestions

/// Reads a notes file: an object with a member for each model, which holds its documentation and its fields'.
struct NotesReader {
    /// The path of the file of models that the notes are about.
    let models: String
    let definitions: [ModelDefinition]
    /// Whether the file of models could be read without an error. If not, what is missing there is no fault of the
    /// notes.
    let isComplete: Bool

    func read(_ root: JSONNode, into index: inout [String: NotesOfModel], diagnostics: inout Diagnostics) {
        NotesObject.read(root, as: "A notes file", into: &diagnostics) { member, diagnostics in
            let known = definitions.filter { !$0.isReference && $0.name == member.key }
            guard !known.isEmpty else {
                if !isComplete { return }
                let names = Set(definitions.filter { !$0.isReference }.map(\.name))
                diagnostics.error(
                    at: member.location,
                    "\(models) defines no model '\(member.key)'.\(Spelling.hint(for: member.key, among: names))")
                return
            }
            readModel(member, definitions: known, into: &index, diagnostics: &diagnostics)
        }
    }

    private func readModel(
        _ member: NotesObject.Member, definitions: [ModelDefinition], into index: inout [String: NotesOfModel],
        diagnostics: inout Diagnostics
    ) {
        var found = NotesOfModel(location: member.location)
        NotesObject.read(member.value, as: "What is said about a model", into: &diagnostics) { member, diagnostics in
            switch member.key {
            case "documentation": found.notes.documentation = member.text(into: &diagnostics)
            case "swiftName": found.notes.swiftName = member.identifier(into: &diagnostics)
            case "fields": found.fields = readFields(member.value, definitions: definitions, into: &diagnostics)
            default: member.reportUnknown(known: ["documentation", "swiftName", "fields"], into: &diagnostics)
            }
        }
        if let first = index[member.key] {
            diagnostics.error(
                at: member.location, "There are notes on '\(member.key)' already, at \(first.location). Put them together.")
        } else {
            index[member.key] = found
        }
    }

    private func readFields(
        _ node: JSONNode, definitions: [ModelDefinition], into diagnostics: inout Diagnostics
    ) -> [String: FieldNotes] {
        var result: [String: FieldNotes] = [:]
        let fields = definitions.flatMap(\.fields)
        NotesObject.read(node, as: "'fields'", into: &diagnostics) { member, diagnostics in
            guard let field = fields.first(where: { $0.name == member.key }) else {
                if !isComplete { return }
                diagnostics.error(
                    at: member.location,
                    "The model '\(definitions[0].name)' has no field '\(member.key)'."
                        + Spelling.hint(for: member.key, among: fields.map(\.name)))
                return
            }
            let subject: FieldNotesReader.Subject
            switch field.type {
            case .value(let type): subject = .init(name: field.name, kind: .type(type))
            case .one, .many: subject = .init(name: field.name, kind: nil)
            }
            result[field.name] = FieldNotesReader(subject: subject).read(member.value, into: &diagnostics)
        }
        return result
    }
}

/// What the notes of all files say of a model.
struct NotesOfModel {
    var notes = ModelNotes()
    var fields: [String: FieldNotes] = [:]
    var location: SourceLocation
}

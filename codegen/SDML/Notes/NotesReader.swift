/// Reads a notes file: an object with a member for each model, which holds its documentation and its fields'.
struct NotesReader {
    /// The path of the file of models that the notes are about.
    let models: String
    let definitions: [ModelDefinition]
    /// Whether the file of models could be read without an error. If not, a model that is missing there is
    /// not a mistake in the notes.
    let isComplete: Bool
    let diagnostics: Diagnostics

    func read(_ root: JSONNode, into index: inout [String: NotesOfModel]) {
        for member in NotesMember.all(of: root, "A notes file", diagnostics) {
            let known = definitions.filter { !$0.isReference }
            let meant = known.filter { $0.name == member.key }
            if meant.isEmpty {
                missing(member, "\(models) defines no model '\(member.key)'.", among: known.map(\.name))
                continue
            }
            let notes = notes(member, on: meant)
            if let first = index[member.key] {
                diagnostics.error(
                    at: member.location,
                    "There are notes on '\(member.key)' already, at \(first.location). Put them together."
                )
            } else {
                index[member.key] = notes
            }
        }
    }

    private func notes(_ member: NotesMember, on definitions: [ModelDefinition]) -> NotesOfModel {
        var found = NotesOfModel(location: member.location)
        for member in NotesMember.all(of: member.value, "What is said about a model", diagnostics) {
            switch member.key {
            case "documentation": found.notes.documentation = member.text()
            case "swiftName": found.notes.swiftName = member.identifier()
            case "fields": found.fields = fields(member.value, definitions)
            default: member.reportUnknown(known: ["documentation", "swiftName", "fields"])
            }
        }
        return found
    }

    private func fields(_ node: JSONNode, _ definitions: [ModelDefinition]) -> [String: FieldNotes] {
        var notes: [String: FieldNotes] = [:]
        let fields = definitions.flatMap(\.fields)
        let fieldsByName = Dictionary(firstOf: fields.map { ($0.name, $0) })
        for member in NotesMember.all(of: node, "'fields'", diagnostics) {
            if let field = fieldsByName[member.key] {
                let kind: SDMLPart.Kind? = if case .value(let type) = field.type { .type(type) } else { nil }
                notes[field.name] = FieldNotesReader(name: field.name, kind: kind, diagnostics: diagnostics)
                    .read(member.value)
            } else {
                let message = "The model '\(definitions[0].name)' has no field '\(member.key)'."
                missing(member, message, among: fields.map(\.name))
            }
        }
        return notes
    }

    private func missing(_ member: NotesMember, _ message: String, among names: [String]) {
        if isComplete {
            diagnostics.error(at: member.location, message + diagnostics.hint(for: member.key, among: names))
        }
    }
}

/// What the notes of all files say of a model.
struct NotesOfModel {
    var notes = ModelNotes()
    var fields: [String: FieldNotes] = [:]
    var location: SourceLocation
}

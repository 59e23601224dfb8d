import Suggestions

/// Reads a notes file: an object with a member for each model, which holds its documentation and its fields'.
struct NotesReader {
    /// The path of the file of models that the notes are about.
    let models: String
    let definitions: [ModelDefinition]
    /// Whether the file of models could be read without an error. If not, what is missing there is no fault of the
    /// notes.
    let isComplete: Bool

    func read(_ root: JSONNode, into index: inout NotesIndex, diagnostics: inout Diagnostics) {
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
        _ member: NotesObject.Member, definitions: [ModelDefinition], into index: inout NotesIndex,
        diagnostics: inout Diagnostics
    ) {
        var notes = ModelNotes()
        var fields: [String: FieldNotes] = [:]
        NotesObject.read(member.value, as: "What is said about a model", into: &diagnostics) { member, diagnostics in
            switch member.key {
            case "documentation": notes.documentation = member.text(into: &diagnostics)
            case "swiftName": notes.swiftName = member.identifier(into: &diagnostics)
            case "fields": fields = readFields(member.value, definitions: definitions, into: &diagnostics)
            default: member.reportUnknown(known: ["documentation", "swiftName", "fields"], into: &diagnostics)
            }
        }
        if let first = index.add(notes, fields: fields, on: member.key, at: member.location) {
            diagnostics.error(
                at: member.location, "There are notes on '\(member.key)' already, at \(first). Put them together.")
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

/// What the notes of all files say, by model and field.
struct NotesIndex {
    private struct Entry {
        var notes: ModelNotes
        var fields: [String: FieldNotes]
        var location: SourceLocation
    }

    private var entries: [String: Entry] = [:]

    func model(_ name: String) -> ModelNotes { entries[name]?.notes ?? ModelNotes() }

    func field(_ field: String, of model: String) -> FieldNotes { entries[model]?.fields[field] ?? FieldNotes() }

    /// Adds the notes on a model; where they stand already, when there are some.
    mutating func add(
        _ notes: ModelNotes, fields: [String: FieldNotes], on model: String, at location: SourceLocation
    ) -> SourceLocation? {
        if let entry = entries[model] { return entry.location }
        entries[model] = Entry(notes: notes, fields: fields, location: location)
        return nil
    }
}

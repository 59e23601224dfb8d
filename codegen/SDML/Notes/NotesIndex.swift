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

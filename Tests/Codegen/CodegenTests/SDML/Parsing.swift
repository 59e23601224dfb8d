import SDML

/// Parses one file of models, with notes if given, under the paths `m.sdml` and `m.notes.json`.
func parse(_ text: String, notes: String? = nil) -> SDMLParser.Result {
    SDMLParser.parse([
        .init(
            models: SourceFile(path: "m.sdml", text: text),
            notes: notes.map { SourceFile(path: "m.notes.json", text: $0) }
        )
    ])
}

/// The problems as a compiler would print them.
func problems(_ text: String, notes: String? = nil) -> [String] {
    parse(text, notes: notes).diagnostics.map(\.description)
}

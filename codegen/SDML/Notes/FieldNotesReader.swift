import Suggestions

/// Reads what is said about one field, or one part of it, and checks that its type allows it to be said.
struct FieldNotesReader {
    /// What is spoken about.
    struct Subject {
        var name: String
        /// Its type; nil for a relation.
        var kind: SDMLPart.Kind?
        var isPart = false
    }

    let subject: Subject

    private static let keys = [
        "documentation", "swiftName", "formerly", "type", "required", "maxLength", "system", "valueSet", "unit",
        "parts",
    ]

    func read(_ node: JSONNode, into diagnostics: inout Diagnostics) -> FieldNotes {
        var notes = FieldNotes()
        let what = "What is said about '\(subject.name)'"
        NotesObject.read(node, as: what, into: &diagnostics) { member, diagnostics in
            switch member.key {
            case "documentation": notes.documentation = member.text(into: &diagnostics)
            case "swiftName" where !subject.isPart: notes.swiftName = member.identifier(into: &diagnostics)
            case "formerly" where !subject.isPart: notes.formerly = member.texts(into: &diagnostics)
            case "required": notes.isRequired = member.flag(into: &diagnostics)
            case "type": readType(member, &notes, &diagnostics)
            case "maxLength": readLength(member, &notes, &diagnostics)
            case "system": readSystem(member, &notes, &diagnostics)
            case "valueSet": readValueSet(member, &notes, &diagnostics)
            case "unit":
                allow(member, for: [.valueAndUnit, .vitalSign, .number], &diagnostics)
                notes.unit = member.text(into: &diagnostics)
            case "parts": readParts(member, &notes, &diagnostics)
            default: member.reportUnknown(known: Self.keys, into: &diagnostics)
            }
        }
        return notes
    }

    private func readType(_ member: NotesObject.Member, _ notes: inout FieldNotes, _ diagnostics: inout Diagnostics) {
        allow(member, for: [.date], &diagnostics)
        switch member.text(into: &diagnostics) {
        case "day": notes.isDay = true
        case "instant", nil: break
        case .some(let text):
            diagnostics.error(
                at: member.value.location, "'\(text)' is no refinement of a Date: it is a \"day\" or an \"instant\".")
        }
    }

    private func readLength(_ member: NotesObject.Member, _ notes: inout FieldNotes, _ diagnostics: inout Diagnostics) {
        allow(member, for: [.string], &diagnostics)
        switch member.value.value {
        case .null: notes.maximumLength = .unlimited
        case .number(let text):
            if let number = Int(text), number > 0 {
                notes.maximumLength = .limited(number)
            } else {
                diagnostics.error(at: member.value.location, "\(text) is no number of characters.")
            }
        default: member.reportKind("a number of characters, or null for any", into: &diagnostics)
        }
    }

    private func readSystem(_ member: NotesObject.Member, _ notes: inout FieldNotes, _ diagnostics: inout Diagnostics) {
        allow(member, for: [.codedValue, .vitalSign], &diagnostics)
        guard let text = member.text(into: &diagnostics) else { return }
        notes.codeSystem = SDMLCodeSystem(text)
        if notes.codeSystem == nil {
            let titles = SDMLCodeSystem.known.compactMap(\.title)
            let hint = Spelling.hint(for: text, among: titles)
            diagnostics.error(
                at: member.value.location,
                "'\(text)' is neither the URI of a code system nor the title of a known one."
                    + (hint.isEmpty ? " Known are \(titles.joined(separator: ", "))." : hint))
        }
    }

    private func readValueSet(
        _ member: NotesObject.Member, _ notes: inout FieldNotes, _ diagnostics: inout Diagnostics
    ) {
        allow(member, for: [.codedValue, .vitalSign, .string], &diagnostics)
        guard case .object = member.value.value else {
            notes.valueSet = member.texts(into: &diagnostics).map { AllowedValue(identifier: $0) }
            return
        }
        NotesObject.read(member.value, as: "A value set", into: &diagnostics) { entry, diagnostics in
            if let title = entry.text(into: &diagnostics) {
                notes.valueSet.append(AllowedValue(identifier: entry.key, title: title))
            }
        }
    }

    private func readParts(_ member: NotesObject.Member, _ notes: inout FieldNotes, _ diagnostics: inout Diagnostics) {
        guard case .type(let type) = subject.kind, !type.parts.isEmpty else {
            diagnostics.error(
                at: member.location, "'\(subject.name)' has no parts: only fields of compound types have.")
            return
        }
        var found: [String: FieldNotes] = [:]
        NotesObject.read(member.value, as: "'parts'", into: &diagnostics) { entry, diagnostics in
            guard let part = type.parts.first(where: { $0.name == entry.key }) else {
                let names = type.parts.map(\.name)
                diagnostics.error(
                    at: entry.location,
                    "A \(type.rawValue) has no part '\(entry.key)'; it has \(names.joined(separator: ", ")).")
                return
            }
            let reader = FieldNotesReader(subject: Subject(name: part.name, kind: part.kind, isPart: true))
            found[part.name] = reader.read(entry.value, into: &diagnostics)
        }
        notes.parts = type.parts.compactMap { part in found[part.name].map { PartNotes(name: part.name, notes: $0) } }
    }

    private func allow(_ member: NotesObject.Member, for types: [SDMLType], _ diagnostics: inout Diagnostics) {
        if case .type(let type) = subject.kind, types.contains(type) { return }
        let names = types.map(\.rawValue).joined(separator: " or ")
        let actual =
            switch subject.kind {
            case .type(let type): "a \(type.rawValue)"
            case .boolean: "a boolean"
            case .day: "a day"
            case nil: "a relation"
            }
        diagnostics.error(
            at: member.location, "'\(member.key)' can be said about a \(names); '\(subject.name)' is \(actual).")
    }
}

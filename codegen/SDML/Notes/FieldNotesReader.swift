import IndivoBase

/// Reads what is said about one field, or one part of it, and checks that its type allows it to be said.
struct FieldNotesReader {
    let name: String
    /// The type of the field or part; nil for a relation.
    let kind: SDMLPart.Kind?
    var isPart = false
    let diagnostics: Diagnostics

    private static let keys = [
        "documentation", "swiftName", "formerly", "type", "required", "maxLength", "system", "valueSet",
        "unit", "parts",
    ]

    func read(_ node: JSONNode) -> FieldNotes {
        var notes = FieldNotes()
        for member in NotesMember.all(of: node, "What is said about '\(name)'", diagnostics) {
            switch member.key {
            case "documentation": notes.documentation = member.text()
            case "swiftName" where !isPart: notes.swiftName = member.identifier()
            case "formerly" where !isPart: notes.formerly = member.texts()
            case "required": notes.isRequired = member.flag()
            case "type": notes.isDay = isDay(checked(member, for: .date))
            case "maxLength": notes.maximumLength = length(checked(member, for: .string)) ?? .standard
            case "system": notes.codeSystem = system(checked(member, for: .codedValue, .vitalSign))
            case "valueSet": notes.valueSet = valueSet(checked(member, for: .codedValue, .vitalSign, .string))
            case "unit": notes.unit = checked(member, for: .valueAndUnit, .vitalSign, .number).text()
            case "parts": notes.parts = parts(member)
            default: member.reportUnknown(known: Self.keys)
            }
        }
        return notes
    }

    private func isDay(_ member: NotesMember) -> Bool {
        switch member.text() {
        case nil, "instant": false
        case "day": true
        case let text?:
            member.wrong("'\(text)' is no refinement of a Date: it is a \"day\" or an \"instant\".") ?? false
        }
    }

    private func length(_ member: NotesMember) -> FieldNotes.Length? {
        switch member.value.value {
        case .null: return .unlimited
        case .number(let text):
            guard let number = Int(text), number > 0 else {
                return member.wrong("\(text) is no number of characters.")
            }
            return .limited(number)
        default: return member.wrongKind("a number of characters, or null for any")
        }
    }

    private func system(_ member: NotesMember) -> SDMLCodeSystem? {
        guard let text = member.text() else { return nil }
        if let system = SDMLCodeSystem.named(text) { return system }
        let titles = SDMLCodeSystem.known.compactMap(\.title)
        let hint = Spelling.hint(for: text, among: titles)
        return member.wrong(
            "'\(text)' is neither the URI of a code system nor the title of a known one."
                + (hint.isEmpty ? " Known are \(titles.joined(separator: ", "))." : hint)
        )
    }

    private func valueSet(_ member: NotesMember) -> [AllowedValue] {
        guard case .object = member.value.value else {
            return member.texts().map { AllowedValue(identifier: $0) }
        }
        return NotesMember.all(of: member.value, "A value set", diagnostics).compactMap { entry in
            entry.text().map { AllowedValue(identifier: entry.key, title: $0) }
        }
    }

    private func parts(_ member: NotesMember) -> [PartNotes] {
        guard case .type(let type) = kind, !type.parts.isEmpty else {
            diagnostics.error(
                at: member.location,
                "'\(name)' has no parts: only fields of compound types have."
            )
            return []
        }
        var found: [String: FieldNotes] = [:]
        for entry in NotesMember.all(of: member.value, "'parts'", diagnostics) {
            if let part = type.parts.first(where: { $0.name == entry.key }) {
                let reader = FieldNotesReader(
                    name: part.name,
                    kind: part.kind,
                    isPart: true,
                    diagnostics: diagnostics
                )
                found[part.name] = reader.read(entry.value)
            } else {
                let names = type.parts.map(\.name).joined(separator: ", ")
                diagnostics.error(
                    at: entry.location,
                    "A \(type.rawValue) has no part '\(entry.key)'; it has \(names)."
                )
            }
        }
        return type.parts.compactMap { part in found[part.name].map { PartNotes(name: part.name, notes: $0) }
        }
    }

    /// The member. It is reported if it cannot be said about a field of this type.
    private func checked(_ member: NotesMember, for types: SDMLType...) -> NotesMember {
        let actual: String
        switch kind {
        case .type(let type):
            if types.contains(type) { return member }
            actual = "a \(type.rawValue)"
        case .boolean: actual = "a boolean"
        case .day: actual = "a day"
        case nil: actual = "a relation"
        }
        let names = types.map(\.rawValue).joined(separator: " or ")
        diagnostics.error(
            at: member.location,
            "'\(member.key)' can be said about a \(names); '\(name)' is \(actual)."
        )
        return member
    }
}

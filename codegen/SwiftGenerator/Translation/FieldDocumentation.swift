import SDML

/// The documentation of a property: what the notes say of the field, constraints put into words.
enum FieldDocumentation {
    /// A string a paragraph; one that begins with `- ` is an item of a list.
    static func paragraphs(on field: SDMLField) -> [String] {
        let notes = field.notes
        let isVitalSign = field.type == .value(.vitalSign)
        let values = allowedValues(notes, isVitalSign: isVitalSign)
        let older =
            notes.formerly.isEmpty
            ? nil : "Older documents call it \(list(notes.formerly.map { "`\($0)`" }, "or"))."
        let first =
            [notes.documentation ?? "The field `\(field.name.replacingBreaks(with: " "))`."]
            + sentences(notes)
            + [isVitalSign ? values : nil, older].compactMap(\.self)
        var paragraphs = [first.joined(separator: " ")]
        if !isVitalSign, let values { paragraphs.append(values) }
        for part in notes.parts {
            guard case .value(let type) = field.type else { break }
            let isVitalSign = type.parts.contains { $0.name == part.name && $0.kind == .type(.vitalSign) }
            let values = allowedValues(part.notes, isVitalSign: isVitalSign)
            let words = ([part.notes.documentation] + sentences(part.notes) + [values]).compactMap(\.self)
            if words.isEmpty { continue }
            let property = SwiftValueTypes.property(ofPart: part.name, in: type)
            paragraphs.append("- `\(property)`: \(words.joined(separator: " "))")
        }
        return paragraphs
    }

    private static func sentences(_ notes: FieldNotes) -> [String] {
        var sentences: [String] = []
        if let system = notes.codeSystem, !(notes.unit != nil && !notes.valueSet.isEmpty) {
            sentences.append("Coded in \(name(of: system)).")
        }
        if let unit = notes.unit { sentences.append("In `\(unit)`.") }
        if case .limited(let length) = notes.maximumLength {
            sentences.append("At most \(length) characters.")
        }
        if notes.maximumLength == .unlimited { sentences.append("Of any length.") }
        if notes.isRequired { sentences.append("Required by the server.") }
        return sentences
    }

    /// `One of …`; for a vital sign the code that names what is measured.
    private static func allowedValues(_ notes: FieldNotes, isVitalSign: Bool) -> String? {
        if notes.valueSet.isEmpty { return nil }
        let values = notes.valueSet.map { value in
            "`\(value.identifier)`" + (value.title.map { " (\($0))" } ?? "")
        }
        if isVitalSign {
            let system = notes.codeSystem.map { " in \(name(of: $0))" } ?? ""
            return "Its name is \(list(values, "or"))\(system)."
        }
        return values.count == 1 ? "Always \(values[0])." : "One of \(list(values, "or"))."
    }

    private static func name(of system: SDMLCodeSystem) -> String { system.title ?? "`\(system.uri)`" }

    /// `a`, `a or b`, `a, b, or c`.
    private static func list(_ items: [String], _ conjunction: String) -> String {
        switch items.count {
        case 0: ""
        case 1: items[0]
        case 2: "\(items[0]) \(conjunction) \(items[1])"
        default: items.dropLast().joined(separator: ", ") + ", \(conjunction) \(items[items.count - 1])"
        }
    }
}

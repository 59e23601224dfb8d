import IndivoBase

/// A member of an object of a notes file. What it says in the wrong way is reported, and counts as not said.
struct NotesMember {
    let key: String
    let location: SourceLocation
    let value: JSONNode
    let diagnostics: Diagnostics

    /// The members of an object, each key once.
    static func all(of node: JSONNode, _ what: String, _ diagnostics: Diagnostics) -> [NotesMember] {
        guard case .object(let members) = node.value else {
            diagnostics.wrongKind(node, "\(what) must be an object, '{ … }'")
            return []
        }
        var seen: [String: SourceLocation] = [:]
        return members.compactMap { member in
            guard let key = member.key else { return nil }
            if let first = seen[key] {
                diagnostics.error(at: member.keyLocation, "'\(key)' was said before, in line \(first.line).")
                return nil
            }
            seen[key] = member.keyLocation
            return NotesMember(
                key: key,
                location: member.keyLocation,
                value: member.value,
                diagnostics: diagnostics
            )
        }
    }

    func text() -> String? { if case .string(let text) = value.value { text } else { wrongKind("a string") } }

    func texts() -> [String] {
        switch value.value {
        case .string(let text): return [text]
        case .array(let elements):
            return elements.compactMap { element in
                if case .string(let text) = element.value { return text }
                diagnostics.wrongKind(element, "'\(key)' is a list of strings")
                return nil
            }
        default: return wrongKind("a string or a list of strings") ?? []
        }
    }

    /// A text that can stand in Swift as a name.
    func identifier() -> String? {
        guard let text = text() else { return nil }
        return text.isASCIIIdentifier ? text : wrong("'\(text)' is no name that Swift takes.")
    }

    func flag() -> Bool {
        if case .boolean(let flag) = value.value { flag } else { wrongKind("true or false") ?? false }
    }

    /// Reports the value, and returns nil in its place.
    func wrong<Value>(_ message: String) -> Value? {
        diagnostics.error(at: value.location, message)
        return nil
    }

    func wrongKind<Value>(_ expected: String) -> Value? {
        diagnostics.wrongKind(value, "'\(key)' must be \(expected)")
        return nil
    }

    func reportUnknown(known: [String]) {
        let hint = Spelling.hint(for: key, among: known)
        diagnostics.error(
            at: location,
            "Notes have no '\(key)' here."
                + (hint.isEmpty ? " They have \(known.joined(separator: ", "))." : hint)
        )
    }
}

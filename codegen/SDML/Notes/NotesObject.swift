import Suggestions

/// An object of a notes file, member by member, each key once.
enum NotesObject {
    struct Member {
        let key: String
        let location: SourceLocation
        let value: JSONNode

        /// The text, nil (and reported) when it is none.
        func text(into diagnostics: inout Diagnostics) -> String? {
            if case .string(let text) = value.value { return text }
            reportKind("a string", into: &diagnostics)
            return nil
        }

        /// One text or a list of texts.
        func texts(into diagnostics: inout Diagnostics) -> [String] {
            switch value.value {
            case .string(let text): return [text]
            case .array(let elements):
                return elements.compactMap { element in
                    if case .string(let text) = element.value { return text }
                    if !element.isDamaged {
                        diagnostics.error(
                            at: element.location, "'\(key)' is a list of strings; this is \(element.kind).")
                    }
                    return nil
                }
            default:
                reportKind("a string or a list of strings", into: &diagnostics)
                return []
            }
        }

        /// A text that can stand in Swift as a name.
        func identifier(into diagnostics: inout Diagnostics) -> String? {
            guard let text = text(into: &diagnostics) else { return nil }
            if text.isASCIIIdentifier { return text }
            diagnostics.error(at: value.location, "'\(text)' is no name that Swift takes.")
            return nil
        }

        /// True or false.
        func flag(into diagnostics: inout Diagnostics) -> Bool {
            if case .boolean(let flag) = value.value { return flag }
            reportKind("true or false", into: &diagnostics)
            return false
        }

        func reportKind(_ expected: String, into diagnostics: inout Diagnostics) {
            if value.isDamaged { return }
            diagnostics.error(at: value.location, "'\(key)' must be \(expected); this is \(value.kind).")
        }

        func reportUnknown(known: [String], into diagnostics: inout Diagnostics) {
            let hint = Spelling.hint(for: key, among: known)
            diagnostics.error(
                at: location,
                "Notes have no '\(key)' here."
                    + (hint.isEmpty ? " They have \(known.joined(separator: ", "))." : hint))
        }
    }

    /// Calls `body` with each member of an object; something else than an object, and a key said twice, is reported.
    static func read(
        _ node: JSONNode, as what: String, into diagnostics: inout Diagnostics,
        _ body: (Member, inout Diagnostics) -> Void
    ) {
        guard case .object(let members) = node.value else {
            if !node.isDamaged {
                diagnostics.error(at: node.location, "\(what) must be an object, '{ … }'; this is \(node.kind).")
            }
            return
        }
        var seen: [String: SourceLocation] = [:]
        for member in members {
            guard let key = member.key else { continue }
            if let first = seen[key] {
                diagnostics.error(at: member.keyLocation, "'\(key)' was said before, in line \(first.line).")
                continue
            }
            seen[key] = member.keyLocation
            body(Member(key: key, location: member.keyLocation, value: member.value), &diagnostics)
        }
    }
}

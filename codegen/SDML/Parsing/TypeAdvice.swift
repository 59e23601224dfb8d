import Suggestions

/// What to say when a type is none of SDML's.
enum TypeAdvice {
    static func message(forUnknown text: String) -> String {
        let names = SDMLType.allCases.map(\.rawValue)
        if let near = Spelling.nearest(to: text, among: names) {
            return "SDML has no type '\(text)'. Did you mean '\(near)'?"
        }
        if let advice = substitutes[text.lowercased()] { return "SDML has no type '\(text)'; \(advice)." }
        return "SDML has no type '\(text)'. Its types are \(names.joined(separator: ", "))."
    }

    private static let substitutes: [String: String] = {
        let advice: [(words: [String], advice: String)] = [
            (["bool", "boolean"], "use 'String' with the texts true and false, or a 'CodedValue'"),
            (["int", "integer", "float", "double", "decimal", "long"], "use 'Number'"),
            (["text", "char", "uri", "url", "markdown", "email"], "use 'String'"),
            (["datetime", "timestamp", "time", "instant", "day"],
             "use 'Date' (with \"type\": \"day\" in the notes for a day)"),
            (["code", "coding", "codeableconcept", "coded"], "use 'CodedValue'"),
            (["quantity", "amount"], "use 'ValueAndUnit'"),
            (["range"], "use 'ValueRange'"),
            (["person", "humanname"], "use 'Name'"),
            (["phone", "telecom"], "use 'Telephone'"),
        ]
        return Dictionary(
            advice.flatMap { entry in entry.words.map { ($0, entry.advice) } }, uniquingKeysWith: { first, _ in first })
    }()
}

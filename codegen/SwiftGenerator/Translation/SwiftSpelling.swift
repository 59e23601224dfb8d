/// How names of data become names of Swift.
package enum SwiftSpelling {
    /// `test_name` → `testName`, `drugName` → `drugName`, `2nd opinion` → `_2ndOpinion`; `fallback` when
    /// nothing is left.
    package static func lowerCamel(_ name: String, fallback: String) -> String {
        let words = words(of: name)
        guard let first = words.first else { return fallback }
        return startingWithLetter(joined([lowercasedStart(first)] + words.dropFirst().map(uppercasedStart)))
    }

    /// `sleep_night` → `SleepNight`, `VitalSigns` → `VitalSigns`.
    package static func upperCamel(_ name: String, fallback: String) -> String {
        let words = words(of: name)
        return words.isEmpty ? fallback : startingWithLetter(joined(words.map(uppercasedStart)))
    }

    static func firstLetterUppercased(_ word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }

    /// `name` → `Name`; the abbreviations that Swift's naming rules write in capitals get them.
    static func uppercasedStart(_ word: String) -> String {
        ["id", "url", "uri", "xml"].contains(word) ? word.uppercased() : firstLetterUppercased(word)
    }

    /// The runs of characters that Swift takes in names. Capitals that mean nothing (`DATE_OF_BIRTH`) are
    /// lost.
    private static func words(of name: String) -> [String] {
        let words = name.unicodeScalars.split { $0 == "_" || !SwiftGrammar.isIdentifierPart($0) }.map {
            String($0)
        }
        let isShouted =
            words.count > 1 && words.allSatisfy { $0 == $0.uppercased() }
            && words.contains { $0 != $0.lowercased() }
        return isShouted ? words.map { $0.lowercased() } : words
    }

    /// Joins words; `_` stays between digits, where `a_1_2` and `a_12` would become one.
    private static func joined(_ words: [String]) -> String {
        words.reduce(into: "") { name, word in
            if let last = name.last, let first = word.first, last.isNumber, first.isNumber { name += "_" }
            name += word
        }
    }

    /// `Name` → `name`, `HDLCholesterol` → `hdlCholesterol`, `URL` → `url`.
    private static func lowercasedStart(_ word: String) -> String {
        let capitals = word.prefix { $0.isUppercase }
        if capitals.count <= 1 { return capitals.lowercased() + word.dropFirst(capitals.count) }
        let rest = word.dropFirst(capitals.count)
        // The last capital belongs to the word that follows, if one does.
        guard let next = rest.first, next.isLowercase else { return capitals.lowercased() + rest }
        return capitals.dropLast().lowercased() + capitals.suffix(1) + rest
    }

    private static func startingWithLetter(_ name: String) -> String {
        name.unicodeScalars.first.map(SwiftGrammar.isIdentifierStart) == false ? "_\(name)" : name
    }
}

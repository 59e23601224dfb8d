/// A set of characters: ranges of scalars, classes such as `\d`, and sets within, inverted or not.
struct CharacterSet: Sendable {
    enum Class: Sendable {
        case digit, word, space
        /// `\p{…}`
        case property(Property)
    }

    enum Property: String, Sendable {
        case letter = "L", upper = "Lu", lower = "Ll", number = "N", decimal = "Nd", punctuation = "P",
            symbol = "S"
        case separator = "Z", mark = "M", control = "C"
    }

    var ranges: [ClosedRange<UInt32>] = []
    var classes: [(class: Class, isInverted: Bool)] = []
    var sets: [CharacterSet] = []
    /// Sets that must contain the character too: `[a-z&&[^b]]`.
    var intersections: [CharacterSet] = []
    var isInverted = false

    func contains(_ scalar: Unicode.Scalar, ignoringCase: Bool) -> Bool {
        if ignoringCase {
            let properties = scalar.properties
            for variant in [properties.lowercaseMapping, properties.uppercaseMapping] {
                if let only = variant.unicodeScalars.first, variant.unicodeScalars.count == 1, only != scalar,
                    hasMember(only)
                {
                    return !isInverted && intersections.allSatisfy { $0.contains(scalar, ignoringCase: true) }
                }
            }
        }
        let isMember =
            hasMember(scalar) && intersections.allSatisfy { $0.contains(scalar, ignoringCase: ignoringCase) }
        return isMember != isInverted
    }

    private func hasMember(_ scalar: Unicode.Scalar) -> Bool {
        for range in ranges where range.contains(scalar.value) { return true }
        for (kind, isInverted) in classes where Self.matches(kind, scalar) != isInverted { return true }
        return sets.contains { $0.contains(scalar, ignoringCase: false) }
    }

    /// ASCII for `\d`, `\w` and `\s`, as in JavaScript, Java and XML's usual engines; `\p{…}` knows all of
    /// Unicode.
    static func matches(_ kind: Class, _ scalar: Unicode.Scalar) -> Bool {
        switch kind {
        case .digit: ("0"..."9").contains(scalar)
        case .word:
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || scalar == "_"
        case .space: scalar == " " || (0x09...0x0D).contains(scalar.value) || scalar.value == 0xA0
        case .property(let property): matches(property, scalar.properties.generalCategory)
        }
    }

    private static func matches(_ property: Property, _ category: Unicode.GeneralCategory) -> Bool {
        switch property {
        case .upper: category == .uppercaseLetter
        case .lower: category == .lowercaseLetter
        case .decimal: category == .decimalNumber
        case .letter:
            [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter].contains(
                category
            )
        case .number: [.decimalNumber, .letterNumber, .otherNumber].contains(category)
        case .mark: [.nonspacingMark, .spacingMark, .enclosingMark].contains(category)
        case .punctuation:
            [
                .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
                .initialPunctuation,
                .finalPunctuation, .otherPunctuation,
            ].contains(category)
        case .symbol: [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol].contains(category)
        case .separator: [.spaceSeparator, .lineSeparator, .paragraphSeparator].contains(category)
        case .control: [.control, .format, .surrogate, .privateUse, .unassigned].contains(category)
        }
    }
}

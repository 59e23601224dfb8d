/// UCUM's units and prefixes (version 2.2), each unit by those before it.
struct UnitTable: Sendable {
    struct Atom: Sendable {
        let term: UnitTerm
        /// Whether the unit takes prefixes.
        let isMetric: Bool
    }

    let atoms: [String: Atom]

    static let shared = UnitTable()

    static let prefixes: [String: UnitFactor] = {
        var prefixes: [String: UnitFactor] = [:]
        let decimal = [
            "Q": 30, "R": 27, "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2,
            "da": 1,
            "d": -1, "c": -2, "m": -3, "u": -6, "n": -9, "p": -12, "f": -15, "a": -18, "z": -21, "y": -24,
            "r": -27,
            "q": -30,
        ]
        for (prefix, exponent) in decimal { prefixes[prefix] = .ten(toThe: exponent) }
        for (index, prefix) in ["Ki", "Mi", "Gi", "Ti"].enumerated() {
            prefixes[prefix] = UnitFactor(1 << (10 * (index + 1)))
        }
        return prefixes
    }()

    private init() {
        var atoms: [String: Atom] = [:]
        for (index, code) in ["m", "s", "g", "rad", "K", "C", "cd"].enumerated() {
            var term = UnitTerm()
            term.dimension = .base(index)
            atoms[code] = Atom(term: term, isMetric: true)
        }
        var pi = UnitTerm()
        pi.factor = .pi
        atoms["[pi]"] = Atom(term: pi, isMetric: false)

        for line in UnitDefinitions.ratios.split(whereSeparator: \.isNewline) {
            // code, “*” for a metric one, value, unit
            let parts = line.split(separator: " ")
            let isMetric = parts[1] == "*"
            let rest = parts.dropFirst(isMetric ? 2 : 1)
            guard let code = parts.first, let value = rest.first, let unit = rest.dropFirst().first,
                let term = Self.product(of: value, and: unit, in: atoms)
            else { preconditionFailure("The definition “\(line)” is not readable.") }
            atoms[String(code)] = Atom(term: term, isMetric: isMetric)
        }
        for line in UnitDefinitions.arbitrary.split(whereSeparator: \.isWhitespace) {
            let isMetric = line.hasSuffix("*")
            let code = String(isMetric ? line.dropLast() : line)
            var term = UnitTerm()
            // One unit under two codes.
            term.dimension = .arbitrary(code == "[IU]" ? "[iU]" : code)
            atoms[code] = Atom(term: term, isMetric: isMetric)
        }
        for unit in UnitDefinitions.scales {
            guard var term = Self.product(of: Substring(unit.value), and: Substring(unit.unit), in: atoms)
            else {
                preconditionFailure("The definition of \(unit.code) is not readable.")
            }
            term.scale = unit.scale
            atoms[unit.code] = Atom(term: term, isMetric: unit.isMetric)
        }
        self.atoms = atoms
    }

    /// The value, a decimal numeral or a quotient of two, times a product of earlier units such as `kg.m/s2`.
    private static func product(of value: Substring, and unit: Substring, in atoms: [String: Atom])
        -> UnitTerm?
    {
        var term = UnitTerm()
        let quotient = value.split(separator: "/")
        guard let first = quotient.first, let dividend = UnitFactor(decimal: first) else { return nil }
        term.factor = dividend
        if let second = quotient.dropFirst().first {
            guard let divisor = UnitFactor(decimal: second) else { return nil }
            term.factor = term.factor / divisor
        }
        var divides = false
        var name = ""
        func take() -> Bool {
            defer { name = "" }
            var exponent = divides ? -1 : 1
            if name == "1" { return true }
            // Outside brackets a last digit is the exponent.
            if let digit = name.last?.wholeNumberValue { exponent *= digit }
            let code = name.last?.isNumber == true ? String(name.dropLast()) : name
            guard let part = atoms[code]?.term ?? prefixed(code, in: atoms) else { return false }
            term.factor = term.factor * part.factor.raised(to: exponent)
            term.dimension = term.dimension * part.dimension.raised(to: exponent)
            return true
        }
        var isBracketed = false
        for character in unit {
            if character == "[" { isBracketed = true }
            if character == "]" { isBracketed = false }
            if !isBracketed, character == "." || character == "/" {
                if !name.isEmpty, !take() { return nil }
                divides = character == "/"
            } else {
                name.append(character)
            }
        }
        return take() ? term : nil
    }

    private static func prefixed(_ code: String, in atoms: [String: Atom]) -> UnitTerm? {
        for length in 1...2 where code.count > length {
            if let factor = prefixes[String(code.prefix(length))],
                let atom = atoms[String(code.dropFirst(length))], atom.isMetric
            {
                var term = atom.term
                term.factor = term.factor * factor
                return term
            }
        }
        return nil
    }
}

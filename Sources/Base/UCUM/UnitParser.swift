/// The value of a term of a UCUM expression.
struct UnitTerm: Sendable, Hashable {
    var factor = UnitFactor.one
    var dimension = UnitDimension.none
    var scale = UnitScale.ratio
}

/// Reads UCUM expressions (UCUM section 2.1): terms of components with `.` and `/`, parentheses, exponents,
/// prefixes, integer factors and annotations in braces.
struct UnitParser {
    private let code: String
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private static let maximumLength = 256
    private static let maximumDepth = 16

    init(_ code: String) {
        self.code = code
        bytes = Array(code.utf8)
    }

    /// The whole expression.
    mutating func unit() throws(UCUMError) -> UnitTerm {
        guard bytes.count <= Self.maximumLength else {
            throw malformed("it is longer than \(Self.maximumLength) bytes")
        }
        guard !bytes.isEmpty else { throw malformed("it is empty") }
        let term = try expression()
        guard position == bytes.count else { throw malformed("“\(character)” is not expected") }
        return term
    }

    private mutating func expression() throws(UCUMError) -> UnitTerm {
        var result = UnitTerm()
        var divides = take("/")
        var isAlone = !divides
        while true {
            let component = try component()
            if isAlone, peek != UInt8(ascii: "."), peek != UInt8(ascii: "/") {
                return component
            }
            isAlone = false
            // A unit with a zero or a logarithm of its own is not a ratio, so that it has no products.
            guard component.scale.isRatio else {
                throw malformed("a unit on a scale of its own stands alone")
            }
            result.factor = divides ? result.factor / component.factor : result.factor * component.factor
            result.dimension =
                result.dimension * (divides ? component.dimension.raised(to: -1) : component.dimension)
            if take(".") {
                divides = false
            } else if take("/") {
                divides = true
            } else {
                return result
            }
        }
    }

    private mutating func component() throws(UCUMError) -> UnitTerm {
        if take("(") {
            depth += 1
            guard depth <= Self.maximumDepth else { throw malformed("parentheses are nested too deep") }
            let term = try expression()
            guard take(")") else { throw malformed("“)” is expected") }
            depth -= 1
            try skipAnnotations()
            return term
        }
        if peek == UInt8(ascii: "{") {
            try skipAnnotations()
            return UnitTerm()
        }
        let start = position
        // `10*` and `10^` are units; other numbers are factors.
        if bytes.count > position + 2, bytes[position] == UInt8(ascii: "1"),
            bytes[position + 1] == UInt8(ascii: "0"),
            bytes[position + 2] == UInt8(ascii: "*") || bytes[position + 2] == UInt8(ascii: "^")
        {
            position += 3
            var term = UnitTerm()
            term.factor = .ten(toThe: try exponent() ?? 1)
            try skipAnnotations()
            return term
        }
        if let digit = peek, Self.isDigit(digit) {
            while let digit = peek, Self.isDigit(digit) { position += 1 }
            guard position - start <= 18, let number = Int128(text(from: start)), number > 0 else {
                throw malformed("a factor has 1 to 18 digits and is not zero", at: start)
            }
            var term = UnitTerm()
            term.factor = UnitFactor(number)
            try skipAnnotations()
            return term
        }
        let name = try symbol()
        guard var term = Self.atom(named: name) else {
            throw .unknownUnit(code: code, name: name, offset: start)
        }
        if let exponent = try exponent() {
            guard term.scale.isRatio else {
                throw malformed("a unit on a scale of its own has no powers", at: start)
            }
            term.factor = term.factor.raised(to: exponent)
            term.dimension = term.dimension.raised(to: exponent)
        }
        try skipAnnotations()
        return term
    }

    /// The name of a unit, up to a digit, an operator or an annotation; what is in brackets belongs to it.
    private mutating func symbol() throws(UCUMError) -> String {
        let start = position
        var isBracketed = false
        while let byte = peek {
            guard byte > 32, byte < 127 else { throw malformed("only ASCII without blanks is allowed") }
            if byte == UInt8(ascii: "[") {
                isBracketed = true
            } else if byte == UInt8(ascii: "]") {
                isBracketed = false
            } else if !isBracketed {
                let ends = Self.isDigit(byte) || "+-./(){}".utf8.contains(byte)
                if ends { break }
            }
            position += 1
        }
        guard !isBracketed else { throw malformed("“]” is missing", at: start) }
        guard position > start else {
            throw malformed(position < bytes.count ? "“\(character)” is not expected" : "a unit is expected")
        }
        return text(from: start)
    }

    private mutating func exponent() throws(UCUMError) -> Int? {
        let start = position
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        let digits = position
        while let digit = peek, Self.isDigit(digit) { position += 1 }
        if position == start { return nil }
        guard position > digits, position - digits <= 2, let number = Int(text(from: digits)) else {
            throw malformed("an exponent has one or two digits", at: start)
        }
        return isNegative ? -number : number
    }

    private mutating func skipAnnotations() throws(UCUMError) {
        while take("{") {
            while let byte = peek, byte != UInt8(ascii: "}") {
                guard byte != UInt8(ascii: "{"), byte >= 32, byte < 127 else {
                    throw malformed("an annotation is ASCII without braces")
                }
                position += 1
            }
            guard take("}") else { throw malformed("“}” is missing") }
        }
    }

    /// The unit of a name: as it stands, else with its prefix.
    private static func atom(named name: String) -> UnitTerm? {
        let table = UnitTable.shared
        if let atom = table.atoms[name] { return atom.term }
        for length in 1...2 where name.utf8.count > length {
            let prefix = String(decoding: name.utf8.prefix(length), as: UTF8.self)
            let rest = String(decoding: name.utf8.dropFirst(length), as: UTF8.self)
            guard let factor = UnitTable.prefixes[prefix], let atom = table.atoms[rest], atom.isMetric else {
                continue
            }
            var term = atom.term
            switch term.scale {
            case .logarithm(let base, let multiplier, let inner):
                term.scale = .logarithm(base: base, multiplier: multiplier, prefix: inner * factor)
            case .offset(let numerator, let denominator):
                // The zero of a millidegree Celsius is 273,150 of its own units above absolute zero.
                let inverse = factor.inverse
                guard inverse.isExact, inverse.tens >= 0, inverse.tens < 9 else { return nil }
                var scaled = numerator
                for _ in 0..<inverse.tens { scaled *= 10 }
                term.scale = .offset(numerator: scaled * Int(inverse.numerator), denominator: denominator)
                term.factor = term.factor * factor
            case .ratio, .tangent: term.factor = term.factor * factor
            }
            return term
        }
        return nil
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    private var character: Character {
        String(decoding: bytes[position...], as: UTF8.self).first ?? " "
    }

    private func malformed(_ reason: String, at offset: Int? = nil) -> UCUMError {
        .malformed(code: code, reason: reason, offset: offset ?? position)
    }
}

import IndivoBase

/// Names for the variables and forms of statistics programs.
enum ExportNames {
    /// Words that Stata keeps for itself, and columns that each export has.
    static let reserved: Set<String> = [
        "aggregate", "array", "boolean", "break", "byte", "case", "catch", "class", "colvector", "complex",
        "const", "continue", "default", "delegate", "delete", "do", "double", "else", "eltypedef", "end",
        "enum", "explicit", "export", "external", "float", "for", "friend", "function", "global", "goto",
        "if", "in", "inline", "int", "local", "long", "mata", "matrix", "namespace", "new", "null",
        "numeric", "operator", "orgtypedef", "pointer", "polymorphic", "pragma", "private", "protected",
        "public", "quad", "real", "return", "rowvector", "scalar", "short", "signed", "static", "strl",
        "string", "struct", "super", "switch", "template", "this", "throw", "transmorphic", "try", "typedef",
        "typename", "union", "unsigned", "using", "vector", "version", "virtual", "void", "volatile", "with",
        "participant", "response", "authored", "status", "complete", "record_id",
    ]

    /// Lower-case letters, digits and `_`, a letter first; `_` is neither last nor doubled.
    static func variable(_ text: String, first: String = "v") -> String {
        var name = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x61...0x7A: name.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x41...0x5A: name.unicodeScalars.append(Unicode.Scalar(byte + 0x20))
            default: if !name.hasSuffix("_"), !name.isEmpty { name += "_" }
            }
        }
        while name.hasSuffix("_") { name.removeLast() }
        guard let start = name.utf8.first else { return first }
        let isNumbered = name.hasPrefix("str") && name.dropFirst(3).utf8.allSatisfy { $0 < 0x3A }
        return start.isASCIIDigit || isNumbered ? "\(first)_\(name)" : name
    }
}

/// Names that are told apart: one that is taken gets a number, one that is too long a digest.
struct UniqueNames {
    private let maximumLength: Int
    private var taken: Set<String>

    init(maximumLength: Int, reserved: Set<String> = []) {
        self.maximumLength = maximumLength
        taken = reserved
    }

    /// A name that nothing else has.
    mutating func unique(_ name: String) -> String {
        var candidate = shortened(name, name)
        var number = 1
        while !taken.insert(candidate).inserted {
            number += 1
            candidate = shortened("\(name)_\(number)", name)
        }
        return candidate
    }

    /// - Parameter whole: What the digest is of, beside the number that it ends with.
    private func shortened(_ name: String, _ whole: String) -> String {
        guard name.utf8.count > maximumLength else { return name }
        var start = String(decoding: name.utf8.prefix(maximumLength - 9), as: UTF8.self)
        while start.hasSuffix("_") { start.removeLast() }
        return start + "_" + ConceptNames.digest(name).prefix(8)
    }
}

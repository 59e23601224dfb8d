/// A value set, with all its codes.
public struct DefinedValueSet: Sendable {
    /// A code.
    public struct Code: Sendable, Hashable {
        /// The URL of the code system.
        public let system: String
        /// The code itself.
        public let code: String
        /// What people read; the code where the system has nothing else.
        public let display: String
        /// Whether it only groups others and is not a value itself.
        public let isAbstract: Bool
    }

    /// The end of the URL.
    public let name: String
    /// The codes, in the order of the specification.
    public let codes: [Code]
    private let selectable: Set<String>

    public var url: String { "http://hl7.org/fhir/ValueSet/" + name }

    /// Whether a code, of whatever system, is a value of the set.
    public func contains(code: String) -> Bool { selectable.contains(code) }

    /// Whether a code of a system is a value of the set.
    public func contains(system: String, code: String) -> Bool {
        selectable.contains(code)
            && codes.contains { $0.code == code && $0.system == system && !$0.isAbstract }
    }

    private init(name: String, codes: [Code]) {
        self.name = name
        self.codes = codes
        selectable = Set(codes.lazy.filter { !$0.isAbstract }.map(\.code))
    }

    /// Reads a block of a table: the name without indent, systems by one space, codes by two.
    ///
    /// - Parameter others: The codes of a system that another value set lists.
    fileprivate init?(_ block: Substring, others: (_ name: String, _ system: String) -> [Code]) {
        var name: String?
        var system = ""
        var codes: [Code] = []
        for line in block.parts(separatedBy: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == " " }
            switch line.indent {
            case 0: name = String(text)
            case 1:
                let words = text.words
                system = String(words[0])
                if words.count > 1, words[1].hasPrefix("=") {
                    codes += others(String(words[1].dropFirst()), system)
                }
            default:
                let parts = text.parts(separatedBy: UInt8(ascii: "\t"), maximum: 1)
                let isAbstract = parts[0].hasPrefix("-")
                let code = String(isAbstract ? parts[0].dropFirst() : parts[0])
                codes.append(
                    Code(
                        system: system,
                        code: code,
                        display: parts.count > 1 ? String(parts[1]) : code,
                        isAbstract: isAbstract
                    )
                )
            }
        }
        guard let name else { return nil }
        self.init(name: name, codes: codes)
    }
}

/// The value sets of tables by name, each read when it is asked for.
public struct ValueSetTable: Sendable {
    private let indices: [TableIndex]

    /// - Parameter tables: `schemas/fhir/README.md` describes the format.
    public init(_ tables: [String]) { indices = tables.map(TableIndex.init) }

    /// The names, in the order of the tables.
    public var names: [String] { indices.flatMap(\.names) }

    /// The value set with a name: the end of its URL.
    public subscript(name: String) -> DefinedValueSet? { valueSet(name, depth: 0) }

    private func valueSet(_ name: String, depth: Int) -> DefinedValueSet? {
        guard depth < 8, let block = indices.lazy.compactMap({ $0[name] }).first else { return nil }
        return DefinedValueSet(block) { other, system in
            valueSet(other, depth: depth + 1)?.codes.filter { $0.system == system } ?? []
        }
    }
}

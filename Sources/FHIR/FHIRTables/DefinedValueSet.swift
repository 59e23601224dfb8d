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
        /// Whether it only groups others and is no value itself.
        public let isAbstract: Bool
    }

    /// The end of the URL.
    public let name: String
    /// The codes, in the order of the specification.
    public let codes: [Code]
    private let selectable: Set<String>

    /// The URL.
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

    /// Reads a table: names without indent, systems by one space, codes by two.
    static func read(_ table: String) throws(TableError) -> [String: DefinedValueSet] {
        var sets: [String: DefinedValueSet] = [:]
        var name: String?
        var system: String?
        var codes: [Code] = []
        for line in table.tableLines {
            let text = line.drop { $0 == " " }
            switch line.utf8.count - text.utf8.count {
            case 0:
                if let name { sets[name] = DefinedValueSet(name: name, codes: codes) }
                name = String(text)
                system = nil
                codes = []
            case 1 where name != nil:
                system = String(text)
            default:
                guard let system else {
                    throw TableError(line: String(line), reason: "a code without a system")
                }
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
        if let name { sets[name] = DefinedValueSet(name: name, codes: codes) }
        return sets
    }
}

/// A search parameter of a resource.
public struct SearchParameter: Sendable, Hashable {
    /// How values are compared.
    public enum Kind: String, Sendable {
        case number
        /// By range of time.
        case date
        /// By the beginning of a text.
        case string
        /// By code and system.
        case token
        /// By the resource that is referred to.
        case reference
        /// By several values that belong together.
        case composite
        /// By number and unit.
        case quantity
        /// By the whole text.
        case uri
        /// In a way of its own.
        case special
    }

    /// One of the parts of a composite parameter.
    public struct Component: Sendable, Hashable {
        /// The parameter that the part is compared as.
        public let name: String
        /// In FHIRPath, from each value of the composite's expression.
        public let expression: String
    }

    /// The resource's name; `Resource` and `DomainResource` for parameters that all have.
    public let resource: String
    /// What a query calls it.
    public let name: String
    /// How values are compared.
    public let kind: Kind
    /// The resources that a reference may be to; empty for other kinds.
    public let targets: [String]
    /// Where the values are, in FHIRPath; `nil` for parameters that are computed.
    public let expression: String?
    /// The parts of a composite parameter.
    public let components: [Component]

    /// Reads a table.
    ///
    /// - Throws: ``TableError``, with the line.
    package static func read(_ table: String) throws(TableError) -> [SearchParameter] {
        let everything = Definitions.r4.resourceNames.sorted()
        var parameters: [SearchParameter] = []
        for line in table.tableLines {
            let parts = line.parts(separatedBy: UInt8(ascii: "\t")).map(String.init)
            guard parts.count >= 5, let kind = Kind(rawValue: parts[2]) else {
                throw TableError(line: String(line), reason: "not a search parameter")
            }
            let components = parts[5...].map { text in
                let pair = text.parts(separatedBy: UInt8(ascii: "="), maximum: 1).map(String.init)
                return Component(name: pair[0], expression: pair.count > 1 ? pair[1] : "")
            }
            parameters.append(
                SearchParameter(
                    resource: parts[0],
                    name: parts[1],
                    kind: kind,
                    targets: parts[3] == "-" ? [] : parts[3] == "*" ? everything : parts[3].listed,
                    expression: parts[4] == "-" ? nil : parts[4],
                    components: components
                )
            )
        }
        return parameters
    }
}

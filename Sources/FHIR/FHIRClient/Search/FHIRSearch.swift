import IndivoBase

/// The parameters of a search, or the condition of a conditional interaction.
public struct FHIRSearch: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The parameters, in order; all conditions count.
    public var parameters: [FHIRSearchParameter]

    public init(_ parameters: [FHIRSearchParameter] = []) { self.parameters = parameters }

    public init(arrayLiteral parameters: FHIRSearchParameter...) { self.parameters = parameters }

    /// The parameters of a query as it stands in a URL, as in
    /// `code=http%3A%2F%2Floinc.org%7C29463-7&_count=5`.
    public init(query: String) {
        parameters = FormParameters(decoding: query).map { .raw($0.name, $0.value) }
    }

    /// Names and values, before percent-encoding.
    var form: FormParameters {
        FormParameters(parameters.map { FormParameters.Element(name: $0.name, value: $0.value) })
    }

    /// The query as it stands in a URL, in `If-None-Exist` and in a bundle's `ifNoneExist`.
    public var query: String { form.encoded }

    /// Whether it has a condition, and not only parameters about the result.
    var hasCondition: Bool {
        parameters.contains { parameter in
            let name = parameter.name.prefix { $0 != ":" }
            return !parameter.value.isEmpty && !Self.resultParameters.contains(String(name))
        }
    }

    private static let resultParameters: Set = [
        "_sort", "_count", "_include", "_revinclude", "_summary", "_elements", "_total", "_contained",
        "_containedType",
        "_format", "_pretty",
    ]
}

/// One thing a server would refuse about a document.
public struct ValidationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The data model.
    public let model: String
    /// The property's path, such as `fulfillments[0].date`; empty where the reason names an element of XML.
    public let property: String
    /// What is wrong, and what would be right. It may quote the document.
    public let reason: String
    /// The line of the source, from 1, where the document was read from one: of the field, or of its document.
    public let line: Int?
    /// The reason as far as it does not quote the document.
    package let rule: String

    init(model: String, property: String, reason: String, line: Int?, rule: String = "has a problem") {
        self.model = model
        self.property = property
        self.reason = reason
        self.line = line
        self.rule = rule
    }

    public var description: String { "\(place): \(reason)" }

    /// The model and the property.
    package var place: String { property.isEmpty ? model : "\(model).\(property)" }
}

/// Everything a server would refuse about a document, at once.
public struct ValidationError: Error, Hashable, CustomStringConvertible {
    /// Everything that a server would refuse.
    public let problems: [ValidationProblem]

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

import IndivoXML

// Dates and codes can be read from any node: `try node.attr("at", as: XMLDateTime.self)`.

extension XMLDate: XMLTextReadable {}
extension XMLDateTime: XMLTextReadable {}
extension XMLTime: XMLTextReadable {}
extension XMLPartialDate: XMLTextReadable {}
extension XMLDuration: XMLTextReadable {}
extension CodeSystem: XMLTextReadable {}

extension XMLTextReadable where Self: LexicalValue {
    public init?(xmlText: String) {
        guard let value = try? Self(lexical: xmlText) else { return nil }
        self = value
    }
}

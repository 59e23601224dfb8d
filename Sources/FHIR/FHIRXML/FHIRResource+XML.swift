import FHIR
import IndivoXML
import OrderedJSON

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension FHIRResource {
    /// Parses a resource's XML.
    ///
    /// ```swift
    /// let patient = try Patient(parsingXML: data)
    /// let json = patient.json()
    /// ```
    ///
    /// What is read becomes the same tree as the resource's JSON. Comments and processing instructions
    /// outside the narrative are left out, and so is `xsi:schemaLocation`. A document type, and elements and
    /// attributes that the types do not have, are errors. A value that does not fit its type becomes a
    /// string, which `issues()` reports.
    ///
    /// - Parameter limits: What the text may have at most. Elements can be nested 256 deep at most.
    /// - Throws: ``FHIRXMLError``.
    public init(
        parsingXML xml: some Sequence<UInt8>,
        limits: XMLLimits = XMLLimits()
    ) throws(FHIRXMLError) {
        self = try Self.parse(xml: xml, limits: limits).resource
    }

    /// Parses a resource's XML, and keeps where its parts are.
    ///
    /// - Throws: ``FHIRXMLError``.
    public static func parse(
        xml: some Sequence<UInt8>,
        limits: XMLLimits = XMLLimits()
    ) throws(FHIRXMLError) -> (resource: Self, locations: FHIRXMLLocations) {
        let parsed = try FHIRXMLReader.read(Array(xml), limits: limits)
        if let resource = Self(tree: parsed.tree) { return (resource, parsed.locations) }
        let reason = FHIRXMLError.Reason.wrongType(
            expected: Self.typeName,
            found: parsed.tree.resourceType
        )
        throw FHIRXMLError(reason: reason, path: "", line: nil, column: nil)
    }

    /// Parses a resource's XML.
    ///
    /// - Throws: ``FHIRXMLError``.
    public init(parsingXML xml: String, limits: XMLLimits = XMLLimits()) throws(FHIRXMLError) {
        try self.init(parsingXML: xml.utf8, limits: limits)
    }

    /// The resource's XML in UTF-8.
    ///
    /// Elements are in the order of the definitions, which XML demands; narrative is written as it is. Read
    /// again it is the same resource.
    ///
    /// - Throws: ``FHIRXMLError`` for what XML cannot carry: unknown members, `null` and empty arrays, JSON
    ///   of another kind than the type's, control characters.
    public func xml(_ style: XMLStyle = .compact) throws(FHIRXMLError) -> Data {
        var writer = FHIRXMLWriter(style: style)
        try writer.writeDocument(tree)
        return Data(writer.output)
    }
}

import OrderedJSON

/// What becomes of the data that somebody gave who leaves a study.
public enum WithdrawnData: String, Sendable, Hashable, CaseIterable {
    /// They are erased.
    case erased
    /// They stay in the study; nothing that comes later is taken.
    case kept

    private static let url = "http://indivo.org/vocab/fhir/withdrawn-data"

    /// The extension that says so in a Contract or Consent that is revoked. Its `valueCode` is `erased` or
    /// `kept`.
    public var fhirExtension: JSONValue { ["url": JSONValue(Self.url), "valueCode": JSONValue(rawValue)] }

    /// What a Contract or Consent that is revoked says; `nil` where it leaves that to the study.
    ///
    /// - Throws: ``StudyError/malformed(format:offset:reason:)`` for another code.
    public init?(of resource: JSONValue) throws(StudyError) {
        let extensions = resource.elements(of: "extension")
        guard let found = extensions.first(where: { $0["url"]?.string == Self.url }) else { return nil }
        guard let data = found["valueCode"]?.string.flatMap(Self.init(rawValue:)) else {
            throw .malformed(
                format: "withdrawal",
                reason: "\(Self.url) has the valueCode erased or kept"
            )
        }
        self = data
    }
}

#if SMART
import FHIR
import Foundation
import IndivoBase
import OrderedJSON

/// What a launch is about: the patient and the encounter in context, and how the app is to show itself (SMART
/// App Launch 2.2, "Launch context arrives with your access_token").
public struct SMARTContext: Sendable, Hashable, Codable {
    /// A further resource in context: an element of `fhirContext`.
    public struct Item: Sendable, Hashable, Codable {
        /// A relative reference, as in `ImagingStudy/123`.
        public var reference: String?
        /// A canonical URL.
        public var canonical: String?
        /// The type of the resource.
        public var type: String?
        /// What it is there for; `launch` unless said otherwise.
        public var role: String?
    }

    /// The id of the patient.
    public var patient: String?
    /// The id of the encounter.
    public var encounter: String?
    /// Whether the app shows who the patient is, since nothing around it does.
    public var needPatientBanner: Bool?
    /// Where the style of the health record is described.
    public var styleURL: URL?
    /// What the user wants to do, in words that health record and app agree on.
    public var intent: String?
    /// The tenant of the health record.
    public var tenant: String?
    /// Further resources in context.
    public var fhirContext: [Item] = []

    /// No context.
    public init() {}

    /// The context in a token response.
    /// - Throws: What is wrong, as a text.
    init(_ json: JSONValue) throws(FHIRAuthorizationError) {
        patient = try Self.id("patient", json)
        encounter = try Self.id("encounter", json)
        needPatientBanner = json["need_patient_banner"]?.boolean
        styleURL = json["smart_style_url"]?.string.flatMap { URL(string: $0) }
        intent = json["intent"]?.string
        tenant = json["tenant"]?.string
        fhirContext = json.elements(of: "fhirContext").prefix(1_000).map { item in
            Item(
                // Servers of version 2.0 have bare references.
                reference: item.string ?? item["reference"]?.string,
                canonical: item["canonical"]?.string,
                type: item["type"]?.string,
                role: item["role"]?.string
            )
        }
    }

    private static func id(_ name: String, _ json: JSONValue) throws(FHIRAuthorizationError) -> String? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let id = value.string, (1...64).contains(id.utf8.count), id != ".", id != "..",
            id.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == 0x2D || $0 == 0x2E })
        else { throw FHIRAuthorizationError("the token response's \(name) is no id of a resource") }
        return id
    }
}

/// Who is logged in, by an ID token that was verified.
public struct SMARTUser: Sendable, Hashable, Codable {
    /// The server's name for the person (`sub`).
    public let subject: String
    /// The URL of the person's Patient, Practitioner, RelatedPerson or Person (`fhirUser`).
    public let fhirUser: String?
}
#endif

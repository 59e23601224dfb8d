import FHIR
import Foundation
import OrderedJSON
import StudyFormats

extension SignedConsent {
    private var reference: Reference<Patient> { Reference("Patient/\(participant.uuidString)") }
    private var sharesWidely: Bool? { document.sharing.isEmpty ? nil : sharing.values.contains(true) }

    /// What identifies document and version: `Contract.identifier`, `Consent.sourceReference`.
    private var identifier: Identifier { Identifier(system: "urn:ietf:rfc:3986", value: document.urn) }

    /// The Contract in FHIR R4, in the shape that C3-PRO gives it: the document's sections as terms, the
    /// consent's date, and a signer without name and image.
    public func contract() -> Contract {
        var contract = Contract()
        contract.language = document.language
        contract.identifier = [identifier]
        contract.version = document.version
        contract.status = .executed
        contract.applies = Period(start: signedAt.dateTime)
        contract.title = document.title
        contract.type = .code("consent", system: "http://terminology.hl7.org/CodeSystem/contract-type")
        if !document.organization.isEmpty {
            var organization = Organization()
            organization.id = "authority"
            organization.name = document.organization
            contract.contained = [AnyResource(organization)]
            contract.authority = [Reference("#authority")]
        }
        contract.term = document.sections.map { section in
            var offer = Contract.Term.Offer()
            offer.text = section.text.isEmpty ? section.summary : section.text
            var term = Contract.Term(offer: offer)
            term.type = CodeableConcept(
                Coding(
                    system: "http://researchkit.org/docs/Constants/ORKConsentSectionType",
                    code: section.kind
                ),
                text: section.title
            )
            term.text = section.summary
            return term
        }
        let signature = Signature(
            type: [
                Coding(
                    system: "urn:iso-astm:E1762-95:2013",
                    code: "1.2.840.10065.1.12.1.7",
                    display: "Consent Signature"
                )
            ],
            when: signedAt,
            who: reference.to(AnyResource.self)
        )
        var signer = Contract.Signer(
            type: Coding(
                system: "http://terminology.hl7.org/CodeSystem/contractsignertypecodes",
                code: "CONSENTER",
                display: "Consenter"
            ),
            party: reference.to(AnyResource.self),
            signature: [signature]
        )
        if let sharesWidely {
            signer.extension = [Extension(url: Self.sharingURL, value: .boolean(sharesWidely))]
        }
        contract.signer = [signer]
        return contract
    }

    private static let sharingURL: FHIRURI =
        "http://fhir-registry.smarthealthit.org/StructureDefinition/consents-to-data-sharing"

    private static let sectionURL =
        "http://fhir-registry.smarthealthit.org/StructureDefinition/ORKConsentSection"

    /// The Contract as C3-PRO's phones send it (FHIR STU3): the definition with date and signer added, or
    /// ``contract()`` in STU3's terms. It has no id: a server gives one.
    public func c3ProContract() -> JSONValue {
        var json: JSONValue
        let made = contract()
        if let definition = document.definition {
            json = definition
            json["id"] = nil
        } else {
            json = ["resourceType": "Contract"]
            json["contained"] = made.tree["contained"]
            json["identifier"] = identifier.tree
            json["issued"] = signedAt.tree
            json["type"] = [
                "coding": [["system": "http://hl7.org/fhir/contracttypecodes", "code": "consent"]]
            ]
            json["authority"] = made.tree["authority"]
            json["term"] = JSONValue(
                zip(document.sections, made.term).map { section, term in
                    var json: JSONValue = ["type": ["coding": JSONValue(term.type?.coding.map(\.tree) ?? [])]]
                    json["text"] = section.summary.map { JSONValue($0) }
                    json["extension"] = [
                        [
                            "url": JSONValue(Self.sectionURL),
                            "extension": [
                                ["url": "title", "valueString": JSONValue(section.title)],
                                ["url": "htmlContent", "valueString": JSONValue(Self.html(section.text))],
                            ],
                        ]
                    ]
                    return json
                }
            )
        }
        json["applies"] = made.applies?.tree
        var signer = made.signer[0].tree
        signer["type"] = [
            "system": "http://hl7.org/fhir/ValueSet/contract-signer-type", "code": "CONSENTER",
            "display": "consenter",
        ]
        signer["signature"] = [
            [
                "type": [
                    [
                        "system": "http://hl7.org/fhir/ValueSet/signature-type",
                        "code": "1.2.840.10065.1.12.1.7",
                        "display": "Consent Signature",
                    ]
                ],
                "when": signedAt.tree, "whoReference": reference.tree,
            ]
        ]
        json["signer"] = [signer]
        return json
    }

    /// The Contract as C3-PRO's published consumer stores it (FHIR DSTU2): one signer, whose signature is the
    /// participant's id, and a time in UTC with a fraction of a second.
    public func dstu2Contract() -> JSONValue {
        let time = FHIRDateTime(signedAt.date).description.prefix { $0 != "." && $0 != "Z" }
        var signer: JSONValue = [
            "type": [
                [
                    "system": "http://hl7.org/fhir/ValueSet/contract-signer-type", "code": "CONSENTER",
                    "display": "consenter",
                ]
            ],
            "party": reference.tree, "signature": JSONValue(participant.uuidString.lowercased()),
        ]
        if let sharesWidely {
            signer["extension"] = [
                ["url": JSONValue(Self.sharingURL.rawValue), "valueBoolean": JSONValue(sharesWidely)]
            ]
        }
        return [
            "resourceType": "Contract", "identifier": identifier.tree,
            "applies": ["start": JSONValue("\(time).00Z")], "signer": [signer],
        ]
    }

    private static func html(_ text: String) -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
            ">",
            with: "&gt;"
        )
        return escaped.split(separator: "\n").map { "<p>\($0)</p>" }.joined()
    }

    /// The Consent in FHIR R4: active, for research; what is not shared is denied to its recipient.
    public func consent() -> Consent {
        var consent = Consent(
            status: .active,
            scope: .code(
                "research",
                system: "http://terminology.hl7.org/CodeSystem/consentscope",
                "Research"
            ),
            category: [.loinc("59284-0", "Consent Document")]
        )
        consent.language = document.language
        consent.identifier = [
            Identifier(
                system: "urn:ietf:rfc:3986",
                value: "\(document.urn):\(participant.uuidString.lowercased())"
            )
        ]
        consent.patient = reference
        consent.dateTime = signedAt.dateTime
        consent.performer = [reference.to(AnyResource.self)]
        if !document.organization.isEmpty {
            var organization = Reference<Organization>(view: [:])
            organization.display = document.organization
            consent.organization = [organization]
        }
        consent.source = .reference(
            Reference(identifier: identifier, display: "\(document.title), version \(document.version)")
        )
        consent.policyRule = .code(
            "OPTIN",
            system: "http://terminology.hl7.org/CodeSystem/v3-ActCode",
            "opt-in"
        )
        // The root has no type: permit is what the policy says (FHIR R4, Consent.provision.type).
        var provision = Consent.Provision()
        provision.period = Period(start: signedAt.dateTime)
        provision.purpose = [
            Coding(
                system: "http://terminology.hl7.org/CodeSystem/v3-ActReason",
                code: "HRESCH",
                display: "healthcare research"
            )
        ]
        provision.provision = document.sharing.map { choice in
            var part = Consent.Provision()
            part.type = sharing[choice.id] == true ? .permit : .deny
            var recipient = Reference<AnyResource>(view: [:])
            recipient.display = choice.recipient
            part.actor = [
                Consent.Provision.Actor(
                    role: .code(
                        "IRCP",
                        system: "http://terminology.hl7.org/CodeSystem/v3-ParticipationType",
                        "information recipient"
                    ),
                    reference: recipient
                )
            ]
            part.action = [
                .code("disclose", system: "http://terminology.hl7.org/CodeSystem/consentaction", "Disclose")
            ]
            return part
        }
        consent.provision = provision
        return consent
    }
}

extension ConsentDocument {
    /// Names the document and its version: `urn:x-consent:STUDY:ID:VERSION`, percent-encoded.
    public var urn: String {
        let ascii = CharacterSet(charactersIn: "\0"..."\u{7F}")
        let allowed = CharacterSet(charactersIn: "-._").union(.alphanumerics.intersection(ascii))
        func escaped(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        }
        return "urn:x-consent:\(escaped(study)):\(escaped(id)):\(escaped(version))"
    }
}

import FHIR
import FHIRTables
import IndivoBase
import OrderedJSON

/// What of a participant's resources leaves a study, or is kept in its warehouse, beside a pseudonym.
///
/// ```swift
/// let released = Disclosure(freeText: .omitted).released(resource, of: ParticipantID(id))
/// ```
/// The elements are found by their types, at any depth, in contained resources and extensions too. Members
/// that FHIR's tables do not have are left out, since nobody knows what is in them.
public struct Disclosure: Sendable, Hashable {
    /// What becomes of names of people and devices.
    public enum Identities: String, Sendable, Hashable, CaseIterable {
        /// They are taken out: `HumanName`, `ContactPoint`, `Address`, `Identifier`, `Narrative` and
        /// `Signature`, displays of references and references to people, devices and places, authors of
        /// notes, and everything but the kind of contained people and devices.
        case removed
        /// They stay.
        case kept
    }

    /// What becomes of texts in the participant's own words.
    public var freeText: ResponseMapper.FreeText
    /// What becomes of names of people and devices.
    public var identities: Identities

    /// The defaults take out names, and leave texts.
    public init(freeText: ResponseMapper.FreeText = .loaded, identities: Identities = .removed) {
        self.freeText = freeText
        self.identities = identities
    }

    /// A resource without what is not disclosed. Required elements and values that are left out become the
    /// extension `data-absent-reason` with the code `masked`.
    ///
    /// - Parameter participant: The participant, by the id that the resource uses: references to it stay.
    public func released(_ resource: JSONValue, of participant: ParticipantID?) -> JSONValue {
        guard identities == .removed || freeText == .omitted else { return resource }
        var released = resource
        if identities == .removed, let id = resource["id"]?.string {
            released["id"] = JSONValue(Self.releasedID(id))
        }
        return ResourceRedaction(disclosure: self, participant: participant).resource(released) ?? [:]
    }

    /// An app may make ids of names. A digest is a valid id, and the same each time.
    private static func releasedID(_ id: String) -> String {
        Hexadecimal.isEncoded(id, bytes: 32) ? id : ConceptNames.digest("study resource\n" + id)
    }
}

/// One pass over a resource, guided by FHIR's definitions.
private struct ResourceRedaction {
    let disclosure: Disclosure
    let participant: ParticipantID?

    private var removesIdentities: Bool { disclosure.identities == .removed }
    private var omitsText: Bool { disclosure.freeText == .omitted }

    /// The resource; `nil` for one of an unknown type.
    func resource(_ json: JSONValue) -> JSONValue? {
        guard let name = json["resourceType"]?.string, let type = Definitions.r4.type(named: name),
            type.kind == .resource
        else {
            return nil
        }
        return object(json, type)
    }

    /// An object with what is disclosed of it; `nil` where nothing is.
    private func object(_ json: JSONValue, _ type: DefinedType) -> JSONValue? {
        guard let members = json.members else { return nil }
        if type.name == "Extension", !isDisclosed(extension: json) { return nil }
        var kept: [JSONMember] = []
        var masked: [(name: String, element: DefinedElement, isPrimitive: Bool)] = []
        for member in members {
            let name = member.name
            if name == "resourceType" {
                kept.append(member)
                continue
            }
            let isCompanion = name.hasPrefix("_")
            guard let found = type.member(named: isCompanion ? String(name.dropFirst()) : name) else {
                continue
            }
            let element = type.elements[found.element]
            let elementType = element.types[found.type]
            if let value = released(
                member.value,
                as: elementType,
                of: element,
                in: type,
                json,
                isCompanion: isCompanion
            ) {
                kept.append(JSONMember(name: name, value: value))
            } else if !isCompanion, element.minimum > 0 || element.name == "value" {
                masked.append((name, element, Definitions.r4.types[elementType.id].kind == .primitive))
            }
        }
        if type.name == "Extension" {
            // A URL alone says nothing.
            return kept.contains { $0.name != "url" && $0.name != "id" } ? JSONValue(members: kept) : nil
        }
        // A note without its text, or a reference without its target, says nothing.
        let isEmptied = masked.isEmpty ? kept.isEmpty : Self.needsAll.contains(type.name)
        if isEmptied || type.name == "Reference" && !kept.contains(where: { Self.ends.contains($0.name) }) {
            return nil
        }
        for (name, element, isPrimitive) in masked {
            let value = element.isList ? JSONValue([Self.mask]) : Self.mask
            let shown = isPrimitive ? "_" + name : name
            kept.removeAll { $0.name == shown }
            kept.append(JSONMember(name: shown, value: value))
        }
        return JSONValue(members: kept)
    }

    /// Types whose parts say nothing alone.
    private static let needsAll: Set = ["Annotation", "Narrative", "Attachment"]
    /// The members of which a reference needs one.
    private static let ends: Set = ["reference", "identifier", "display", "extension"]

    private static let mask: JSONValue = [
        "extension": [
            ["url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "masked"]
        ]
    ]

    /// What is disclosed of a member; `nil` for nothing.
    private func released(
        _ value: JSONValue,
        as elementType: ElementType,
        of element: DefinedElement,
        in owner: DefinedType,
        _ json: JSONValue,
        isCompanion: Bool
    ) -> JSONValue? {
        guard isDisclosed(element, elementType, in: owner, json) else { return nil }
        if let elements = value.elements {
            // Texts and their companions are in pairs.
            let isPrimitive = Definitions.r4.types[elementType.id].kind == .primitive
            let released = elements.map { single($0, elementType, isCompanion: isCompanion) }
            guard released.contains(where: { $0 != nil }) else { return nil }
            return JSONValue(isPrimitive ? released.map { $0 ?? .null } : released.compactMap { $0 })
        }
        return single(value, elementType, isCompanion: isCompanion)
    }

    private func single(_ value: JSONValue, _ elementType: ElementType, isCompanion: Bool) -> JSONValue? {
        if isCompanion { return Definitions.r4.type(named: "Element").flatMap { object(value, $0) } }
        let type = Definitions.r4.types[elementType.id]
        switch type.kind {
        // A primitive's value is no container, whatever stands there.
        case .primitive: return value.members == nil && value.elements == nil ? value : nil
        case .resource: return resource(value)
        case .datatype, .profile, .nested: return object(value, type)
        }
    }

    // MARK: What is disclosed

    private func isDisclosed(
        _ element: DefinedElement,
        _ elementType: ElementType,
        in owner: DefinedType,
        _ json: JSONValue
    ) -> Bool {
        if removesIdentities, isIdentity(element, elementType.code, in: owner, json) { return false }
        return !omitsText || !isText(element, elementType.code, in: owner)
    }

    /// Datatypes that name or reach somebody.
    private static let identityTypes: Set = [
        "HumanName", "ContactPoint", "Address", "Identifier", "Narrative", "Signature", "ContactDetail",
        "Contributor",
    ]
    /// The elements of people, devices and places that say no more than their kind.
    private static let kinds: [String: Set<String>] = [
        "Patient": ["id", "active", "gender"], "Person": ["id", "active", "gender"],
        "RelatedPerson": ["id", "active", "gender", "relationship"],
        "Practitioner": ["id", "active", "gender"],
        "PractitionerRole": ["id", "active", "code", "specialty"], "Organization": ["id", "active", "type"],
        "Location": ["id", "status", "mode", "type", "physicalType"],
        "Device": ["id", "status", "type", "manufacturer", "modelNumber", "version", "specialization"],
        "DeviceMetric": ["id", "type", "unit", "category", "operationalStatus"],
    ]

    private func isIdentity(
        _ element: DefinedElement,
        _ code: String,
        in owner: DefinedType,
        _ json: JSONValue
    ) -> Bool {
        if Self.identityTypes.contains(code) { return true }
        if let kept = Self.kinds[owner.name] { return !kept.contains(element.name) }
        switch (owner.name, element.name) {
        case ("Reference", "display"), ("Annotation", "author"), ("Meta", "source"): return true
        case ("Reference", "reference"): return !isDisclosed(reference: json["reference"]?.string ?? "")
        // An identifier in an extension or an answer, whatever it identifies.
        default: return element.isChoice && ["uuid", "oid", "id"].contains(code)
        }
    }

    /// Whether a reference stays: one to the participant, into the same resource, or to something that is
    /// neither a person nor a device.
    private func isDisclosed(reference: String) -> Bool {
        if reference.hasPrefix("#") || participant?.isIn(reference) == true { return true }
        let parts = reference.split(separator: "/")
        guard let type = parts.first.map(String.init), Definitions.r4.resourceNames.contains(type) else {
            return false
        }
        return Self.kinds[type] == nil
    }

    /// The metadata of HealthKit's samples that name a device or the sample's owner, by the end of the
    /// extension's URL.
    private static let identityExtensions: Set = [
        "HKDeviceName", "HKDeviceSerialNumber", "HKUDIDeviceIdentifier", "HKUDIProductionIdentifier",
        "HKDigitalSignature",
        "HKExternalUUID", "HKSyncIdentifier",
    ]

    private func isDisclosed(extension json: JSONValue) -> Bool {
        guard removesIdentities, let end = json["url"]?.string?.split(separator: "/").last else {
            return true
        }
        return !Self.identityExtensions.contains(String(end))
    }

    /// Texts that structure and numbers need.
    private static let structure: Set = [
        "QuestionnaireResponse.item.linkId", "SampledData.data", "Quantity.unit", "Coding.version",
        "Device.manufacturer",
        "Device.modelNumber",
    ]

    private func isText(_ element: DefinedElement, _ code: String, in owner: DefinedType) -> Bool {
        switch code {
        case "Annotation", "Attachment", "Narrative": return true
        case "string", "markdown", "xhtml", "base64Binary":
            let name = Definitions.r4.type(named: "Quantity").map(owner.isA) == true ? "Quantity" : owner.name
            return !Self.structure.contains("\(name).\(element.name)")
        // A URL that somebody gave as a value, not one that names a code system.
        case "uri", "url", "canonical": return element.isChoice
        default: return false
        }
    }
}

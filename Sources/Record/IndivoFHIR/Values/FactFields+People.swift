import FHIR

extension FactFields {
    /// A person's name: `_family`, `_given`, `_middle`, `_prefix`, `_suffix`, or demographics' own names.
    func personName(_ name: String) -> HumanName? {
        var result = HumanName()
        result.family = text(name + "_family", name + "_family_name")
        result.given = [
            text(name + "_given", name + "_given_name"), text(name + "_middle", name + "_middle_name"),
        ]
        .compactMap { $0 }
        result.prefix = [text(name + "_prefix")].compactMap { $0 }
        result.suffix = [text(name + "_suffix")].compactMap { $0 }
        return result.isEmpty ? nil : result
    }

    /// A postal address: `_street`, `_city`, `_region`, `_postalcode`, `_country`.
    func address(_ name: String) -> Address? {
        var result = Address()
        result.line = [text(name + "_street")].compactMap { $0 }
        result.city = text(name + "_city")
        result.state = text(name + "_region")
        result.postalCode = text(name + "_postalcode", name + "_postal_code")
        result.country = text(name + "_country")
        return result.isEmpty ? nil : result
    }

    /// A telephone: type, number, and whether it is the one to call.
    ///
    /// A preferred one has rank 1, another that says so rank 2. One without a number says that it has none.
    func telephone(_ prefix: String, preferred: String) -> ContactPoint? {
        var result = ContactPoint()
        result.system = .phone
        result.value = text(prefix + "number")
        result.use = value([prefix + "type"]) { text in
            switch text.trimmed.lowercased() {
            case "h": .home
            case "w": .work
            case "c": .mobile
            default: nil
            }
        }
        result.rank = boolean(prefix + preferred).map { $0 ? 1 : 2 }
        guard result.value != nil || result.use != nil || result.rank != nil else { return nil }
        if result.value == nil { result.setUnknown("value") }
        return result
    }

    func email(_ name: String) -> ContactPoint? { text(name).map { ContactPoint(system: .email, value: $0) } }

    /// A gender: `male`, `female`, or their first letters.
    func gender(_ name: String) -> AdministrativeGender? {
        value([name]) { text in
            switch text.trimmed.lowercased() {
            case "male", "m": .male
            case "female", "f": .female
            case "other", "o": .codedOther
            case "unknown", "u": .unknown
            default: nil
            }
        }
    }

    /// A language: a tag of BCP 47 where the text has the form of one, with the text.
    func language(_ names: String...) -> CodeableConcept? {
        value(names) { text in
            let tag = text.trimmed
            let isTag =
                (2...3).contains(tag.utf8.prefix { $0 != UInt8(ascii: "-") }.count)
                && tag.utf8.count <= 35
                && tag.unicodeScalars.allSatisfy {
                    $0.isASCII && ($0.properties.isAlphabetic || $0 == "-" || ("0"..."9").contains($0))
                }
            guard isTag else { return CodeableConcept(text: text) }
            // The primary language is in lower case.
            let primary = tag.prefix { $0 != "-" }
            let code = primary.lowercased() + tag.dropFirst(primary.count)
            return CodeableConcept(Coding(system: "urn:ietf:bcp:47", code: code), text: text)
        }
    }

    /// Race and ethnicity in words, as US Core has them.
    func raceAndEthnicity(_ race: String, _ ethnicity: String) -> [Extension] {
        [("us-core-race", race), ("us-core-ethnicity", ethnicity)].compactMap { name, field in
            text(field).map { text in
                var result = Extension(
                    url: FHIRURI("http://hl7.org/fhir/us/core/StructureDefinition/" + name)
                )
                result.extension = [Extension(url: "text", value: .string(text))]
                return result
            }
        }
    }

    /// A person who provides care, to stand inside another resource: `_dea_number`, `_npi_number`, `_name_…`,
    /// …
    func practitioner(_ name: String) -> Practitioner? {
        guard has(prefix: name + "_") else { return nil }
        var person = Practitioner()
        person.extension = raceAndEthnicity(name + "_race", name + "_ethnicity")
        person.identifier = [
            text(name + "_npi_number").map {
                Identifier(system: "http://hl7.org/fhir/sid/us-npi", value: $0)
            },
            text(name + "_dea_number").map {
                Identifier(system: "urn:oid:2.16.840.1.113883.4.814", value: $0)
            },
        ].compactMap { $0 }
        person.name = [personName(name + "_name")].compactMap { $0 }
        person.telecom = [
            telephone(name + "_tel_1_", preferred: "preferred_p"),
            telephone(name + "_tel_2_", preferred: "preferred_p"),
            email(name + "_email"),
        ].compactMap { $0 }
        person.address = [address(name + "_adr")].compactMap { $0 }
        person.gender = gender(name + "_gender")
        person.birthDate = date(name + "_bday")
        person.communication = [language(name + "_preferred_language")].compactMap { $0 }
        return person.isBare ? nil : person
    }

    /// A clinic, laboratory or pharmacy, to stand inside another resource.
    func organization(_ prefix: String, name: String) -> Organization? {
        var organization = Organization()
        organization.identifier =
            text(prefix + "_ncpdpid").map {
                [
                    Identifier(
                        system: "http://terminology.hl7.org/NamingSystem/NCPDPProviderIdentificationNumber",
                        value: $0
                    )
                ]
            } ?? []
        organization.name = text(prefix + name)
        organization.address = [address(prefix + "_adr")].compactMap { $0 }
        if organization.name == nil, organization.identifier.isEmpty, !organization.isBare {
            // An organization has a name or an identifier.
            organization.setUnknown("name")
        }
        return organization.isBare ? nil : organization
    }
}

extension FHIRElement {
    /// Whether there is nothing in it.
    var isEmpty: Bool { tree.members?.isEmpty ?? true }
}

extension FHIRDomainResource {
    /// Whether there is nothing in it but its type.
    var isBare: Bool { tree.members.map { $0.count <= 1 } ?? true }
}

import FHIR
import Indivo
import OrderedJSON

extension RecordContent {
    /// The record as an International Patient Summary: a document with a Composition, and what its sections
    /// refer to.
    ///
    /// Problems, allergies and medications are always there, and say so where nothing is known of them. What
    /// was entered in error is left out; encounters, notes and who stored what are in ``fhirBundle(_:)``
    /// alone.
    ///
    /// - Parameter time: When the summary is made.
    public func patientSummary(at time: FHIRInstant) -> FHIRExport {
        let export = fhirBundle()
        var entries = export.bundle.entry.filter { !($0.resource?.isInError ?? true) }
        for index in entries.indices { entries[index].resource = entries[index].resource?.summarized() }
        let patient = ResourceAddress(type: "Patient", key: id)
        let device = ResourceAddress(type: "Device", key: "\(id).summary.author")
        let composition = composition(of: entries, patient, by: device, at: time)
        let address = ResourceAddress(type: "Composition", key: "\(id).summary")

        var bundle = FHIR.Bundle(type: .document)
        let name = "\(address.key) \(time.description)"
        bundle.identifier = Identifier(
            system: "urn:ietf:rfc:3986",
            value: ResourceAddress(type: "Bundle", key: name).fullURL
        )
        bundle.timestamp = time
        entries.append(Self.entry(Self.author, device))
        let own = Self.entry(composition, address)
        bundle.entry = [own] + Self.reachable(from: own, in: entries)
        return FHIRExport(bundle: bundle, unmapped: export.unmapped)
    }

    private func composition(
        of entries: [FHIR.Bundle.Entry],
        _ patient: ResourceAddress,
        by device: ResourceAddress,
        at time: FHIRInstant
    ) -> Composition {
        var composition = Composition(
            status: .final,
            type: CodeableConcept(
                Coding(system: .loinc, code: "60591-5", display: "Patient summary Document")
            ),
            date: time.dateTime,
            author: [device.reference()],
            title: "Patient summary"
        )
        composition.subject = patient.reference()
        composition.section = SummarySection.all.compactMap { $0.section(entries) }
        let titles = composition.section.compactMap(\.title)
        composition.text = .generated("<p>Patient summary</p>\(String.list(titles))")
        return composition
    }

    /// The program that makes the summary.
    private static var author: Device {
        var device = Device()
        device.deviceName = [Device.DeviceName(name: "Export of an Indivo record", type: .userFriendlyName)]
        return device
    }

    private static func entry(_ resource: some FHIRResource, _ address: ResourceAddress) -> FHIR.Bundle.Entry
    {
        var entry = FHIR.Bundle.Entry()
        entry.fullUrl = FHIRURI(address.fullURL)
        entry.resource = AnyResource(resource).identified(by: address, system: nil).narrated()
        return entry
    }

    /// The entries that an entry refers to, directly or not, in their order.
    private static func reachable(
        from start: FHIR.Bundle.Entry,
        in entries: [FHIR.Bundle.Entry]
    ) -> [FHIR.Bundle.Entry] {
        let byURL = Dictionary(firstOf: entries.map { ($0.fullUrl?.rawValue ?? "", $0) })
        var found: Set<String> = []
        var open = start.resource?.tree.references ?? []
        while let url = open.popLast() {
            guard let entry = byURL[url], found.insert(url).inserted else { continue }
            open += entry.resource?.tree.references ?? []
        }
        return entries.filter { found.contains($0.fullUrl?.rawValue ?? "") }
    }
}

extension AnyResource {
    fileprivate var isInError: Bool {
        let verification = tree["verificationStatus"].flatMap(CodeableConcept.init(tree:))
        return resourceType == "Provenance" || tree["status"]?.string == "entered-in-error"
            || verification?.firstCode == "entered-in-error"
    }

    /// The resource with what IPS asks for and the record may not have, as unknown.
    fileprivate func summarized() -> AnyResource {
        var resource = self
        func lacks(_ names: String...) -> Bool {
            names.allSatisfy { tree[$0] == nil && tree["_" + $0] == nil }
        }
        switch resourceType {
        case "Patient":
            if lacks("name") {
                var name = HumanName()
                name.setUnknown("text")
                resource.tree["name"] = [name.tree]
            }
            if lacks("birthDate") { resource.setUnknown("birthDate") }
        case "MedicationStatement":
            if lacks("effectiveDateTime", "effectivePeriod") { resource.setUnknown("effectiveDateTime") }
        case "Procedure":
            if lacks("performedDateTime", "performedPeriod", "performedString") {
                resource.setUnknown("performedDateTime")
            }
        case "DeviceUseStatement":
            if lacks("timingDateTime", "timingPeriod", "timingTiming") {
                resource.setUnknown("timingDateTime")
            }
        case "Observation":
            if lacks("effectiveDateTime", "effectivePeriod") { resource.setUnknown("effectiveDateTime") }
            let isLaboratory =
                self.as(Observation.self)?.category.contains { $0.firstCode == "laboratory" } ?? false
            if isLaboratory, lacks("performer") {
                var performer = Reference<AnyResource>(view: [:])
                performer.extension = [
                    Extension(url: Vocabulary.dataAbsentExtension, value: .code("unknown"))
                ]
                resource.tree["performer"] = [performer.tree]
            }
        default: break
        }
        return resource
    }
}

extension JSONValue {
    fileprivate var references: [String] {
        var found: [String] = []
        var open = [self]
        while let value = open.popLast() {
            if let reference = value.member("reference")?.string { found.append(reference) }
            open += (value.members ?? []).map(\.value)
            open += value.elements ?? []
        }
        return found
    }
}

import FHIR
import Indivo

extension RecordContent {
    /// The record as FHIR.
    ///
    /// The same record gives the same bundle; nothing in it depends on the time of the export.
    public func fhirBundle(_ form: FHIRExport.Form = .collection) -> FHIRExport {
        let patient = ResourceAddress(type: "Patient", key: id)
        var unmapped: [UnmappedField] = []
        var converted = documents.sorted(by: Self.isBefore).map { document in
            let isDemographics = document.id == demographics
            let result = ConvertedDocument(document, patient: patient, isDemographics: isDemographics)
            unmapped += result.unmapped
            return result
        }
        if !converted.contains(where: { $0.resources.contains { $0.address == patient } }) {
            converted.insert(ConvertedDocument(patient: patient), at: 0)
        }
        let addresses = Dictionary(
            converted.map { ($0.document?.firstID ?? "", $0.resources.map(\.address)) },
            uniquingKeysWith: +
        )

        var entries: [FactResource] = []
        for part in converted {
            entries += part.resources.map { finished($0, of: part.document) }
        }
        for part in converted {
            guard let document = part.document else { continue }
            entries += provenance(of: document, targets: part.resources.map(\.address), addresses)
        }
        // The patient comes first.
        if let index = entries.firstIndex(where: { $0.address == patient }) {
            entries.insert(entries.remove(at: index), at: 0)
        }

        var bundle = FHIR.Bundle(type: form == .transaction ? .transaction : .collection)
        bundle.entry = entries.map { resource in
            var entry = FHIR.Bundle.Entry()
            entry.fullUrl = FHIRURI(resource.address.fullURL)
            entry.resource = resource.resource.narrated()
            if form == .transaction {
                let url = FHIRURI("\(resource.address.type)/\(resource.address.id)")
                entry.request = FHIR.Bundle.Entry.Request(method: .put, url: url)
            }
            return entry
        }
        return FHIRExport(bundle: bundle, unmapped: unmapped)
    }

    /// The earliest first, so that the order is the same whatever a server lists first.
    private static func isBefore(_ a: Document, _ b: Document) -> Bool {
        let times = (a.metadata?.createdAt?.date, b.metadata?.createdAt?.date)
        if let first = times.0, let second = times.1, first != second { return first < second }
        if (times.0 == nil) != (times.1 == nil) { return times.0 == nil }
        return a.metadata == nil && b.metadata == nil ? false : a.id < b.id
    }

    /// A resource with id, identifier, and what the document's metadata says of it.
    private func finished(_ resource: FactResource, of document: Document?) -> FactResource {
        var finished = resource
        if let status = document?.metadata?.status { finished.resource.apply(status) }
        let isPatient = resource.address.type == "Patient"
        finished.resource = finished.resource.identified(
            by: resource.address,
            system: isPatient ? Vocabulary.record : Vocabulary.document,
            meta: meta(of: document)
        )
        return finished
    }

    private func meta(of document: Document?) -> Meta? {
        guard let document, let metadata = document.metadata else { return nil }
        var meta = Meta()
        if let address { meta.source = FHIRURI(address + document.id) }
        if metadata.neverShare == true {
            meta.security = [
                Coding(
                    system: "http://terminology.hl7.org/CodeSystem/v3-Confidentiality",
                    code: "R",
                    display: "restricted"
                )
            ]
        }
        if let status = metadata.status, status != .active {
            meta.tag = [Coding(system: Vocabulary.documentStatus, code: status.rawValue)]
        }
        return meta.isEmpty ? nil : meta
    }
}

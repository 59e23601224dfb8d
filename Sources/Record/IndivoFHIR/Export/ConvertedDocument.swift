import FHIR
import Foundation
import Indivo
import IndivoBase

/// A document's resources, and what of it had no element.
struct ConvertedDocument {
    /// `nil` for a patient of whom there is no document.
    let document: RecordContent.Document?
    private(set) var resources: [FactResource] = []
    private(set) var unmapped: [UnmappedField] = []

    /// A patient of whom nothing is known.
    init(patient: ResourceAddress) {
        document = nil
        resources = [FactResource(Patient(), patient)]
    }

    init(_ document: RecordContent.Document, patient: ResourceAddress, isDemographics: Bool) {
        self.document = document
        let content = DocumentFacts(document.content)
        for (index, fields) in content.facts.enumerated() {
            guard let mapping = FactMapping.of(model: fields.model),
                isDemographics || fields.model != "Demographics"
            else { continue }
            let key = index == 0 ? document.firstID : "\(document.firstID).\(index + 1)"
            resources += mapping.convert(fields, FactContext(subject: patient, key: key))
            unmapped += fields.unmapped(in: document.id)
        }
        let isMapped = content.facts.allSatisfy { fields in
            FactMapping.of(model: fields.model) != nil && (isDemographics || fields.model != "Demographics")
        }
        if !content.isWhole || !isMapped || content.facts.isEmpty {
            resources.append(attachment(of: document, as: content.contentType, patient))
        }
    }

    /// A document, as it is, where it has more than facts with a mapping.
    private func attachment(
        of document: RecordContent.Document,
        as contentType: String,
        _ patient: ResourceAddress
    ) -> FactResource {
        let data = document.content.data
        var attachment = Attachment()
        attachment.contentType = contentType
        if !data.isEmpty { attachment.data = data.base64EncodedString() }
        attachment.describe(data)
        attachment.title = document.metadata?.label.nonEmpty
        var reference = DocumentReference(
            status: .current,
            content: [DocumentReference.Content(attachment: attachment)]
        )
        reference.subject = patient.reference()
        reference.date = document.metadata?.createdAt.flatMap { FHIRInstant(text: $0.lexical) }
        reference.description = document.metadata?.label.nonEmpty
        let key = document.firstID + ".document"
        return FactResource(reference, ResourceAddress(type: "DocumentReference", key: key))
    }
}

extension Attachment {
    /// Says how many bytes there are, and their SHA-1.
    mutating func describe(_ data: Data) {
        size = data.count
        hash = Data(SHA1Sum.hash(data)).base64EncodedString()
    }
}

extension String? {
    /// The text, if there is any.
    var nonEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }
}

import FHIR

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A note, and the visit that it is about.
private struct NoteDraft {
    var note: DocumentReference
    var attachment = Attachment()
    var visit = Encounter(
        status: .unknown,
        class: Coding(system: Vocabulary.dataAbsentReason, code: "unknown")
    )
    var hasVisit = false
    var specialty: CodeableConcept?
}

extension FactMapping {
    static let simpleClinicalNote = FactMapping(
        "SimpleClinicalNote",
        to: "DocumentReference",
        start: { context in
            var note = DocumentReference(status: .current, content: [])
            note.type = .loinc("34109-9", "Note")
            note.subject = context.patient()
            var draft = NoteDraft(note: note)
            draft.visit.subject = context.patient()
            draft.attachment.contentType = "text/plain; charset=utf-8"
            return draft
        },
        rows: [
            MappingRow(
                "date_of_visit",
                "DocumentReference.context.encounter, a contained Encounter: .period.start"
            ) {
                draft,
                fields,
                _ in
                guard let date = fields.dateTime("date_of_visit") else { return }
                draft.visit.period = Period(start: date)
                draft.hasVisit = true
            },
            MappingRow("visit_type, visit_type_*", "the same Encounter's .type") { draft, fields, _ in
                guard let type = fields.namedConcept("visit_type") else { return }
                draft.visit.type = [type]
                draft.hasVisit = true
            },
            MappingRow("visit_location", "the same Encounter's .location.location.display") {
                draft,
                fields,
                _ in
                guard let location = fields.text("visit_location") else { return }
                draft.visit.location = [Encounter.Location(location: .named(location, type: "Location"))]
                draft.hasVisit = true
            },
            MappingRow("chief_complaint", "the same Encounter's .reasonCode.text") { draft, fields, _ in
                guard let complaint = fields.text("chief_complaint") else { return }
                draft.visit.reasonCode = [CodeableConcept(text: complaint)]
                draft.hasVisit = true
            },
            MappingRow("specialty, specialty_*", "DocumentReference.context.practiceSetting") {
                draft,
                fields,
                _ in
                draft.specialty = fields.namedConcept("specialty")
            },
            MappingRow("finalized_at", "DocumentReference.date, .docStatus (final)") { draft, fields, _ in
                guard let date = fields.instant("finalized_at") else { return }
                draft.note.date = date
                draft.note.docStatus = .final
            },
            MappingRow(
                "signature, signed_at, provider_name, provider_institution",
                "DocumentReference.content.attachment.creation, .author.display (each signature's), "
                    + ".authenticator.display (the first one's name, else institution)"
            ) { draft, fields, _ in
                // Nested XML has signatures; a data model has the first one's fields.
                for signature in fields.related("signature") {
                    draft.sign(
                        at: draft.attachment.creation == nil ? signature.dateTime("at") : nil,
                        signature.text("provider_name"),
                        signature.text("provider_institution")
                    )
                }
                draft.sign(
                    at: fields.dateTime("signed_at"),
                    fields.text("provider_name"),
                    fields.text("provider_institution")
                )
            },
            MappingRow("content", "DocumentReference.content.attachment.data, as text/plain") {
                draft,
                fields,
                _ in
                guard let content = fields.text("content") else { return }
                draft.attachment.data = Data(content.utf8).base64EncodedString()
            },
        ],
        finish: { draft, context in
            var note = draft.note
            var surroundings = DocumentReference.Context()
            if draft.hasVisit {
                surroundings.encounter = [Reference(note.contain(draft.visit, as: "visit"))]
            }
            surroundings.practiceSetting = draft.specialty
            if !surroundings.isEmpty { note.context = surroundings }
            note.content = [DocumentReference.Content(attachment: draft.attachment)]
            return [FactResource(note, context.address("DocumentReference"))]
        }
    )
}

extension NoteDraft {
    fileprivate mutating func sign(at time: FHIRDateTime?, _ name: String?, _ institution: String?) {
        if let time { attachment.creation = time }
        let people = [
            name.map { Reference<AnyResource>.named($0, type: "Practitioner") },
            institution.map { Reference<AnyResource>.named($0, type: "Organization") },
        ].compactMap { $0 }
        note.author += people
        if note.authenticator == nil { note.authenticator = people.first }
    }
}

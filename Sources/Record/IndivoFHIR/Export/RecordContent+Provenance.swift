import FHIR
import Foundation
import Indivo

extension RecordContent {
    /// Who stored a document and when, of what it is a version, to what it is related, and who changed its
    /// status.
    func provenance(
        of document: Document,
        targets: [ResourceAddress],
        _ addresses: [String: [ResourceAddress]]
    ) -> [FactResource] {
        guard let metadata = document.metadata, !targets.isEmpty else { return [] }
        var stored = Provenance(
            target: targets.map { $0.reference() },
            by: metadata.creator?.id,
            named: metadata.creator?.fullName,
            type: metadata.creator?.type,
            at: metadata.createdAt
        )
        let isReplacement = metadata.replaces?.id.nonEmpty != nil
        stored.activity = .operation(isReplacement ? "UPDATE" : "CREATE", isReplacement ? "revise" : "create")
        let source = stored.contain(sourceDocument(document, metadata), as: "source")
        stored.entity = [Provenance.Entity(role: .source, what: Reference(source))]
        if let replaced = metadata.replaces?.id.nonEmpty {
            let identifier = Identifier(system: Vocabulary.document, value: replaced)
            stored.entity.append(Provenance.Entity(role: .revision, what: Reference(identifier: identifier)))
        }
        for (relation, id) in document.relations {
            for address in addresses[id] ?? [] {
                var what: Reference<AnyResource> = address.reference()
                what.display = relation.rawValue
                stored.entity.append(Provenance.Entity(role: .source, what: what))
            }
        }
        let changes = document.statusChanges.map { change in
            var changed = Provenance(
                target: targets.map { $0.reference() },
                by: change.by,
                named: nil,
                type: nil,
                at: change.at
            )
            changed.reason = change.reason.nonEmpty.map { [CodeableConcept(text: $0)] } ?? []
            changed.activity =
                switch change.status {
                case .void: .operation("NULLIFY", "nullify")
                case .archived: .operation("OBSOLETE", "obsolete")
                case .active: .operation("REACTIVATE", "reactivate")
                case nil: .operation("MODIFYSTATUS", "modify status")
                }
            return changed
        }
        return [finished(stored, document.firstID)]
            + changes.enumerated().map { finished($1, "\(document.firstID).status.\($0 + 1)") }
    }

    private func finished(_ provenance: Provenance, _ key: String) -> FactResource {
        let address = ResourceAddress(type: "Provenance", key: key)
        return FactResource(AnyResource(provenance).identified(by: address, system: nil), address)
    }

    /// The document as it is stored, without its content.
    private func sourceDocument(_ document: Document, _ metadata: DocumentMetadata) -> DocumentReference {
        var attachment = Attachment()
        attachment.contentType = DocumentFacts(document.content).contentType
        if let address { attachment.url = FHIRURI(address + document.id) }
        attachment.describe(document.content.data)
        attachment.title = metadata.label.nonEmpty
        var reference = DocumentReference(
            status: .current,
            content: [DocumentReference.Content(attachment: attachment)]
        )
        reference.identifier = [Identifier(system: Vocabulary.document, value: document.id)]
        return reference
    }
}

extension Provenance {
    /// - Parameters:
    ///   - id: The e-mail address of an account, or the id of an app.
    ///   - type: `Account`, `PHA` or `MachineApp`.
    fileprivate init(
        target: [Reference<AnyResource>],
        by id: String?,
        named name: String?,
        type: String?,
        at time: XMLDateTime?
    ) {
        self.init(target: target, recorded: "1970-01-01T00:00:00Z", agent: [])
        if let recorded = time.flatMap({ FHIRInstant(text: $0.lexical) }) {
            self.recorded = recorded
        } else {
            self.recorded = nil
            setUnknown("recorded")
        }
        let isApp = ["pha", "machineapp", "userapp", "adminapp"].contains(type?.lowercased() ?? "")
        var who = Reference<AnyResource>(view: [:])
        if isApp { who.type = "Device" }
        if let id = id.nonEmpty {
            who.identifier = Identifier(
                system: FHIRURI(Vocabulary.base + (isApp ? "app" : "account")),
                value: id
            )
        }
        who.display = name.nonEmpty ?? (id.nonEmpty == nil ? "unknown" : nil)
        var agent = Provenance.Agent(who: who)
        agent.type = .code(
            "author",
            system: "http://terminology.hl7.org/CodeSystem/provenance-participant-type",
            "Author"
        )
        self.agent = [agent]
    }
}

extension CodeableConcept {
    /// An operation on data.
    fileprivate static func operation(_ code: String, _ display: String) -> CodeableConcept {
        CodeableConcept(
            Coding(
                system: "http://terminology.hl7.org/CodeSystem/v3-DataOperation",
                code: code,
                display: display
            )
        )
    }
}

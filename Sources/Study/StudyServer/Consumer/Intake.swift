import Crypto
import FHIR
import FHIRValidation
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats
import StudyWarehouse

/// What a resource from a phone means for a study.
struct Intake: Sendable {
    enum Classification: Sendable {
        /// The participant agreed.
        case consent(Consent)
        /// The participant left. The value says what happens to their data, if the resource says so.
        case withdrawal(WithdrawnData?)
        /// Facts of an answer, a measurement or a Patient, when it was last changed, and the resource's type.
        case data(FactSet, written: WarehouseTime, type: String)
        /// A number from a phone or watch, in the form of an earlier one. Its facts are made when they are
        /// needed.
        case sample(ObservationMapper, received: FHIRDateTime)
    }

    /// What a participant agreed to.
    struct Consent: Sendable {
        let signed: WarehouseTime
        /// The latest time at which it may have been signed: the phone's clock may be some minutes slow, and
        /// a date alone may mean the end of that day.
        let signedAtLatest: WarehouseTime
        let version: String?
        let shares: Bool?
    }

    /// The digest of the participant's id on the phone. Nothing else of the id is kept.
    let participant: String
    /// The id itself, to be removed from the resource.
    let phoneID: String
    private(set) var classification: Classification
    let resource: JSONValue
    /// The whole resource as a row of columns, if the warehouse has columns for it.
    private(set) var sample: StudySample?

    private static let types: Set = [
        "Contract", "Consent", "Patient", "QuestionnaireResponse", "Observation",
    ]

    /// Digest of a participant's id. The ids are random, so nobody finds them by trying.
    static func digest(_ id: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Data(("study participant\n" + id.lowercased()).utf8)))
    }

    /// Reads what a resource means.
    ///
    /// - Parameters:
    ///   - visit: Identifies the visit of a resource that has no identifier.
    ///   - received: When its message was received.
    ///   - owner: The digest of the participant that the message names, for a result of ResearchKit, which
    ///     names none.
    ///   - phoneID: That participant's id, where it is known.
    /// - Throws: ``ProcessingError``, `MappingError`.
    init(
        _ old: JSONValue,
        visit: String,
        received: FHIRDateTime,
        mapper: ResponseMapper,
        owner: String? = nil,
        phoneID: String? = nil
    ) throws {
        let type = old["resourceType"]?.string ?? ""
        guard Self.types.contains(type) else {
            throw ProcessingError.unsupported(
                "resources of type \(type.prefix(64).debugDescription) are not processed"
            )
        }
        let json = OlderResources.upgraded(old)
        if let owner, Self.isResult(json) {
            self.phoneID = phoneID ?? Self.phoneID(of: owner, in: json) ?? ""
            participant = owner
        } else {
            let id = try Self.participantID(json, type)
            self.phoneID = id
            participant = Self.digest(id)
        }
        resource = json
        switch type {
        case "Contract": classification = try Self.contract(json, received)
        case "Consent": classification = try Self.consent(json, received)
        case "Patient":
            let patient = Self.deidentified(Patient(view: json), received)
            classification = .data(
                PatientMapper().map(patient, received: received),
                written: WarehouseTime(received),
                type: type
            )
        case "QuestionnaireResponse":
            let response = QuestionnaireResponse(view: json)
            try Self.check(response)
            let set = try mapper.map(response, visit: visit, received: received)
            classification = .data(set, written: Self.written(json, received), type: type)
        default:
            let observation = Observation(view: json)
            try Self.check(observation)
            classification = .data(
                try ObservationMapper(freeText: mapper.freeText).map(
                    observation,
                    visit: visit,
                    received: received
                ),
                written: Self.written(json, received),
                type: type
            )
        }
    }

    /// An Observation in the form of another one, which was read before; only its values differ.
    init(
        _ json: JSONValue,
        _ sample: StudySample,
        like other: Intake,
        mapper: ResponseMapper,
        received: FHIRDateTime
    ) {
        participant = other.participant
        phoneID = other.phoneID
        resource = json
        self.sample = sample
        classification = .sample(ObservationMapper(freeText: mapper.freeText), received: received)
    }

    /// The resource's type; `nil` for consents and withdrawals.
    private var dataType: String? {
        switch classification {
        case .data(_, _, let type): type
        case .sample: "Observation"
        case .consent, .withdrawal: nil
        }
    }

    /// The facts, and the time that counts as the time of writing; `nil` for consents and withdrawals.
    private var data: (facts: FactSet, written: WarehouseTime)? {
        switch classification {
        case .data(let set, let written, _): (set, written)
        case .sample(let mapper, let received): Self.facts(of: resource, mapper, received)
        case .consent, .withdrawal: nil
        }
    }

    /// The facts of a sample.
    private static func facts(of json: JSONValue, _ mapper: ObservationMapper, _ received: FHIRDateTime) -> (
        facts: FactSet, written: WarehouseTime
    ) {
        let written = Self.written(json, received)
        do {
            // It has an identifier, from which its visit gets its id.
            return (try mapper.map(Observation(view: json), visit: "", received: received), written)
        } catch {
            preconditionFailure("an Observation has no facts whose form has some: \(error)")
        }
    }

    /// When a resource was last changed.
    private static func changed(_ json: JSONValue) -> WarehouseTime? {
        ResourceOrder.changed(json).map(WarehouseTime.init)
    }

    /// The time that counts as the time of the last change, at most the time of receipt. A later time comes
    /// from a phone whose clock is fast: until then, no correction would replace the resource.
    private static func written(_ json: JSONValue, _ received: FHIRDateTime) -> WarehouseTime {
        min(changed(json) ?? WarehouseTime(received), WarehouseTime(received))
    }

    /// Errors by rule and element, never by value.
    private static func check(_ resource: some FHIRResource) throws {
        var options = ValidationOptions()
        options.includesBestPractice = false
        options.maximumIssues = 20
        // What is not valid FHIR is refused; what only breaks a profile is data.
        options.appliesProfiles = false
        // A phone's subject and date matter more than what a later version of FHIR requires beside them.
        let errors = resource.issues(options).filter(\.isError)
        guard let first = errors.first else { return }
        throw ProcessingError.invalid(
            """
            \(errors.count) \(errors.count == 1 ? "error" : "errors"), the first \(first.code.code) \
            at \(first.expression)
            """
                + (first.rule.map { " (\($0))" } ?? "")
        )
    }

    // MARK: Participants

    /// The digests of the participants that resources name, even if nothing else in the resources can be
    /// read; `nil` if there are more than a message is filed under.
    static func participants(of resources: [JSONValue]) -> Set<String>? {
        var ids: Set<String> = []
        for json in resources {
            guard ids.count <= maximumParticipants else { return nil }
            if let id = try? participantID(json, json["resourceType"]?.string ?? "") {
                ids.insert(digest(id))
            }
        }
        return ids.count <= maximumParticipants ? ids : nil
    }

    /// The digests of the participants whom the resources are about, usually a single one.
    static func participants(in intakes: [Intake]) -> Set<String> {
        var participants: Set<String> = []
        var last: String?
        for intake in intakes where intake.participant != last {
            participants.insert(intake.participant)
            last = intake.participant
        }
        return participants
    }

    /// The largest number of participants under which a message is filed. It should be one: each of them is
    /// locked.
    static let maximumParticipants = 100

    /// Finds the id with a digest in the texts of a resource, alone or beside others: when a message is
    /// processed again, only the digest is known.
    private static func phoneID(of owner: String, in json: JSONValue) -> String? {
        let parts = json.text().utf8.split { byte in
            switch byte {
            case 0x2D, 0x30...0x39, 0x41...0x46, 0x61...0x66: false
            default: true
            }
        }
        for part in parts where part.count >= idLength {
            for piece in [part.prefix(idLength), part.suffix(idLength)] {
                let id = String(decoding: piece, as: UTF8.self)
                if digest(id) == owner { return id }
            }
        }
        return nil
    }

    /// The bytes of a UUID's text.
    private static let idLength = 36

    /// Whether it has facts.
    var isData: Bool {
        switch classification {
        case .data, .sample: true
        case .consent, .withdrawal: false
        }
    }

    /// What identifies a visit: its id, or the digest of it that a sample has.
    enum Identity: Hashable {
        case visit(String)
        case sample(Int)
    }

    /// The identity of the visit of an answer or a measurement; a Patient has one visit for all times.
    var identity: Identity? {
        if let sample { return .sample(sample.id) }
        guard let data, dataType != "Patient" else { return nil }
        let id = data.facts.visit.id
        guard dataType == "Observation", let sample = StudySample.id(ofVisit: id) else { return .visit(id) }
        return .sample(sample)
    }

    /// The visit of an answer, a measurement or a Patient, with the pseudonym where the phone's id was.
    func visit(named pseudonym: String) -> StudyVisit? {
        guard var visit = data?.facts.visit else { return nil }
        if let id = ParticipantID(phoneID) { visit.id = id.replacing(in: visit.id, with: pseudonym) }
        return visit
    }

    /// When the resource was changed, as it says itself. Of two resources of one visit, the later one counts.
    var changed: WarehouseTime? { Self.changed(resource) }

    /// The time that counts as the time of the last change.
    var written: WarehouseTime? {
        data?.written
    }

    /// Splits it into columns, if it is a single number that a phone or watch measured.
    mutating func split(by splitter: inout SampleSplitter, received: FHIRDateTime) {
        guard case .data(let set, _, "Observation") = classification else { return }
        sample = splitter.sample(resource, set, received: received, phoneID: phoneID)
    }

    /// Keeps it as facts, because there are several with its identity.
    mutating func keepAsFacts() { sample = nil }

    /// Whether it corrects or replaces another: it has a version, or is not final.
    var isCorrection: Bool {
        resource["meta"]?["versionId"] != nil || resource["meta"]?["lastUpdated"] != nil
            || resource["status"]?.string != "final"
    }

    /// Numbers it as one of several resources of a visit that are equally new.
    mutating func number(_ number: Int, written: WarehouseTime?) {
        guard let data, let dataType else { return }
        var set = data.facts
        set.visit.number = number
        classification = .data(set, written: written ?? data.written, type: dataType)
    }

    /// Whether a response was made from a result of ResearchKit, which has no subject.
    private static func isResult(_ json: JSONValue) -> Bool {
        json["resourceType"]?.string == "QuestionnaireResponse" && json["subject"] == nil
    }

    private static func participantID(_ json: JSONValue, _ type: String) throws -> String {
        var references: [String?] = []
        switch type {
        case "Patient": references = [json["id"]?.string]
        case "Contract":
            let signers = OlderResources.list(json["signer"])
            // A withdrawal needs no signature: the app's names its subject alone.
            if signers.isEmpty {
                references = OlderResources.list(json["subject"]).map { $0["reference"]?.string }
            }
            for signer in signers {
                references.append(signer["party"]?["reference"]?.string)
                // DSTU2, as C3-PRO's consumer reads it: the signature is the participant's id.
                references.append(signer["signature"]?.string)
                for signature in OlderResources.list(signer["signature"]) {
                    references.append(
                        signature["whoReference"]?["reference"]?.string
                            ?? signature["who"]?["reference"]?.string
                    )
                }
            }
        case "Consent": references = [json["patient"]?["reference"]?.string]
        default: references = [json["subject"]?["reference"]?.string]
        }
        // Others may have signed beside the participant.
        var ids: Set<String> = []
        for reference in references {
            let parts = (reference ?? "").split(separator: "/")
            if let id = parts.last, parts.count < 2 || parts[parts.count - 2] == "Patient" {
                ids.insert(id.lowercased())
            }
        }
        guard let id = ids.first, ids.count == 1 else {
            throw ProcessingError.subjects(
                ids.isEmpty
                    ? "\(type.prefix(64)) without a participant"
                    : "\(type.prefix(64)) of several participants"
            )
        }
        guard UUID(uuidString: id) != nil else {
            throw ProcessingError.subjects("the participant’s id is no UUID")
        }
        return id
    }

    private static func deidentified(_ patient: Patient, _ received: FHIRDateTime) -> Patient {
        let address = patient.address.first
        let zip = address?.postalCode ?? ""
        // Phones send three digits already; the rule is for whole codes.
        let isPrefix = zip.utf8.count == 3 && zip.isASCIIDigits
        let country = address?.country ?? (address?.state == nil ? nil : "US")
        let details = ParticipantDetails(
            birthDate: patient.birthDate,
            gender: patient.gender,
            country: country,
            state: address?.state,
            postalCode: isPrefix ? zip + "00" : address?.postalCode
        )
        return SafeHarbor.patient(id: UUID(), details, on: received.date).patient
    }

    // MARK: Consents

    /// The consents in one message, the one in force last. That is the one that was signed last; of two that
    /// were signed at the same time, both have to share data.
    static func consents(in intakes: [Intake]) -> [Consent] {
        intakes.compactMap { intake in
            if case .consent(let consent) = intake.classification { consent } else { nil }
        }.sorted { ($0.signed, $0.shares == true ? 0 : 1) < ($1.signed, $1.shares == true ? 0 : 1) }
    }

    /// The most consents of one message: each of them is kept.
    static let maximumConsents = 100

    private static let withdrawn: Set = ["revoked", "terminated", "cancelled", "inactive", "rejected"]

    private static func withdrawnData(of json: JSONValue) throws -> WithdrawnData? {
        do { return try WithdrawnData(of: json) } catch {
            throw ProcessingError.invalid("\(error)")
        }
    }

    private static func contract(_ json: JSONValue, _ received: FHIRDateTime) throws -> Classification {
        if let status = json["status"]?.string {
            if withdrawn.contains(status) { return .withdrawal(try withdrawnData(of: json)) }
            guard ["executed", "executable"].contains(status) else {
                throw ProcessingError.unsupported(
                    "a Contract with status \(status.prefix(32).debugDescription) is no consent"
                )
            }
        }
        let signers = OlderResources.list(json["signer"])
        guard signers.contains(where: { $0["signature"] != nil }) else {
            throw ProcessingError.invalid("a Contract without a signature")
        }
        let url = "http://fhir-registry.smarthealthit.org/StructureDefinition/consents-to-data-sharing"
        let shares = signers.flatMap { OlderResources.list($0["extension"]) }.first {
            $0["url"]?.string == url
        }?["valueBoolean"]?
        .boolean
        return .consent(
            Consent(
                signed: time(json["applies"]?["start"]?.string, received),
                signedAtLatest: latestTime(json["applies"]?["start"]?.string, received),
                version: json["version"]?.string
                    ?? OlderResources.list(json["identifier"]).first?["value"]?.string,
                shares: shares
            )
        )
    }

    private static func consent(_ json: JSONValue, _ received: FHIRDateTime) throws -> Classification {
        let status = json["status"]?.string ?? ""
        if withdrawn.contains(status) { return .withdrawal(try withdrawnData(of: json)) }
        guard status == "active" else {
            throw ProcessingError.unsupported(
                "a Consent with status \(status.prefix(32).debugDescription) is no consent"
            )
        }
        let parts = OlderResources.list(json["provision"]?["provision"])
        let shares = parts.isEmpty ? nil : parts.contains { $0["type"]?.string == "permit" }
        return .consent(
            Consent(
                signed: time(json["dateTime"]?.string, received),
                signedAtLatest: latestTime(json["dateTime"]?.string, received),
                version: json["sourceReference"]?["identifier"]?["value"]?.string,
                shares: shares
            )
        )
    }

    /// A time of DSTU2's phones without a zone is taken for UTC. A consent is not signed after it was
    /// received, whatever the phone's clock says: it would take precedence over all that are signed until
    /// then.
    private static func time(_ text: String?, _ received: FHIRDateTime) -> WarehouseTime {
        min(WarehouseTime(text.flatMap(signedTime) ?? received), WarehouseTime(received))
    }

    private static func signedTime(_ text: String) -> FHIRDateTime? {
        FHIRDateTime(text: text) ?? FHIRDateTime(text: text + "Z")
    }

    private static func latestTime(_ text: String?, _ received: FHIRDateTime) -> WarehouseTime {
        let signed = text.flatMap(signedTime) ?? received
        let tolerance: TimeInterval = signed.time == nil ? 86_399 : 300
        guard let instant = FHIRDateTime(text: WarehouseTime(signed).xml)?.instant else {
            return time(text, received)
        }
        return min(
            WarehouseTime(FHIRDateTime(instant.addingTimeInterval(tolerance))),
            WarehouseTime(received)
        )
    }

    // MARK: Pseudonyms

    /// What a warehouse keeps of an answer, a measurement or a Patient. In its facts and its resource, the
    /// pseudonym replaces the phone's id, however that is spelled: the id would lead back to the person. Most
    /// measurements are rows of columns, and need neither.
    final class PseudonymisedResource {
        let sample: StudySample?
        let type: String
        private let intake: Intake
        private let pseudonym: String
        private let received: FHIRDateTime
        private let disclosure: Disclosure
        private lazy var data = intake.facts(of: pseudonym)
        private(set) lazy var resource = intake.pseudonymised(pseudonym, received, disclosure)
        var facts: FactSet { data.facts }
        var written: WarehouseTime { data.written }
        var isCorrection: Bool { intake.isCorrection }

        /// - Returns: `nil` for consents and withdrawals.
        init?(_ intake: Intake, _ pseudonym: String, received: FHIRDateTime, _ disclosure: Disclosure) {
            guard let type = intake.dataType else { return nil }
            self.type = type
            sample = intake.sample
            self.intake = intake
            self.pseudonym = pseudonym
            self.received = received
            self.disclosure = disclosure
        }
    }

    private func facts(of pseudonym: String) -> (facts: FactSet, written: WarehouseTime) {
        guard let data else { preconditionFailure("there are no facts of a consent") }
        let facts = ParticipantID(phoneID)?.replacing(in: data.facts, with: pseudonym)
        return (facts ?? data.facts, data.written)
    }

    /// The resource with the pseudonym, and without what is not disclosed. A Patient is de-identified.
    private func pseudonymised(_ pseudonym: String, _ received: FHIRDateTime, _ disclosure: Disclosure)
        -> JSONValue
    {
        guard resource["resourceType"]?.string != "Patient" else {
            var patient = Self.deidentified(Patient(view: resource), received)
            patient.id = pseudonym
            return patient.tree
        }
        var renamed = ParticipantID(phoneID)?.replacing(in: resource, with: pseudonym) ?? resource
        if Self.isResult(resource) { renamed["subject"] = ["reference": JSONValue("Patient/\(pseudonym)")] }
        return disclosure.released(renamed, of: ParticipantID(pseudonym))
    }
}

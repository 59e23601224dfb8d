import Foundation
import Indivo
import IndivoOutbox
import Observation
import StudyDelivery

/// What the app shows: the consent, or what a participant does.
@MainActor @Observable
final class AppModel {
    enum Phase {
        case starting
        case consent(ConsentModel)
        case participating(Participation)
        /// The participant left the study. Only a new start of the app asks again.
        case left
    }

    private(set) var phase = Phase.starting
    private(set) var problem: String?

    private let keys = ItemKeyStore(Keychain(service: "org.example.sleep.keys"))

    private func participants() throws -> ParticipantStore {
        ParticipantStore(in: try Study.folder().appending(path: "participants"), keys: keys)
    }

    /// Shows what the participant was at when the app ended.
    func start() async {
        do {
            let document = try ConsentDocument(parsing: Study.file("consent"))
            let participants = try participants()
            // Who left without a network is reported now.
            await report(participants)
            let enrolment = try participants.enrol(in: Study.id)
            let state = try ParticipantState(of: enrolment, in: participants, keys: keys)
            if document.needsSignature(of: enrolment) {
                let answers = try state.consentAnswers(for: document) ?? ConsentAnswers()
                phase = .consent(ConsentModel(document, of: enrolment, resuming: answers))
            } else {
                let participation = try Participation(enrolment, participants, state, keys)
                phase = .participating(participation)
                await participation.begin()
            }
        } catch {
            problem = "\(error)"
        }
    }

    /// Keeps what was answered to the consent, each time a page is left.
    func keep(_ model: ConsentModel) {
        perform {
            let participants = try participants()
            guard let enrolment = try participants.enrolment(in: Study.id) else { return }
            let state = try ParticipantState(of: enrolment, in: participants, keys: keys)
            try state.setConsentAnswers(model.answers, for: model.document)
        }
    }

    /// Queues the signed consent before the participant counts as one who signed.
    func accept(_ consent: SignedConsent) async {
        do {
            let participants = try participants()
            let enrolment = try participants.enrol(in: Study.id)
            let state = try ParticipantState(of: enrolment, in: participants, keys: keys)
            let participation = try Participation(enrolment, participants, state, keys)
            try await participation.delivery.submit(consent.contract())
            try participants.setConsentVersion(consent.document.version, of: enrolment)
            try state.setConsentAnswers(nil, for: consent.document)
            phase = .participating(participation)
            await participation.begin()
        } catch {
            problem = "\(error)"
        }
    }

    /// Leaves the study: what the phone has of the participant is erased, and the study is told.
    func leave() async {
        guard case .participating(let participation) = phase else { return }
        do {
            await participation.end()
            let participants = try participants()
            try participants.withdraw(from: Study.id)
            phase = .left
            await report(participants)
        } catch {
            problem = "\(error)"
        }
    }

    /// Tells the study who left; what fails is told at the next start. Their queues went with their folders.
    private func report(_ participants: ParticipantStore) async {
        do {
            let endpoint = try Delivery.endpoint()
            let protection = try Delivery.protection()
            try await participants.finishWithdrawals(
                emptying: { _ in },
                reporting: { try await $0.report(to: endpoint, as: .resource, protection: protection) }
            )
        } catch {
            problem = "\(error)"
        }
    }

    /// Delivers in the time that the system gives in the background.
    func deliverInBackground() async {
        if case .starting = phase { await start() }
        guard case .participating(let participation) = phase else { return }
        await participation.deliver()
    }

    private func perform(_ body: () throws -> Void) {
        do { try body() } catch { problem = "\(error)" }
    }
}

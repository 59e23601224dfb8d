import FHIR
import Foundation
import StudyFormats

/// A consent document with a participant's answers and signature; the form and the resources are made of it.
public struct SignedConsent: Sendable, Hashable {
    /// What was agreed to.
    public let document: ConsentDocument
    /// The participant's id.
    public let participant: UUID
    /// When it was signed.
    public let signedAt: FHIRInstant
    /// The given name. It is printed on the form and is in no resource.
    public let givenName: String
    /// The family name. It is printed on the form and is in no resource.
    public let familyName: String
    /// The drawn signature, a PNG. It is printed on the form and is in no resource.
    public let signature: Data?
    /// Yes and no to what may be shared, by id.
    public let sharing: [String: Bool]
}

/// The result of a participant's answers to a consent document.
public enum ConsentDecision: Sendable, Hashable {
    /// Something is missing: the elements of the answers, in order.
    case incomplete([String])
    /// The participant does not meet a criterion of eligibility.
    case ineligible(criterion: String)
    /// Too few questions of comprehension were answered correctly: those that were not.
    case notUnderstood(questions: [String])
    /// The participant does not agree.
    case declined
    /// The participant agreed and signed.
    case signed(SignedConsent)
}

extension ConsentDocument {
    /// Decides by the answers: eligibility first, then agreement, comprehension and signature.
    public func decision(_ answers: ConsentAnswers) -> ConsentDecision {
        var missing: [String] = []
        // As C3-PRO does: the first mismatch before an open criterion decides.
        for criterion in eligibility {
            guard let answer = answers.eligibility[criterion.id] else {
                missing.append("eligibility.\(criterion.id)")
                continue
            }
            if answer != criterion.mustBe, missing.isEmpty { return .ineligible(criterion: criterion.id) }
        }
        if answers.agrees == false { return .declined }
        let wrong = comprehension.filter { question in
            answers.comprehension[question.id].map { $0 != question.options[question.answer] } ?? false
        }
        missing += comprehension.filter { answers.comprehension[$0.id] == nil }.map {
            "comprehension.\($0.id)"
        }
        if comprehension.count - wrong.count < comprehensionMinimum {
            return .notUnderstood(questions: wrong.map(\.id))
        }
        missing += sharing.filter { answers.sharing[$0.id] == nil }.map { "sharing.\($0.id)" }
        if answers.agrees == nil { missing.append("agrees") }
        if answers.participant == nil { missing.append("participant") }
        if answers.givenName == nil { missing.append("givenName") }
        if answers.familyName == nil { missing.append("familyName") }
        if answers.signedAt == nil { missing.append("signedAt") }
        if requiresSignatureImage, answers.signature == nil { missing.append("signature") }
        guard missing.isEmpty, let participant = answers.participant, let signedAt = answers.signedAt,
            let givenName = answers.givenName, let familyName = answers.familyName
        else { return .incomplete(missing) }
        return .signed(
            SignedConsent(
                document: self,
                participant: participant,
                signedAt: signedAt,
                givenName: givenName,
                familyName: familyName,
                signature: answers.signature,
                sharing: answers.sharing
            )
        )
    }

    /// Whether an enrolled participant has to sign: because there is no signature yet, or one of another
    /// version.
    public func needsSignature(of enrolment: Enrolment) -> Bool { enrolment.consentVersion != version }
}

import StudyFormats
import StudyWarehouse

/// What a study decides about the messages of its participants.
public struct StudyRules: Sendable, Hashable {
    /// What happens to withdrawals and corrections that were not delivered by a known app of their
    /// participant.
    public var unproven = UnprovenChanges.pending
    /// What happens to a participant's data after a withdrawal that does not say so itself.
    public var withdrawnData = WithdrawnData.erased
    /// The versions of its consent that the study requires, and from when on: later messages wait until their
    /// participants have signed one.
    public var consents = RequiredConsents()

    /// Unproven changes wait, withdrawals erase, and each consent counts.
    public init() {}
}

/// What becomes of a message that would remove or replace what a participant gave, when nothing proves that
/// it is theirs.
///
/// The app that delivers it is the proof: the app that delivered the participant's consent, or an app with a
/// message that the study's team approved. ResearchKit's uploads have no login, and prove nothing.
public enum UnprovenChanges: String, Sendable, Hashable, CaseIterable {
    /// It waits until the study's team approves or refuses it.
    case pending
    /// It is done, as with C3-PRO and ResearchKit: whoever knows a participant's id speaks for them.
    case accepted
}

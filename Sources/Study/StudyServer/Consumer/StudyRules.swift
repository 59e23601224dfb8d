import StudyFormats
import StudyWarehouse

/// What a study decides about the messages of its participants.
public struct StudyRules: Sendable, Hashable {
    /// What becomes of withdrawals and corrections that no known app of their participant delivered.
    public var unproven = UnprovenChanges.pending
    /// What becomes of a participant's data by a withdrawal that does not say it itself.
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
/// It is proven by the app that delivers it: the one that delivered the participant's consent, or one of
/// which the study's team approved a message. ResearchKit's uploads have no login, and prove nothing.
public enum UnprovenChanges: String, Sendable, Hashable, CaseIterable {
    /// It waits until the study's team approves or refuses it.
    case pending
    /// It is done, as C3-PRO and ResearchKit have it: who knows a participant's id speaks for them.
    case accepted
}

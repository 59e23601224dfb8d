import FHIR
import FHIRClient
import Foundation
import IndivoBase
import Surveys

/// Somebody who is logged in: the launch, and the pages of the survey that is filled from it.
final class SurveyVisitor: Sendable {
    let pages: SurveyPages
    let end: Date
    private let launch: SMARTLaunch

    /// How long a visitor is logged in, in seconds.
    static let lifetime = 8.0 * 3600

    /// Fills the survey from the record of the launch's patient.
    /// - Throws: `FHIRClientError` where the record cannot be asked.
    init(
        _ launch: SMARTLaunch,
        patient: String,
        _ survey: Survey,
        store: any SurveyResponseStore,
        owners: ResponseOwners,
        context: SurveyContext,
        terminology: SurveyTerminology?,
        now: Date,
        report: @escaping @Sendable (String) -> Void
    ) async throws {
        self.launch = launch
        end = now.addingTimeInterval(Self.lifetime)
        let client = try FHIRClient(launch)
        let terminology = terminology ?? SurveyTerminology(client)
        var survey = survey
        if !survey.missingValueSets.isEmpty || survey.isModular {
            let whole = try await client.survey(survey.questionnaire, asking: terminology)
            survey = whole.survey
            for definition in whole.missing { report("\(definition)") }
        }
        let subject = "Patient/\(patient)"
        let populated = try await survey.populate(
            using: client,
            subject: subject,
            context: context,
            launchContexts: launch.references
        )
        for problem in populated.problems { report("\(problem)") }
        let filled = populated.session
        pages = SurveyPages(
            survey,
            store: SentResponses(
                store: store,
                owners: owners,
                survey: survey,
                client: client,
                subject: subject,
                context: filled.context,
                storesResponse: launch.mayCreate("QuestionnaireResponse"),
                report: report
            ),
            context: { filled.context },
            initial: filled,
            // A digest: the page needs no id.
            person: String(SHA256Sum.hex(Array(subject.utf8)).prefix(32)),
            logout: "/" + LaunchPages.logout,
            search: terminology.search,
            maximumVisits: 20
        )
    }

    /// Has the record revoke the tokens, where it can.
    func logOut() async {
        // The tokens are out of use here in any case, and expire there.
        try? await launch.logOut()
    }
}

extension SMARTLaunch {
    /// Whether a scope permits to add resources of a type.
    fileprivate func mayCreate(_ type: String) -> Bool {
        scopes.contains { scope in
            guard case .resources(let resources) = scope else { return false }
            return ["*", type].contains(resources.type) && resources.permissions.contains(.create)
        }
    }
}

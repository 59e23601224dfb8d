import FHIR
import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON
import Surveys
import Synchronization

/// Which login has a response open: an earlier one does not overwrite what it has not seen.
final class ResponseOwners: Sendable {
    private let owners = Mutex<[String: UUID]>([:])
    private static let limit = 100_000

    func take(_ id: String, _ owner: UUID) {
        owners.withLock { owners in
            if owners.count >= Self.limit { owners.removeAll() }
            owners[id] = owner
        }
    }

    /// Whether nobody else has opened it since.
    func isFree(_ id: String, for owner: UUID) -> Bool {
        owners.withLock { $0[id].map { $0 == owner } ?? true }
    }
}

/// The responses about a patient, of one login. A complete one is stored in the health record before it is
/// kept as complete.
final class SentResponses: SurveyResponseStore {
    private let store: any SurveyResponseStore
    private let owners: ResponseOwners
    private let owner = UUID()
    private let survey: Survey
    private let client: FHIRClient
    private let subject: String
    private let context: SurveyContext
    private let storesResponse: Bool
    private let report: @Sendable (String) -> Void
    /// What was last tried to be sent, by id. When the same answers are sent again after a failure that may
    /// have stored them, they are the same response.
    private let tried = Mutex<[String: QuestionnaireResponse]>([:])

    init(
        store: any SurveyResponseStore,
        owners: ResponseOwners,
        survey: Survey,
        client: FHIRClient,
        subject: String,
        context: SurveyContext,
        storesResponse: Bool,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.owners = owners
        self.survey = survey
        self.client = client
        self.subject = subject
        self.context = context
        self.storesResponse = storesResponse
        self.report = report
    }

    func response(_ id: String) async throws -> QuestionnaireResponse? {
        guard let response = try await store.response(id), response.subject?.reference == subject else {
            return nil
        }
        owners.take(id, owner)
        return response
    }

    func save(_ response: QuestionnaireResponse, id: String) async throws {
        guard owners.isFree(id, for: owner) else {
            throw SurveyStoreRefusal.openElsewhere
        }
        // An address that another person has had in this browser is not written to.
        if let stored = try await store.response(id), stored.subject?.reference != subject {
            throw SurveyStoreRefusal.openElsewhere
        }
        owners.take(id, owner)
        var response = response
        if response.status == .completed { response = try await send(response, id: id) }
        try await store.save(response, id: id)
        if response.status == .completed { tried.withLock { $0[id] = nil } }
    }

    private func send(_ new: QuestionnaireResponse, id: String) async throws -> QuestionnaireResponse {
        var response = new
        if let earlier = tried.withLock({ $0[id] }), earlier.isSame(as: new) { response = earlier }
        let asked = response
        tried.withLock { $0[id] = asked }
        do {
            let submission = try await client.submit(
                response,
                of: survey,
                context: context,
                storesResponse: storesResponse
            )
            for diagnostic in submission.extraction.diagnostics {
                let item = diagnostic.linkId.map { " at \($0)" } ?? ""
                report("\(diagnostic.severity.rawValue): \(diagnostic.code)\(item)")
            }
            return response
        } catch let error as FHIRClientError {
            report("a response was not stored in the record: \(error)")
            guard error.isRefusal else { throw error }
            // The answers are not lost: they are kept as they are, not as sent.
            var kept = response
            kept.status = .inProgress
            try await store.save(kept, id: id)
            throw SurveyStoreRefusal.refused
        }
    }
}

extension QuestionnaireResponse {
    /// Whether the same was answered, whenever.
    fileprivate func isSame(as other: QuestionnaireResponse) -> Bool {
        var own = tree
        var others = other.tree
        own["authored"] = nil
        others["authored"] = nil
        return own == others
    }
}

extension FHIRClientError {
    /// Whether the server will say the same again.
    fileprivate var isRefusal: Bool {
        guard let status else { return false }
        return (400..<500).contains(status) && ![401, 408, 409, 425, 429].contains(status)
    }
}

import FHIR
import Foundation
import OrderedJSON
import Synchronization

/// Where the responses of survey pages are kept: in a folder, on a FHIR server, in memory.
///
/// A response is saved after each page with the status `in-progress`, and at its end as `completed`, always
/// under its id.
public protocol SurveyResponseStore: Sendable {
    /// The response with an id; nil for an unknown id.
    func response(_ id: String) async throws -> QuestionnaireResponse?
    /// Stores a response under its id, and replaces a stored one.
    func save(_ response: QuestionnaireResponse, id: String) async throws
}

/// Why a store does not take a response, and will not the next time.
package enum SurveyStoreRefusal: Error, Sendable {
    /// Somebody else has opened it since.
    case openElsewhere
    /// The health record that it is for refuses it.
    case refused

    /// The visit that stays in memory after an error: none where the store has a newer one.
    static func keeps(_ visit: SurveyVisit?, after error: any Error) -> SurveyVisit? {
        if case .openElsewhere? = error as? SurveyStoreRefusal { return nil }
        return visit
    }
}

/// Keeps the latest responses in memory, up to a number of bytes, and hands over those that are complete.
public final class SurveyResponsesInMemory: SurveyResponseStore {
    private struct State {
        var content: [String: (json: [UInt8], use: Int)] = [:]
        var bytes = 0
        var uses = 0
    }

    private let state = Mutex(State())
    private let limit: Int
    private let completed: @Sendable (QuestionnaireResponse) throws -> Void

    /// - Parameters:
    ///   - limit: Bytes of JSON that are kept. Beyond it, what was saved the longest ago goes.
    ///   - completed: Gets each response that is complete; its answers are not kept in memory then.
    public init(
        limit: Int = 256 << 20,
        completed: @escaping @Sendable (QuestionnaireResponse) throws -> Void = { _ in }
    ) {
        self.limit = limit
        self.completed = completed
    }

    public func response(_ id: String) -> QuestionnaireResponse? {
        guard let json = state.withLock({ $0.content[id]?.json }) else { return nil }
        return (try? JSONValue(parsing: Data(json))).flatMap { QuestionnaireResponse(tree: $0) }
    }

    public func save(_ response: QuestionnaireResponse, id: String) throws {
        if response.status == .completed { try completed(response) }
        let json = response.tree.utf8()
        state.withLock { state in
            state.uses += 1
            state.bytes += json.count - (state.content[id]?.json.count ?? 0)
            state.content[id] = (Array(json), state.uses)
            guard state.bytes > limit else { return }
            // Down to half, so that the search for the oldest pays.
            for (oldest, entry) in state.content.sorted(by: { $0.value.use < $1.value.use })
            where oldest != id {
                state.content[oldest] = nil
                state.bytes -= entry.json.count
                if state.bytes <= limit / 2 { return }
            }
        }
    }
}

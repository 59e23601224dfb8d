import FHIR
import FHIRClient
import OrderedJSON

/// How much is asked for when a survey is filled.
public struct PopulationLimits: Sendable, Hashable {
    /// How many searches there may be in all.
    public var queries = 200
    /// How many batches there may be: each further one is for searches that depend on results of the last.
    public var rounds = 5
    /// How many resources of one search are taken, over all of its pages.
    public var resourcesOfQuery = 1_000

    /// The default limits.
    public init() {}
}

extension Survey {
    /// A session of this survey with what a server knows of a patient (SDC `$populate`, made in the app).
    ///
    /// ```swift
    /// let populated = try await survey.populate(using: client, subject: "Patient/7")
    /// for problem in populated.problems { print(problem) }
    /// var session = populated.session
    /// ```
    /// Launch contexts, queries (`x-fhir-query`, `sourceQueries`), population contexts, initial expressions
    /// and earlier Observations (`observationLinkPeriod`) are followed. What can be asked at once goes in one
    /// batch; only a search that depends on the result of another one takes a further batch. A server that
    /// takes no batch gets the searches one by one.
    ///
    /// - Parameters:
    ///   - client: The client of the patient's server.
    ///   - subject: The patient, as `Patient/7`.
    ///   - context: Resources of further launch contexts, and the time.
    ///   - references: References of further launch contexts by their names, as in
    ///     `["user": "Practitioner/9"]`; those that the questionnaire has are read with the patient.
    ///   - limits: How much is asked for.
    /// - Throws: `FHIRClientError` where the server cannot be asked at all. What a single search lacks is
    ///   among the ``PopulatedSurvey/problems``.
    public func populate(
        using client: FHIRClient,
        subject: String,
        context: SurveyContext = SurveyContext(),
        launchContexts references: [String: String] = [:],
        limits: PopulationLimits = PopulationLimits()
    ) async throws -> PopulatedSurvey {
        var requests = PopulationRequests(client: client, limits: limits)
        var context = context
        var asked: Set<String> = []
        var references = references.filter { name, reference in
            launchContexts.contains { $0.name == name } && Self.isReference(reference)
        }
        references["patient"] = subject
        references = references.filter { context.resources[$0.key] == nil }
        for (name, reference) in references {
            // Known by its id before it is read, so that the searches about it go into the first batch.
            context.resources[name] = [Self.resource(referredToBy: reference)]
        }
        var session = SurveySession(self, context: context)
        session.header.subject = Reference(subject)
        for round in 0..<max(0, limits.rounds) {
            var open = session.openQueries.filter { asked.insert($0).inserted }
            if round == 0 {
                let read = Set(references.values).filter { asked.insert($0).inserted }
                open.insert(contentsOf: read.sorted(), at: 0)
            }
            guard !open.isEmpty else { break }
            for (url, result) in try await requests.results(of: open) {
                context.queries[url] = result
            }
            if round == 0 {
                for (name, reference) in references {
                    guard let resource = context.queries[reference], !resource.isNull else { continue }
                    context.resources[name] = [resource]
                }
            }
            session = SurveySession(self, context: context)
            session.header.subject = Reference(subject)
        }
        if !session.openQueries.isEmpty { requests.report(session.openQueries, .tooMany) }
        return PopulatedSurvey(
            session: session,
            problems: requests.problems,
            requests: requests.count
        )
    }

    /// Whether a text is `Type/id`.
    private static func isReference(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].first?.isUppercase == true && parts[0].allSatisfy(\.isLetter)
            && LogicalID.isValid(String(parts[1]))
    }

    private static func resource(referredToBy reference: String) -> JSONValue {
        let parts = reference.split(separator: "/").suffix(2)
        return [
            "resourceType": JSONValue(parts.count == 2 ? String(parts[parts.startIndex]) : "Patient"),
            "id": JSONValue(parts.last.map(String.init) ?? ""),
        ]
    }
}

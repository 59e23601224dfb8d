import FHIR
import FHIRClient
import OrderedJSON

/// What a questionnaire names and could not be had: modules, value sets, and terminology servers that it
/// prefers and that were not asked, or gave nothing.
public struct MissingDefinition: Sendable, Hashable, CustomStringConvertible {
    /// The canonical URL, with `|version` where the questionnaire has it; that of the questionnaire itself
    /// where it cannot be assembled. The address of a terminology server.
    public let canonical: String
    /// What the server said; nil where it has no such resource, or more than are asked for.
    public let reason: String?

    public var description: String {
        "\(canonical): \(reason ?? "the server has none of this URL")"
    }
}

extension FHIRClient {
    /// A survey of a questionnaire with everything that it names: the modules that it is assembled from, and
    /// the value sets of its questions (SDC `$assemble`; `ValueSet/$expand`).
    ///
    /// - Parameters:
    ///   - terminology: The server that expands value sets; by default this one.
    ///   - options: How many codes of a value set are asked for; a larger one is missing, and any code is
    ///     taken.
    ///   - limit: How many modules and value sets are asked for.
    /// - Returns: The survey, and what could not be had: ``/Surveys/Survey/diagnostics`` tell where it is
    ///   used.
    /// - Throws: `FHIRClientError` where the server cannot be asked.
    public func survey(
        _ questionnaire: Questionnaire,
        terminology: FHIRClient? = nil,
        options: Int = 1_000,
        limit: Int = 100
    ) async throws -> (survey: Survey, missing: [MissingDefinition]) {
        try await survey(
            questionnaire,
            asking: SurveyTerminology(terminology ?? self),
            isSearched: false,
            options,
            limit
        )
    }

    /// A survey of a questionnaire with everything that it names, whose value sets come from the terminology
    /// servers that it prefers, as far as they may be asked. Value sets that are too large to be listed are
    /// searched: show the survey with ``SurveyTerminology/search(_:)``.
    ///
    /// - Parameters:
    ///   - terminology: The servers that may be asked, and what they said earlier.
    ///   - options: How many codes of a value set are asked for; a larger one is searched.
    ///   - limit: How many modules and value sets are asked for.
    /// - Returns: The survey, and what could not be had; preferred servers are among it that were not asked,
    ///   or gave nothing.
    /// - Throws: `FHIRClientError` where the server, or the app's own terminology server, cannot be asked.
    public func survey(
        _ questionnaire: Questionnaire,
        asking terminology: SurveyTerminology,
        options: Int = 1_000,
        limit: Int = 100
    ) async throws -> (survey: Survey, missing: [MissingDefinition]) {
        try await survey(questionnaire, asking: terminology, isSearched: true, options, limit)
    }

    private func survey(
        _ questionnaire: Questionnaire,
        asking terminology: SurveyTerminology,
        isSearched: Bool,
        _ options: Int,
        _ limit: Int
    ) async throws -> (survey: Survey, missing: [MissingDefinition]) {
        var left = limit
        var missing: [MissingDefinition] = []
        var modules: [String: Questionnaire] = [:]
        var assembled = AssembledQuestionnaire(questionnaire) { modules[$0] }
        var asked: Set<String> = []
        while let canonical = assembled.missing.first(where: { asked.insert($0).inserted }), left > 0 {
            left -= 1
            guard let module = try await module(canonical) else {
                missing.append(MissingDefinition(canonical: canonical, reason: nil))
                continue
            }
            modules[canonical] = module
            assembled = AssembledQuestionnaire(questionnaire) { modules[$0] }
        }
        let told = Set(missing.map(\.canonical))
        for canonical in assembled.missing where !told.contains(canonical) {
            missing.append(MissingDefinition(canonical: canonical, reason: Self.tooMany))
        }
        // What is not found is told already; there are circles, too many items and ids that are used twice.
        for diagnostic in assembled.diagnostics where diagnostic.code != "questionnaireNotFound" {
            let canonical = questionnaire.url?.rawValue ?? "the questionnaire"
            missing.append(MissingDefinition(canonical: canonical, reason: "\(diagnostic)"))
        }
        var valueSets: [String: ValueSet] = [:]
        var refusing: Set<String> = []
        let survey = Survey(assembled.questionnaire)
        for canonical in survey.missingValueSets {
            guard left > 0 else {
                missing.append(MissingDefinition(canonical: canonical, reason: Self.tooMany))
                continue
            }
            left -= 1
            let listing = try await terminology.listing(
                of: canonical,
                contained: survey.containedValueSet(canonical),
                servers: survey.terminologyServers(of: canonical),
                count: options
            )
            for (server, reason) in listing.refusals where refusing.insert(server).inserted {
                missing.append(MissingDefinition(canonical: server, reason: reason))
            }
            if listing.isTooLarge, !isSearched {
                missing.append(
                    MissingDefinition(canonical: canonical, reason: "more than \(options) codes")
                )
            } else if let valueSet = listing.valueSet {
                valueSets[canonical] = valueSet
            } else {
                missing.append(MissingDefinition(canonical: canonical, reason: listing.reason))
            }
        }
        guard !valueSets.isEmpty else { return (survey, missing) }
        return (Survey(assembled.questionnaire) { valueSets[$0] }, missing)
    }

    private static var tooMany: String { "too many are asked for" }

    private func module(_ canonical: String) async throws -> Questionnaire? {
        let parts = canonical.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        // Without its URL a search would find any questionnaire.
        guard !parts[0].isEmpty else { return nil }
        var search: FHIRSearch = [.raw("url", String(parts[0])), .count(1)]
        if parts.count == 2, !parts[1].isEmpty { search.parameters.append(.raw("version", String(parts[1]))) }
        for try await module in self.search(Questionnaire.self, search) { return module }
        return nil
    }
}

import FHIR
import FHIRClient
import OrderedJSON
import Surveys

/// What a questionnaire names and could not be had.
public struct MissingDefinition: Sendable, Hashable, CustomStringConvertible {
    /// The canonical URL, with `|version` where the questionnaire has it; that of the questionnaire itself
    /// where it cannot be assembled.
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
        let survey = Survey(assembled.questionnaire)
        for canonical in survey.missingValueSets {
            guard left > 0 else {
                missing.append(MissingDefinition(canonical: canonical, reason: Self.tooMany))
                continue
            }
            left -= 1
            do {
                if let expansion = try await (terminology ?? self).expansion(of: canonical, options) {
                    valueSets[canonical] = expansion
                } else {
                    missing.append(
                        MissingDefinition(canonical: canonical, reason: "more than \(options) codes")
                    )
                }
            } catch let error as FHIRClientError where error.status != nil {
                missing.append(MissingDefinition(canonical: canonical, reason: "\(error)"))
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

    private func expansion(of canonical: String, _ count: Int) async throws -> ValueSet? {
        let count = max(0, min(count, Int.max - 1))
        // One more than is taken shows that there are more.
        let query: FHIRSearch = [.raw("url", canonical), .raw("count", String(count + 1))]
        let valueSet = try await operation("expand", on: .type("ValueSet"), query: query)?.as(ValueSet.self)
        guard let valueSet, valueSet.expansion?.contains.count ?? 0 <= count else { return nil }
        return valueSet
    }
}

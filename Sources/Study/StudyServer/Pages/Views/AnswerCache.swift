import StudyWarehouse

/// The answers to questionnaires, each read at most twice a minute: to count them takes seconds in a large
/// warehouse, however many people look.
actor AnswerCache {
    private static let lifetime = Duration.seconds(30)

    private var kept: [String: (answers: Task<[QuestionSummary], any Error>, until: Duration)] = [:]
    private let elapsed: @Sendable () -> Duration

    init(elapsed: @escaping @Sendable () -> Duration) { self.elapsed = elapsed }

    /// The answers of a source that the warehouse has, read by `read` where they are not known.
    func answers(
        of source: QuestionSource,
        _ read: @escaping @Sendable (QuestionSource) async throws -> [QuestionSummary]
    ) async throws -> [QuestionSummary] {
        let now = elapsed()
        kept = kept.filter { $0.value.until > now }
        let answers = kept[source.name]?.answers ?? Task { try await read(source) }
        if kept[source.name] == nil { kept[source.name] = (answers, now + Self.lifetime) }
        do {
            return try await answers.value
        } catch {
            kept[source.name] = nil
            throw error
        }
    }
}

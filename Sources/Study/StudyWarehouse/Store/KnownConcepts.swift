import Synchronization

/// Concepts that the database is known to have: none is ever deleted, and most facts are about the same ones.
final class KnownConcepts: Sendable {
    /// More than a study's questionnaires have.
    private static let maximumCount = 20_000

    private let concepts = Mutex<Set<Concept>>([])

    func contains(_ concept: Concept) -> Bool { concepts.withLock { $0.contains(concept) } }

    /// Remembers what a transaction found or wrote, once it is committed.
    func add(_ committed: Set<Concept>) {
        guard !committed.isEmpty else { return }
        concepts.withLock { concepts in
            if concepts.count + committed.count > Self.maximumCount { concepts = [] }
            concepts.formUnion(committed.prefix(Self.maximumCount))
        }
    }
}

/// What one transaction has seen of concepts.
final class SeenConcepts {
    private let known: KnownConcepts
    private(set) var new: Set<Concept> = []

    init(_ known: KnownConcepts) { self.known = known }

    func contains(_ concept: Concept) -> Bool { new.contains(concept) || known.contains(concept) }
    func insert(_ concept: Concept) { new.insert(concept) }
}

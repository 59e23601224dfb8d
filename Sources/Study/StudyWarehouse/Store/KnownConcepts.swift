import Synchronization

/// Concepts and units that the database is known to have: none is ever deleted, and most facts are about the
/// same ones.
final class KnownConcepts: Sendable {
    /// More than a study's questionnaires have.
    private static let maximumCount = 20_000

    private struct State {
        var concepts: Set<Concept> = []
        var units: [String: [ConceptUnit]] = [:]
    }

    private let state = Mutex(State())

    func contains(_ concept: Concept) -> Bool { state.withLock { $0.concepts.contains(concept) } }
    func units(of code: String) -> [ConceptUnit] { state.withLock { $0.units[code] ?? [] } }

    /// Remembers what a transaction found or wrote, once it is committed.
    func add(_ concepts: Set<Concept>, _ units: [String: [ConceptUnit]]) {
        guard !concepts.isEmpty || !units.isEmpty else { return }
        state.withLock { state in
            if state.concepts.count + concepts.count > Self.maximumCount { state.concepts = [] }
            state.concepts.formUnion(concepts.prefix(Self.maximumCount))
            if state.units.count + units.count > Self.maximumCount { state.units = [:] }
            for (code, found) in units.prefix(Self.maximumCount) {
                let known = state.units[code] ?? []
                state.units[code] = known + found.filter { !known.contains($0) }
            }
        }
    }
}

/// What one transaction has seen of concepts and their units.
final class SeenConcepts {
    private let known: KnownConcepts
    private(set) var new: Set<Concept> = []
    private(set) var newUnits: [String: [ConceptUnit]] = [:]

    init(_ known: KnownConcepts) { self.known = known }

    func contains(_ concept: Concept) -> Bool { new.contains(concept) || known.contains(concept) }
    func insert(_ concept: Concept) { new.insert(concept) }

    func units(of code: String) -> [ConceptUnit] { known.units(of: code) + (newUnits[code] ?? []) }

    func insert(_ unit: ConceptUnit, of code: String) {
        guard !units(of: code).contains(unit) else { return }
        newUnits[code, default: []].append(unit)
    }
}

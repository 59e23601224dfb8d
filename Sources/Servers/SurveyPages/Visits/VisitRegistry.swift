import Synchronization

/// The visits in memory, by the token of their response. Their number is limited: those that nobody uses are
/// removed first.
///
/// What is in memory is also in the store, so nothing that was saved goes with a visit.
final class VisitRegistry: Sendable {
    private struct Slot {
        var entry: VisitEntry
        var users = 0
        var lastUse = 0
        var cost = 0
    }

    private struct State {
        var slots: [String: Slot] = [:]
        var uses = 0
        var cost = 0
    }

    private let state = Mutex(State())
    private let maximumVisits: Int
    private let maximumCost: Int

    init(maximumVisits: Int = 500, maximumCost: Int = 256 << 20) {
        self.maximumVisits = maximumVisits
        self.maximumCost = maximumCost
    }

    /// How many visits are in memory.
    var count: Int { state.withLock { $0.slots.count } }

    /// Does `body` with a response's visit, and nothing else with it meanwhile. `body` returns the visit to
    /// be kept.
    func use<Value: Sendable>(
        _ token: String,
        _ body: @escaping @Sendable (SurveyVisit?) async -> (Value, SurveyVisit?)
    ) async -> Value {
        let entry = state.withLock { state in
            state.uses += 1
            var slot = state.slots[token] ?? Slot(entry: VisitEntry())
            slot.users += 1
            slot.lastUse = state.uses
            state.slots[token] = slot
            return slot.entry
        }
        let (value, cost) = await entry.exclusively(body)
        state.withLock { state in
            guard var slot = state.slots[token] else { return }
            slot.users -= 1
            state.cost += cost - slot.cost
            slot.cost = cost
            state.slots[token] = cost == 0 && slot.users == 0 ? nil : slot
            while state.slots.count > maximumVisits || state.cost > maximumCost {
                let idle = state.slots.filter { $0.value.users == 0 }.min {
                    $0.value.lastUse < $1.value.lastUse
                }
                guard let idle else { return }
                state.cost -= idle.value.cost
                state.slots[idle.key] = nil
            }
        }
        return value
    }
}

/// One visit, used by one request after the other.
actor VisitEntry {
    private var visit: SurveyVisit?
    private var last: Task<Void, Never>?

    /// Does `body` when those before it are done. Returns its value, and the memory that the visit takes: 0
    /// where there is no visit.
    func exclusively<Value: Sendable>(
        _ body: @escaping @Sendable (SurveyVisit?) async -> (Value, SurveyVisit?)
    ) async -> (Value, Int) {
        let previous = last
        let task = Task { () -> (Value, Int) in
            await previous?.value
            let (value, visit) = await body(self.visit)
            self.visit = visit
            return (value, visit?.cost ?? 0)
        }
        last = Task { _ = await task.value }
        return await task.value
    }
}

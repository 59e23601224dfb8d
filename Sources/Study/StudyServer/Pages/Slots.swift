import Synchronization

/// How many may do something at once that takes much processor or memory.
final class Slots: Sendable {
    private let count: Int
    private let taken = Mutex(0)

    init(_ count: Int) { self.count = count }

    /// Takes a slot; false when all are taken. A caller that gets one calls ``leave()`` afterwards.
    func enter() -> Bool {
        taken.withLock { taken in
            guard taken < count else { return false }
            taken += 1
            return true
        }
    }

    /// Releases a slot.
    func leave() { taken.withLock { $0 -= 1 } }
}

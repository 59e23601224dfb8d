/// What one body has of the budget of all bodies. It grows as bytes come: who announces a body and sends none takes nothing.
struct BodyShare {
    private static let step = 64 << 10

    private let connections: OpenConnections
    private var size = 0

    init(_ connections: OpenConnections) { self.connections = connections }

    /// Makes room for so many bytes in all; false when the budget is used up.
    mutating func grow(to bytes: Int) -> Bool {
        guard bytes > size else { return true }
        // In steps, and where there is no room for one, just what is needed.
        for more in [max(Self.step, bytes - size), bytes - size] where connections.reserve(more) {
            size += more
            return true
        }
        return false
    }

    /// Gives all of it back.
    mutating func giveBack() {
        connections.release(size)
        size = 0
    }
}

import Foundation
import Synchronization

/// The connections that are open, what each waits for, until when it may, and how many bytes of bodies there
/// is room for.
///
/// Where one more comes than may be open, the one that has waited longest for its client is cut, so that no
/// number of slow or silent clients keeps others out; a request that is being handled is never cut for
/// another. A connection goes by its descriptor: owners remove theirs before they close them, so that what is
/// shut down under the lock is never another's.
final class OpenConnections: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What a connection does, in the order in which connections are given up.
    enum Phase: Int {
        /// The response that ends the connection is sent; its client is to close.
        case closing
        /// Nothing of a request has come.
        case idle
        /// A part of a request has come.
        case receiving
        /// The response is being sent.
        case sending
        /// The handler works on the response.
        case responding
    }

    private struct Connection {
        /// The address of its client.
        let peer: String
        /// What it does, since when, and until when it may.
        var phase: (kind: Phase, since: Instant, deadline: Instant)
        /// It was shut down; its owner is about to close it.
        var isCut = false
        /// Ends the work on its response, which nobody would get.
        var cancelWork: (@Sendable () -> Void)?
    }

    private let table = Mutex<[Int32: Connection]>([:])
    private let limit, peerLimit: Int
    /// How many bytes of bodies may still come into memory.
    private let budget: Mutex<Int>
    /// A time that only goes forward.
    let now: @Sendable () -> Instant
    private let shutDown: @Sendable (Int32) -> Void
    private let hasLeft: @Sendable (Int32) -> Bool

    /// - Parameter peerLimit: How many connections one address may have.
    init(
        limit: Int,
        peerLimit: Int = .max,
        bodyBudget: Int,
        now: @escaping @Sendable () -> Instant = { .now },
        shutDown: @escaping @Sendable (Int32) -> Void = { _ = shutdown($0, Int32(SHUT_RDWR)) },
        hasLeft: @escaping @Sendable (Int32) -> Bool = OpenConnections.isAtItsEnd
    ) {
        self.limit = max(1, limit)
        self.peerLimit = max(1, peerLimit)
        self.now = now
        self.shutDown = shutDown
        self.hasLeft = hasLeft
        budget = Mutex(bodyBudget)
    }

    /// Those that are cut and not yet closed included.
    var count: Int { table.withLock { $0.count } }

    /// Takes bytes of the budget, if they are there: in steps of 64 KiB, and where there is no room for one,
    /// what is needed.
    func reserve(_ needed: Int, for share: inout Int) -> Bool {
        budget.withLock { budget in
            guard needed <= budget else { return false }
            let taken = max(needed, budget < 64 << 10 ? 0 : 64 << 10)
            budget -= taken
            share += taken
            return true
        }
    }

    /// Gives bytes back that were taken.
    func release(_ bytes: Int) { budget.withLock { $0 += bytes } }

    /// Whether requests are being handled on all the connections that an address may have: others need not
    /// wait for it.
    func isFull(of peer: String) -> Bool {
        table.withLock {
            $0.values.count { $0.peer == peer && !$0.isCut && $0.phase.kind == .responding } >= peerLimit
        }
    }

    /// Takes a connection in; false when requests of all open ones are being handled.
    func open(_ file: Int32, of peer: String = "", for duration: Duration) -> Bool {
        table.withLock { table in
            // Those that are cut are closed soon, but not at once.
            guard table.count < 2 * limit else { return false }
            let open = table.values.filter { !$0.isCut }
            if open.count(where: { $0.peer == peer }) >= peerLimit {
                cutLongestWaiting(of: peer, in: &table)
            } else if open.count >= limit {
                guard cutLongestWaiting(in: &table) else { return false }
            }
            table[file] = Connection(peer: peer, phase: (.idle, now(), now() + duration))
            return true
        }
    }

    /// Notes what a connection does from now on, and returns until when it may.
    @discardableResult
    func enter(_ phase: Phase, _ file: Int32, for duration: Duration) -> Instant {
        let since = now()
        table.withLock { table in
            table[file]?.phase = (phase, since, since + duration)
            table[file]?.cancelWork = nil
        }
        return since + duration
    }

    /// Calls `cancelWork` once the connection is cut in the phase that it is in.
    func whenCut(_ file: Int32, _ cancelWork: @escaping @Sendable () -> Void) {
        let isCut = table.withLock { table in
            table[file]?.cancelWork = cancelWork
            return table[file]?.isCut ?? true
        }
        if isCut { cancelWork() }
    }

    /// Forgets a connection. Its owner does this before it closes it.
    func remove(_ file: Int32) { table.withLock { $0[file] = nil } }

    /// Whether the client has sent the end of the connection, and nothing before it that was not read.
    static func isAtItsEnd(_ file: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(file, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Cuts the connections past their deadlines, and those whose client left while the response was made.
    func cutOverdue() {
        let cancelled = table.withLock { table in
            let overdue = table.filter { file, connection in
                guard !connection.isCut else { return false }
                return connection.phase.deadline < now()
                    || (connection.phase.kind == .responding && hasLeft(file))
            }
            for file in overdue.keys { cut(file, in: &table) }
            return overdue.values.compactMap(\.cancelWork)
        }
        // Not under the lock: what is cancelled may come back here.
        for cancelWork in cancelled { cancelWork() }
    }

    /// Cuts the connection that is given up first.
    func cutLongestWaiting() { table.withLock { _ = cutLongestWaiting(in: &$0) } }

    /// False where requests of all connections, or of all of an address, are being handled.
    @discardableResult
    private func cutLongestWaiting(of peer: String? = nil, in table: inout [Int32: Connection]) -> Bool {
        let candidates = table.filter {
            !$1.isCut && $1.phase.kind != .responding && (peer == nil || $1.peer == peer)
        }
        let order = { (connection: Connection) in (connection.phase.kind.rawValue, connection.phase.since) }
        guard let file = candidates.min(by: { order($0.value) < order($1.value) })?.key else { return false }
        cut(file, in: &table)
        return true
    }

    private func cut(_ file: Int32, in table: inout [Int32: Connection]) {
        table[file]?.isCut = true
        shutDown(file)
    }
}

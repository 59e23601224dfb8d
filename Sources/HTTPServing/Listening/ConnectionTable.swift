/// The connections that are open: what each waits for, and until when it may.
///
/// A server has a bound on them. Where one more comes, the connection that has waited longest for its client is cut, so
/// that no number of slow or silent clients keeps others out; a request that is being handled is never cut for another.
struct ConnectionTable {
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

    struct Connection {
        let file: Int32
        /// The address of its client.
        let peer: String
        fileprivate(set) var phase = Phase.idle
        /// When the phase began.
        fileprivate(set) var since: Instant
        fileprivate(set) var deadline: Instant
        /// It was shut down; its owner is about to close it.
        fileprivate(set) var isCut = false
    }

    typealias Key = Int

    /// A connection that was taken in.
    struct Opened: Equatable {
        let key: Key
        /// The descriptor of the connection that is to be shut down for it.
        let cut: Int32?
    }

    private var connections: [Key: Connection] = [:]
    private var nextKey = 0
    private let limit: Int
    private let peerLimit: Int

    /// - Parameter peerLimit: How many connections one address may have.
    init(limit: Int, peerLimit: Int = .max) { (self.limit, self.peerLimit) = (max(1, limit), max(1, peerLimit)) }

    var count: Int { connections.count }

    /// Whether requests are being handled on all the connections that an address may have: others need not wait for it.
    func isFull(of peer: String) -> Bool {
        connections.values.count { $0.peer == peer && !$0.isCut && $0.phase == .responding } >= peerLimit
    }

    /// Takes a connection in.
    ///
    /// - Returns: `nil` when requests of all open ones are being handled.
    mutating func open(_ file: Int32, of peer: String = "", at now: Instant, until deadline: Instant) -> Opened? {
        // Those that are cut are closed soon, but not at once.
        guard connections.count < 2 * limit else { return nil }
        var cut: Int32?
        if connections.values.count(where: { $0.peer == peer && !$0.isCut }) >= peerLimit {
            cut = cutLongestWaiting(of: peer)
        } else if connections.values.count(where: { !$0.isCut }) >= limit {
            guard let file = cutLongestWaiting() else { return nil }
            cut = file
        }
        nextKey += 1
        connections[nextKey] = Connection(file: file, peer: peer, since: now, deadline: deadline)
        return Opened(key: nextKey, cut: cut)
    }

    mutating func enter(_ phase: Phase, _ key: Key, at now: Instant, until deadline: Instant) {
        connections[key]?.phase = phase
        connections[key]?.since = now
        connections[key]?.deadline = deadline
    }

    /// Forgets a connection. Its owner does this before it closes it: what is in the table is open.
    mutating func remove(_ key: Key) { connections[key] = nil }

    /// Marks the connections past their deadlines as cut, and returns what is to be shut down.
    mutating func cutOverdue(at now: Instant) -> [Int32] {
        var files: [Int32] = []
        for (key, connection) in connections where !connection.isCut && connection.deadline < now {
            connections[key]?.isCut = true
            files.append(connection.file)
        }
        return files
    }

    /// Marks the connection that is given up first as cut.
    ///
    /// - Parameter peer: Of this address; of any without it.
    mutating func cutLongestWaiting(of peer: String? = nil) -> Int32? {
        let candidates = connections.filter { entry in
            !entry.value.isCut && entry.value.phase != .responding && (peer == nil || entry.value.peer == peer)
        }
        let order = { (connection: Connection) in (connection.phase.rawValue, connection.since) }
        guard let found = candidates.min(by: { order($0.value) < order($1.value) }) else { return nil }
        connections[found.key]?.isCut = true
        return found.value.file
    }
}

import Synchronization
import Testing

@testable import WebServing

@Suite("The connections that are open")
struct OpenConnectionsTests {
    /// Connections by a clock of our own, and the descriptors that they cut.
    private final class PageTable: Sendable {
        let connections: OpenConnections
        private let seen = Seen()

        private final class Seen: Sendable {
            let now = Mutex(0)
            let cut = Mutex<[Int32]>([])
        }

        init(limit: Int, peerLimit: Int = .max) {
            let start = ContinuousClock.now
            connections = OpenConnections(
                limit: limit,
                peerLimit: peerLimit,
                bodyBudget: 0,
                now: { [seen] in start + .seconds(seen.now.withLock { $0 }) },
                shutDown: { [seen] file in seen.cut.withLock { $0.append(file) } }
            )
        }

        /// Opens a connection at a time, which may wait for a minute.
        /// - Returns: Whether it was taken in, and what was cut for it.
        func open(_ file: Int32, of peer: String = "", at second: Int) -> (isTaken: Bool, cut: [Int32]) {
            pass(to: second)
            return (connections.open(file, of: peer, for: .seconds(60)), takeCut())
        }

        func enter(_ phase: OpenConnections.Phase, _ file: Int32, at second: Int, for seconds: Int = 60) {
            pass(to: second)
            connections.enter(phase, file, for: .seconds(seconds))
        }

        func cutOverdue(at second: Int) -> [Int32] {
            pass(to: second)
            connections.cutOverdue()
            return takeCut()
        }

        private func pass(to second: Int) { seen.now.withLock { $0 = second } }

        private func takeCut() -> [Int32] {
            seen.cut.withLock { cut in
                defer { cut = [] }
                return cut
            }
        }
    }

    /// A table with its limit's number of connections, opened a second apart.
    private func full(_ limit: Int) -> PageTable {
        let table = PageTable(limit: limit)
        for number in 0..<limit {
            let opened = table.open(Int32(number), at: number)
            #expect(opened.isTaken && opened.cut.isEmpty)
        }
        return table
    }

    @Test(
        "over the limit the longest idle is cut, then the slowest to send, never the busy"
    )
    func order() {
        let table = full(4)
        table.enter(.receiving, 0, at: 5)
        table.enter(.responding, 1, at: 6)
        var cut: [Int32] = []
        for file in Int32(4)..<8 {
            cut += table.open(file, at: Int(file) + 3).cut
            table.enter(.receiving, file, at: Int(file) + 3)
        }
        #expect(cut == [2, 3, 0, 4])
    }

    @Test("where all are busy one more is refused")
    func busy() {
        let table = full(2)
        for file in Int32(0)..<2 { table.enter(.responding, file, at: 3) }
        #expect(!table.open(2, at: 4).isTaken)
        table.connections.remove(0)
        #expect(table.open(3, at: 5).isTaken)
    }

    @Test("those that are cut and not yet closed are bounded too")
    func cutOnes() {
        let table = full(3)
        for file in Int32(3)..<6 { #expect(table.open(file, at: Int(file)).cut == [file - 3]) }
        #expect(!table.open(6, at: 7).isTaken && table.connections.count == 6)
    }

    @Test("a phase that outlasts its deadline is cut once, however often bytes come in")
    func deadlines() {
        let table = full(2)
        table.enter(.receiving, 1, at: 1, for: 10)
        #expect([11, 12, 13].map { table.cutOverdue(at: $0) } == [[], [1], []])
        table.connections.remove(0)
        #expect(table.cutOverdue(at: 99) == [])
    }

    @Test("beyond an address's limit its longest waiting connection is cut, and no other")
    func crowd() {
        let table = PageTable(limit: 4, peerLimit: 2)
        let peers = ["a", "b", "b", "b"]
        let opened = peers.indices.map { table.open(Int32($0), of: peers[$0], at: $0) }
        #expect(opened.allSatisfy(\.isTaken) && opened.map(\.cut) == [[], [], [], [1]])
        #expect(!table.connections.isFull(of: "b"))
        for file in Int32(2)..<4 { table.enter(.responding, file, at: 5) }
        #expect(table.connections.isFull(of: "b") && !table.connections.isFull(of: "a"))
    }
}

import Testing

@testable import HTTPServing

@Suite("The table of connections")
struct ConnectionTableTests {
    private static let start = ContinuousClock.now
    private func at(_ seconds: Int) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }

    /// A table with its limit's number of connections, opened a second apart, and their keys.
    private func full(_ limit: Int) throws -> (table: ConnectionTable, keys: [ConnectionTable.Key]) {
        var table = ConnectionTable(limit: limit)
        var keys: [ConnectionTable.Key] = []
        for number in 0..<limit {
            let opened = table.open(Int32(number), at: at(number), until: at(60))
            keys.append(try #require(opened).key)
            #expect(opened?.cut == nil)
        }
        return (table, keys)
    }

    @Test("beyond the limit the longest idle is cut first, then the longest to send its request, never a busy one")
    func order() throws {
        var (table, keys) = try full(4)
        table.enter(.receiving, keys[0], at: at(5), until: at(60))
        table.enter(.responding, keys[1], at: at(6), until: at(60))
        var cut: [Int32?] = []
        for number in 4..<8 {
            let opened = table.open(Int32(number), at: at(number + 3), until: at(60))
            if let key = opened?.key { table.enter(.receiving, key, at: at(number + 3), until: at(60)) }
            cut.append(opened?.cut)
        }
        #expect(cut == [2, 3, 0, 4])
    }

    @Test("where all are busy one more is refused")
    func busy() throws {
        var (table, keys) = try full(2)
        for key in keys { table.enter(.responding, key, at: at(3), until: at(60)) }
        let refused = table.open(2, at: at(4), until: at(60))
        #expect(refused == nil)
        table.remove(keys[0])
        let taken = table.open(3, at: at(5), until: at(60))
        #expect(taken != nil)
    }

    @Test("those that are cut and not yet closed are bounded too")
    func cutOnes() throws {
        var (table, _) = try full(3)
        for file in Int32(3)..<6 {
            let opened = table.open(file, at: at(Int(file)), until: at(60))
            #expect(opened?.cut == file - 3)
        }
        let refused = table.open(6, at: at(7), until: at(60))
        #expect(refused == nil && table.count == 6)
    }

    @Test("a phase that lasts beyond its deadline is cut once, however often bytes come in it")
    func deadlines() throws {
        var (table, keys) = try full(2)
        table.enter(.receiving, keys[1], at: at(1), until: at(11))
        var cut: [[Int32]] = []
        for second in [11, 12, 13] { cut.append(table.cutOverdue(at: at(second))) }
        #expect(cut == [[], [1], []])
        table.remove(keys[0])
        cut = [table.cutOverdue(at: at(99))]
        #expect(cut == [[]])
    }

    @Test("beyond an address's own limit its longest waiting connection is cut, and nobody else's")
    func crowd() throws {
        var table = ConnectionTable(limit: 4, peerLimit: 2)
        var opened: [ConnectionTable.Opened] = []
        for (number, peer) in ["a", "b", "b", "b"].enumerated() {
            let taken = table.open(Int32(number), of: peer, at: at(number), until: at(60))
            opened.append(try #require(taken))
        }
        #expect(opened.map(\.cut) == [nil, nil, nil, 1])
        #expect(!table.isFull(of: "b"))
        for connection in opened[2...] { table.enter(.responding, connection.key, at: at(5), until: at(60)) }
        #expect(table.isFull(of: "b") && !table.isFull(of: "a"))
    }
}

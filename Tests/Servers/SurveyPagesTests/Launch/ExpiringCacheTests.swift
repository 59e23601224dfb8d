import Foundation
import Testing

@testable import SurveyPages

/// Which values go when there are too many.
@Suite struct ExpiringCacheTests {
    private struct Value: Sendable, Hashable {
        var number: Int
        var client = "a"
        var end: Date { Date(timeIntervalSince1970: Double(100 + number)) }
    }

    private func table(_ maximum: Int, ofClient: Int) -> ExpiringCache<Value> {
        ExpiringCache(maximum: maximum, maximumOfClient: ofClient, client: \.client, end: \.end)
    }

    private let now = Date(timeIntervalSince1970: 0)

    @Test("the oldest goes for a new one, and what is over is not given")
    func oldest() {
        var table = table(2, ofClient: 2)
        #expect(table.add(Value(number: 1), named: "1", now: now).isEmpty)
        #expect(table.add(Value(number: 2), named: "2", now: now).isEmpty)
        #expect(table.add(Value(number: 3), named: "3", now: now).map(\.number) == [1])
        #expect(table.value(named: "1", now: now) == nil)
        #expect(table.value(named: "2", now: now)?.number == 2)
        let later = Date(timeIntervalSince1970: 102)
        #expect(table.value(named: "2", now: later) == nil)
        #expect(table.add(Value(number: 9), named: "9", now: later).map(\.number) == [2])
        #expect(Set(table.removeAll().map(\.number)) == [3, 9])
    }

    @Test("a client with many values pushes out its own, not those of others")
    func flood() {
        var table = table(10, ofClient: 3)
        _ = table.add(Value(number: 0, client: "person"), named: "person", now: now)
        for number in 1...500 { _ = table.add(Value(number: number), named: "\(number)", now: now) }
        #expect(table.value(named: "person", now: now) != nil)
        #expect(Set(table.removeAll().map(\.number)) == [0, 498, 499, 500])
    }
}

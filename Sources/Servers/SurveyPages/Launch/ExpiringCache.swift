import Foundation

/// Values by name, which expire, and which are limited for each client and in all: the oldest are removed
/// first.
struct ExpiringCache<Value: Sendable>: Sendable {
    private var values: [String: Value] = [:]
    private let maximum: Int
    private let maximumOfClient: Int
    private let client: @Sendable (Value) -> String
    private let end: @Sendable (Value) -> Date

    /// - Parameter client: The address that a value is of: one client pushes out its own values first.
    init(
        maximum: Int,
        maximumOfClient: Int,
        client: @escaping @Sendable (Value) -> String,
        end: @escaping @Sendable (Value) -> Date
    ) {
        self.maximum = maximum
        self.maximumOfClient = maximumOfClient
        self.client = client
        self.end = end
    }

    /// Adds a value.
    ///
    /// - Returns: The values that it pushes out, and those that have expired.
    mutating func add(_ value: Value, named name: String, now: Date) -> [Value] {
        let own = client(value)
        var gone = remove { [end] in end($0) <= now }
        gone += removeOldest(leaving: maximumOfClient - 1) { [client] in client($0) == own }
        gone += removeOldest(leaving: maximum - 1) { _ in true }
        values[name] = value
        return gone
    }

    /// The value of a name; nil for one that has expired.
    func value(named name: String, now: Date) -> Value? { values[name].flatMap { end($0) > now ? $0 : nil } }

    /// Forgets a value.
    mutating func remove(_ name: String) -> Value? { values.removeValue(forKey: name) }

    /// Forgets everything.
    mutating func removeAll() -> [Value] { remove { _ in true } }

    private mutating func remove(where isGone: (Value) -> Bool) -> [Value] {
        let gone = values.filter { isGone($0.value) }
        for name in gone.keys { values[name] = nil }
        return Array(gone.values)
    }

    private mutating func removeOldest(leaving count: Int, where isCounted: (Value) -> Bool) -> [Value] {
        let counted = values.filter { isCounted($0.value) }
        guard counted.count > count else { return [] }
        let oldest = counted.sorted { end($0.value) < end($1.value) }.prefix(counted.count - count)
        for (name, _) in oldest { values[name] = nil }
        return oldest.map(\.value)
    }
}

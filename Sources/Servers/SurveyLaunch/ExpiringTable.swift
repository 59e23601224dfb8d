import Foundation

/// Values by names, so many at most and none beyond its end. The oldest go.
struct ExpiringTable<Value: Sendable>: Sendable {
    private(set) var values: [String: Value] = [:]
    private let maximum: Int
    private let end: @Sendable (Value) -> Date

    init(maximum: Int, end: @escaping @Sendable (Value) -> Date) {
        self.maximum = maximum
        self.end = end
    }

    /// Adds a value.
    ///
    /// - Returns: Those that go: they are over, or the oldest of too many.
    mutating func add(_ value: Value, named name: String, now: Date) -> [Value] {
        var gone = values.filter { end($0.value) <= now }
        if values.count - gone.count >= maximum,
            let oldest = values.filter({ gone[$0.key] == nil }).min(by: { end($0.value) < end($1.value) })
        {
            gone[oldest.key] = oldest.value
        }
        for name in gone.keys { values[name] = nil }
        values[name] = value
        return Array(gone.values)
    }

    /// The value of a name; nil for one that is over.
    func value(named name: String, now: Date) -> Value? { values[name].flatMap { end($0) > now ? $0 : nil } }

    /// Forgets a value.
    mutating func remove(_ name: String) -> Value? { values.removeValue(forKey: name) }

    /// Forgets everything.
    mutating func removeAll() -> [Value] {
        defer { values = [:] }
        return Array(values.values)
    }
}

/// Values by key, bounded in number and bytes: the oldest are removed first.
struct BoundedCache<Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var bytes: Int
        /// Seconds since 1970.
        var at: Double
    }

    private var entries: [String: Entry] = [:]
    private var bytes = 0
    private let maximumValues: Int
    private let maximumBytes: Int

    init(values: Int, bytes: Int) {
        maximumValues = values
        maximumBytes = bytes
    }

    /// The value of a key, unless it is older.
    func value(_ key: String, since time: Double) -> Value? {
        entries[key].flatMap { $0.at >= time ? $0.value : nil }
    }

    /// Keeps a value; one that is larger than all may be is not kept.
    mutating func keep(_ value: Value, _ key: String, bytes size: Int, at time: Double) {
        remove(key)
        let size = size + key.utf8.count
        guard size <= maximumBytes else { return }
        while entries.count >= maximumValues || bytes + size > maximumBytes,
            let oldest = entries.min(by: { $0.value.at < $1.value.at })
        {
            remove(oldest.key)
        }
        entries[key] = Entry(value: value, bytes: size, at: time)
        bytes += size
    }

    private mutating func remove(_ key: String) {
        if let entry = entries.removeValue(forKey: key) { bytes -= entry.bytes }
    }
}

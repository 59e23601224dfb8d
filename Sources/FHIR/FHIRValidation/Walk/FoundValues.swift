import Foundation
import OrderedJSON

/// What was found of the values of a Bundle, where it follows from their texts alone and nothing was
/// reported: most of what a resource has, such as codes and categories, was in an earlier one with the same
/// text.
struct FoundValues {
    /// A text, and what it is checked by. The text is in what is validated, which outlives the validation;
    /// the definition is held by who asks, and by an entry.
    struct Key {
        fileprivate let definition: Unmanaged<AnyObject>
        fileprivate let text: UnsafeRawBufferPointer
        fileprivate let hash: UInt64
    }

    private struct Entry {
        let key: Key
        /// Keeps the key's.
        let definition: AnyObject
        let outcome: Bool
        /// How many steps the check took, and how deep it began.
        let steps: Int
        let depth: Int
    }

    /// How long the texts are that are kept: what is longer is seldom repeated.
    private static let limit = 2048
    private static let maximumCount = 4096

    /// By the hash's last bits; of two with the same the later.
    private var entries: [Entry?] = []
    private var count = 0

    /// Forgets all, where a Bundle begins or ends: references in another one may be to other resources.
    mutating func removeAll() {
        entries = []
        count = 0
    }

    /// - Returns: Nil for what is not kept.
    static func key(_ value: ParsedNode, _ definition: AnyObject) -> Key? {
        guard let text = value.content(atMost: limit), let start = text.baseAddress else { return nil }
        var hash = UInt64(UInt(bitPattern: Unmanaged.passUnretained(definition).toOpaque()))
        var position = 0
        while position < text.count {
            var word = start.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let rest = text.count - position
            // The bytes behind the text are others each time.
            if rest < 8 { word = UInt64(littleEndian: word) << UInt64(64 - 8 * rest) }
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low
            position += 8
        }
        return Key(definition: .passUnretained(definition), text: text, hash: hash)
    }

    /// What was found of a value at this depth or deeper, and in how many steps; nil where nothing was.
    func found(_ key: Key, at depth: Int) -> (outcome: Bool, steps: Int)? {
        guard !entries.isEmpty, let entry = entries[slot(key)], entry.key.hash == key.hash,
            entry.depth >= depth, entry.key.definition.toOpaque() == key.definition.toOpaque(),
            entry.key.text.count == key.text.count, let text = entry.key.text.baseAddress,
            let other = key.text.baseAddress, memcmp(text, other, key.text.count) == 0
        else { return nil }
        return (entry.outcome, entry.steps)
    }

    mutating func insert(_ key: Key, _ outcome: Bool, steps: Int, depth: Int) {
        if count >= entries.count / 2, entries.count < Self.maximumCount {
            let old = entries
            entries = Array(repeating: nil, count: max(64, old.count * 4))
            for case let entry? in old { entries[slot(entry.key)] = entry }
        }
        entries[slot(key)] = Entry(
            key: key,
            definition: key.definition.takeUnretainedValue(),
            outcome: outcome,
            steps: steps,
            depth: depth
        )
        count += 1
    }

    private func slot(_ key: Key) -> Int { Int(truncatingIfNeeded: key.hash) & (entries.count - 1) }
}

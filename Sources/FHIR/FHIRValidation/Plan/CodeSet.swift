import FHIR

/// A set of short texts that is asked with bytes, so that no `String` is made of what a document holds.
final class CodeSet: Sendable {
    private let texts: [[UInt8]]
    /// Indices of texts, -1 for free slots; a power of two, at most half full.
    private let slots: [Int32]

    init(_ codes: some Collection<String>) {
        var size = 4
        while size < codes.count * 2 { size *= 2 }
        var texts: [[UInt8]] = []
        var slots: [Int32] = Array(repeating: -1, count: size)
        for code in codes {
            let text = Array(code.utf8)
            let slot = text.withUnsafeBufferPointer { Self.slot(for: $0, in: slots, of: texts) }
            guard slots[slot] < 0 else { continue }
            slots[slot] = Int32(texts.count)
            texts.append(text)
        }
        self.texts = texts
        self.slots = slots
    }

    func contains(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        slots[Self.slot(for: text, in: slots, of: texts)] >= 0
    }

    /// The slot of a text, or the free one where it would be.
    private static func slot(
        for text: UnsafeBufferPointer<UInt8>,
        in slots: [Int32],
        of texts: [[UInt8]]
    ) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in text { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] >= 0, !texts[Int(slots[slot])].elementsEqual(text) {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }
}

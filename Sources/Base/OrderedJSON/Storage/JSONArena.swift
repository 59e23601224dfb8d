/// A parsed text: its bytes once, and a word for each node. Nothing changes after it was made. `@unchecked
/// Sendable` is safe: both buffers are written before `init` returns and only read from then on, and they are
/// freed when nobody has the arena any more.
final class JSONArena: @unchecked Sendable {
    /// Zero bytes behind the source: scanning stops at them without asking for the end.
    static let padding = 16

    let bytes: UnsafePointer<UInt8>
    /// The length of the source, the padding left out.
    let count: Int
    private let words: UnsafePointer<UInt64>
    private let wordCount: Int

    /// The arena frees both: the source with its padding, and the words of the nodes.
    init(bytes: UnsafePointer<UInt8>, count: Int, words: UnsafePointer<UInt64>, wordCount: Int) {
        self.bytes = bytes
        self.count = count
        self.words = words
        self.wordCount = wordCount
    }

    deinit {
        bytes.deallocate()
        words.deallocate()
    }

    @inline(__always)
    func word(_ index: Int) -> NodeWord {
        assert(index < wordCount)
        return NodeWord(bits: words[index])
    }

    /// The index after a node and everything in it.
    @inline(__always)
    func end(of index: Int) -> Int { index + word(index).wordCount }

    var source: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }

    /// The bytes of a scalar as written; of a string those between its quotation marks.
    @inline(__always)
    func text(_ word: NodeWord) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + word.offset + (word.isString ? 1 : 0), count: word.length)
    }

    /// A string's characters, or the characters of another scalar.
    func string(_ word: NodeWord) -> String {
        guard word.tag == .escapedString else { return String(decoding: text(word), as: UTF8.self) }
        return String(decoding: StringEscapes.decoded(text(word)), as: UTF8.self)
    }

    /// The characters of a string; `nil` for other kinds.
    func string(at index: Int) -> String? { word(index).isString ? string(word(index)) : nil }

    /// Whether a string has exactly these characters, compared as bytes of UTF-8.
    @inline(__always)
    func string(_ word: NodeWord, equals other: UnsafeBufferPointer<UInt8>) -> Bool {
        if word.tag == .escapedString {
            return word.length > other.count && StringEscapes.decoded(text(word)).elementsEqual(other)
        }
        guard word.length == other.count else { return false }
        let start = bytes + word.offset + 1
        for index in 0..<other.count where start[index] != other[index] { return false }
        return true
    }

    /// The value of an object's member, of several with the name the last; `nil` when there is none and for
    /// other kinds.
    func member(of object: Int, named name: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let words = words(in: object, .object) else { return nil }
        var index = words.lowerBound
        var found: Int?
        while index < words.upperBound {
            if string(word(index), equals: name) { found = index + 1 }
            index = end(of: index + 1)
        }
        return found
    }

    /// What is in an array or an object; `nil` for other kinds.
    @inline(__always)
    func words(in index: Int, _ kind: NodeWord.Tag) -> Range<Int>? {
        let word = word(index)
        return word.tag == kind ? index + 1..<index + word.length : nil
    }

    /// The bytes of a node up to the end of the last scalar in it. What follows, white space and brackets, is
    /// decided by them: nodes with the same bytes are the same.
    @inline(__always)
    func content(of index: Int) -> UnsafeRawBufferPointer {
        let start = word(index).offset
        let last = word(end(of: index) - 1)
        let end = last.offset + (last.isContainer ? 1 : last.length + (last.isString ? 2 : 0))
        return UnsafeRawBufferPointer(start: bytes + start, count: end - start)
    }

    /// The offset behind a node's last byte. A container does not store it: behind the last node in it there
    /// is nothing but white space and brackets.
    func endOffset(of index: Int) -> Int {
        let word = word(index)
        guard word.isContainer else { return word.offset + word.length + (word.isString ? 2 : 0) }
        // Every container that ends with the last node in it is still open there.
        let end = index + word.length
        var open = 0
        var node = index
        while node < end {
            let isOpen = self.word(node).isContainer && self.end(of: node) == end
            open += isOpen ? 1 : 0
            node = isOpen ? node + 1 : self.end(of: node)
        }
        let last = self.word(end - 1)
        var offset = last.isContainer ? last.offset + 1 : endOffset(of: end - 1)
        while open > 0 {
            if bytes[offset] == UInt8(ascii: "}") || bytes[offset] == UInt8(ascii: "]") { open -= 1 }
            offset += 1
        }
        return offset
    }
}

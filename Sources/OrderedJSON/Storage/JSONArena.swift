/// A parsed text: its bytes once, and a word for each node. Nothing changes after it was made.
///
/// `@unchecked Sendable` is safe: both buffers are written before `init` returns and only read from then on, and they
/// are freed when nobody has the arena any more.
final class JSONArena: @unchecked Sendable {
    /// Zero bytes behind the source: scanning stops at them without asking for the end.
    static let padding = 16

    let bytes: UnsafePointer<UInt8>
    /// The length of the source, the padding left out.
    let count: Int
    let words: UnsafePointer<UInt64>
    let wordCount: Int

    private let ownedBytes: UnsafeMutablePointer<UInt8>
    private let ownedWords: UnsafeMutablePointer<UInt64>

    /// - Parameters:
    ///   - bytes: The source and its padding. The arena frees it.
    ///   - words: The words of the nodes. The arena frees them.
    init(bytes: UnsafeMutablePointer<UInt8>, count: Int, words: UnsafeMutablePointer<UInt64>, wordCount: Int) {
        ownedBytes = bytes
        ownedWords = words
        self.bytes = UnsafePointer(bytes)
        self.words = UnsafePointer(words)
        self.count = count
        self.wordCount = wordCount
    }

    deinit {
        ownedBytes.deallocate()
        ownedWords.deallocate()
    }

    @inline(__always)
    func word(_ index: Int) -> NodeWord {
        assert(index < wordCount)
        return NodeWord(bits: words[index])
    }

    /// The index after a node and everything in it.
    @inline(__always)
    func end(of index: Int) -> Int { index + word(index).wordCount }

    /// The source.
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

    /// Whether a name, after an underscore that it may have, begins with these bytes of UTF-8.
    @inline(__always)
    func name(_ word: NodeWord, beginsWith prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        if word.tag == .escapedString {
            return JSONMember.name(StringEscapes.decoded(text(word)), beginsWith: prefix)
        }
        var start = bytes + word.offset + 1
        var length = word.length
        if length > 0, start[0] == UInt8(ascii: "_") {
            start += 1
            length -= 1
        }
        guard length >= prefix.count else { return false }
        for index in 0..<prefix.count where start[index] != prefix[index] { return false }
        return true
    }

    /// The last member of an object with a name: the index of the name's word.
    func member(of object: Int, named name: UnsafeBufferPointer<UInt8>) -> Int? {
        let end = end(of: object)
        var index = object + 1
        var found: Int?
        while index < end {
            if string(word(index), equals: name) { found = index }
            index = self.end(of: index + 1)
        }
        return found
    }

    /// The offset behind a node's last byte.
    ///
    /// A container does not store it: behind the last node in it there is nothing but white space and brackets.
    func endOffset(of index: Int) -> Int {
        let word = word(index)
        guard word.isContainer else {
            return word.offset + word.length + (word.isString ? 2 : 0)
        }
        // Every container that ends with the last node in it is still open there.
        var open = 1
        var node = index
        while let child = lastChild(of: node) {
            node = child
            if self.word(child).isContainer { open += 1 }
        }
        let last = self.word(node)
        var offset = last.isContainer ? last.offset + 1 : endOffset(of: node)
        while true {
            if bytes[offset] == UInt8(ascii: "}") || bytes[offset] == UInt8(ascii: "]") { open -= 1 }
            offset += 1
            if open == 0 { return offset }
        }
    }

    /// The last value in a container; `nil` for an empty container and a scalar.
    private func lastChild(of index: Int) -> Int? {
        let word = word(index)
        guard word.isContainer, word.length > 1 else { return nil }
        let isObject = word.tag == .object
        let end = index + word.length
        var child = index + 1
        while true {
            let value = isObject ? child + 1 : child
            let next = self.end(of: value)
            if next == end { return value }
            child = next
        }
    }
}

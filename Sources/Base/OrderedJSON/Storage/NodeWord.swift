/// One node of a parsed text in eight bytes: where it starts in the source, its kind, and its length. The
/// nodes lie in the order of the text. A scalar's length counts bytes of the source. A container's length
/// counts words: its own and those of everything in it, so that adding it leads to the next sibling. The
/// members of an object are pairs: the word of the name, which is a string, and the words of the value.
struct NodeWord {
    enum Tag: UInt8 {
        case null, `false`, `true`, number, string, escapedString, array, object
    }

    /// Offsets and lengths both fit, because no source is longer than this.
    static let maximumSourceLength = 1 << 29 - 1

    let bits: UInt64

    @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ tag: Tag, offset: Int, length: Int) {
        bits =
            UInt64(truncatingIfNeeded: offset) | UInt64(tag.rawValue) << 32 | UInt64(
                truncatingIfNeeded: length
            ) << 35
    }

    /// The index of the value's first byte; of a string's opening quotation mark.
    @inline(__always)
    var offset: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }

    @inline(__always)
    var tag: Tag {
        // Safe: three bits, and eight cases whose raw values are 0 to 7.
        unsafeBitCast(UInt8(truncatingIfNeeded: bits >> 32) & 7, to: Tag.self)
    }

    /// The kind of value.
    @inline(__always)
    var kind: JSONValue.Kind {
        switch tag {
        case .null: .null
        case .false, .true: .boolean
        case .number: .number
        case .string, .escapedString: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The value of a boolean; `nil` for other kinds.
    var boolean: Bool? { tag == .true ? true : tag == .false ? false : nil }

    @inline(__always)
    var isString: Bool { tag == .string || tag == .escapedString }

    /// Of a scalar the bytes, of a string those between its quotation marks, of a container the words.
    @inline(__always)
    var length: Int { Int(truncatingIfNeeded: bits >> 35) }

    @inline(__always)
    var isContainer: Bool { bits >> 33 & 3 == 3 }

    /// How many words further the next sibling's word is.
    @inline(__always)
    var wordCount: Int { isContainer ? length : 1 }
}

/// The index that stands for "no node".
let noNode = UInt32.max

/// One node: 16 bytes. In a tree as it was parsed the records stand in document order, so that the first
/// child of a node is the record behind it, and the subtree of a node is a range of records. Once a tree is
/// edited its `Link`s give the rest.
struct NodeRecord: BitwiseCopyable {
    /// Bits 0–2 the kind, bit 3 "has attributes", bit 4 "has children", bits 5–31 the name's id.
    var header: UInt32
    var parent: UInt32
    var next: UInt32
    /// An element's first attribute (an index into the attribute column); other nodes' content (an offset in
    /// the bytes).
    var payload: UInt32

    static let kindMask: UInt32 = 0b111
    static let attributesFlag: UInt32 = 1 << 3
    static let childrenFlag: UInt32 = 1 << 4
    static let nameShift: UInt32 = 5
    /// The number of different names a document can have.
    static let nameLimit = 1 << 27

    @inline(__always)
    init(kind: XMLNode.Kind, name: UInt32 = 0, parent: UInt32 = noNode, payload: UInt32 = 0) {
        header = kind.rawValue | name << NodeRecord.nameShift
        self.parent = parent
        next = noNode
        self.payload = payload
    }

    /// `removed` for a slot whose node is gone: freed, or moved to another tree.
    @inline(__always)
    var kind: XMLNode.Kind {
        // Three bits, and all eight values have a case.
        XMLNode.Kind(rawValue: header & NodeRecord.kindMask).unsafelyUnwrapped
    }
    @inline(__always) var isElement: Bool { header & NodeRecord.kindMask == XMLNode.Kind.element.rawValue }
    @inline(__always) var hasAttributes: Bool { header & NodeRecord.attributesFlag != 0 }
    @inline(__always) var hasChildren: Bool { header & NodeRecord.childrenFlag != 0 }
    @inline(__always) var name: UInt32 { header >> NodeRecord.nameShift }
}

/// One attribute or namespace declaration: 8 bytes. An element's attributes follow each other; the last
/// carries a flag.
struct AttributeRecord: BitwiseCopyable {
    /// Bit 31 "the element's last", bit 30 "a namespace declaration", the rest the name's id.
    var header: UInt32
    /// An offset in the bytes.
    var value: UInt32

    static let lastFlag: UInt32 = 1 << 31
    static let declarationFlag: UInt32 = 1 << 30

    @inline(__always)
    var isLast: Bool {
        get { header & AttributeRecord.lastFlag != 0 }
        set { header = newValue ? header | AttributeRecord.lastFlag : header & ~AttributeRecord.lastFlag }
    }
    @inline(__always) var isDeclaration: Bool { header & AttributeRecord.declarationFlag != 0 }
    @inline(__always) var name: UInt32 {
        header & ~(AttributeRecord.lastFlag | AttributeRecord.declarationFlag)
    }
}

/// What an edited tree knows of a node beyond its record.
struct Link: BitwiseCopyable {
    var firstChild = noNode
    var lastChild = noNode
    var previous = noNode
    /// Counts how often the slot was freed; a handle with another count is a handle to a node that is gone.
    var generation: UInt32 = 0
}

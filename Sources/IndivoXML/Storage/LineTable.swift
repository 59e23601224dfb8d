/// The source line of each node, in about one byte a node.
///
/// Lines never fall in document order, so a byte holds the distance to the node before; every 256th node's line
/// is kept whole, and so is each that lies more than 254 lines behind the one before it.
struct LineTable {
    private static let stride = 256
    private static let far: UInt8 = 255

    private struct Jump: BitwiseCopyable {
        var node: UInt32
        var line: UInt32
    }

    private var steps = Column<UInt8>()
    private var marks = Column<UInt32>()
    private var jumps = Column<Jump>()
    private var last: UInt32 = 0

    /// The number of nodes whose line is known: those that were parsed.
    var count: Int { steps.count }

    @inline(__always)
    mutating func append(_ line: UInt32) {
        if steps.count % LineTable.stride == 0 { marks.append(line) }
        let distance = line &- last
        last = line
        if distance < UInt32(LineTable.far) {
            steps.append(UInt8(truncatingIfNeeded: distance))
        } else {
            jumps.append(Jump(node: UInt32(steps.count), line: line))
            steps.append(LineTable.far)
        }
    }

    /// Forgets the last node.
    mutating func removeLast() {
        let index = steps.count - 1
        if index % LineTable.stride == 0 { marks.removeLast() }
        let step = steps.base[index]
        if step == LineTable.far { jumps.removeLast() }
        last = step == LineTable.far ? (self[index - 1].map { UInt32($0) } ?? 0) : last - UInt32(step)
        steps.removeLast()
    }

    mutating func reserve(_ nodes: Int) { steps.reserve(nodes) }

    subscript(node: Int) -> Int? {
        guard node < steps.count else { return nil }
        let mark = node / LineTable.stride
        var line = marks.base[mark]
        var index = mark * LineTable.stride + 1
        while index <= node {
            let step = steps.base[index]
            line = step == LineTable.far ? jump(to: UInt32(index)) : line + UInt32(step)
            index += 1
        }
        return Int(line)
    }

    private func jump(to node: UInt32) -> UInt32 {
        var low = 0
        var high = jumps.count
        while low < high {
            let middle = (low + high) / 2
            if jumps.base[middle].node < node { low = middle + 1 } else { high = middle }
        }
        return jumps.base[low].line
    }

    func copy() -> LineTable {
        var other = LineTable()
        other.steps = steps.copy()
        other.marks = marks.copy()
        other.jumps = jumps.copy()
        other.last = last
        return other
    }

    mutating func trim() {
        steps.trim()
        marks.trim()
        jumps.trim()
    }

    mutating func deallocate() {
        steps.deallocate()
        marks.deallocate()
        jumps.deallocate()
    }
}

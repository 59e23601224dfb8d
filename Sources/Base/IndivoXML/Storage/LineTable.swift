/// The source line of each node, in about one byte a node. Lines never fall in document order, so a byte
/// holds the distance to the node before. Lines more than 254 behind it are kept whole; so is every 256th
/// node's, where counting starts.
struct LineTable {
    private static let stride = 256
    private static let far: UInt8 = 255

    private struct Mark: BitwiseCopyable {
        var line: UInt32
        /// How many jumps there were up to here.
        var jumps: UInt32
    }

    private var steps = Column<UInt8>()
    private var marks = Column<Mark>()
    private var jumps = Column<UInt32>()
    private var last: UInt32 = 0

    @inline(__always)
    mutating func append(_ line: UInt32) {
        let distance = line &- last
        last = line
        if distance >= UInt32(LineTable.far) { jumps.append(line) }
        if steps.count % LineTable.stride == 0 { marks.append(Mark(line: line, jumps: UInt32(jumps.count))) }
        steps.append(UInt8(truncatingIfNeeded: min(distance, UInt32(LineTable.far))))
    }

    /// Forgets the last node.
    mutating func removeLast() {
        let index = steps.count - 1
        if index % LineTable.stride == 0 { marks.removeLast() }
        let step = steps.base[index]
        if step == LineTable.far { jumps.removeLast() }
        last = step == LineTable.far ? UInt32(self[index - 1] ?? 0) : last - UInt32(step)
        steps.removeLast()
    }

    mutating func reserve(_ nodes: Int) { steps.reserve(nodes) }

    /// The line of a node that was parsed.
    subscript(node: Int) -> Int? {
        guard node < steps.count else { return nil }
        let mark = marks.base[node / LineTable.stride]
        var line = mark.line
        var jump = Int(mark.jumps)
        for step in steps.buffer[(node / LineTable.stride * LineTable.stride + 1)..<(node + 1)] {
            line = step == LineTable.far ? jumps.base[jump] : line + UInt32(step)
            if step == LineTable.far { jump += 1 }
        }
        return Int(line)
    }

    mutating func apply(_ step: ColumnStep) {
        steps.apply(step)
        marks.apply(step)
        jumps.apply(step)
    }
}

import OrderedJSON

/// Where the parts of a resource that was read from XML are in that text.
///
/// Issues have locations in the resource's JSON, which nobody sees. This finds the XML elements that they
/// came from:
///
/// ```swift
/// let (patient, locations) = try Patient.parse(xml: data)
/// for issue in patient.issues() {
///     let position = issue.location.map { locations.position(of: $0) }
/// }
/// ```
public struct FHIRXMLLocations: Sendable {
    /// What begins in the JSON at one offset and in the XML at another.
    struct Mark {
        let json: Int
        let xml: Int
    }

    /// The bytes between two positions that are kept.
    private static let stride = 4_096

    private let source: [UInt8]
    /// In the order of the JSON.
    private let marks: [Mark]
    /// The positions of every so many bytes: a text may be one line.
    private let positions: [(line: Int, column: Int)]

    init(source: [UInt8], marks: [Mark]) {
        self.source = source
        self.marks = marks
        var positions = [(line: 1, column: 1)]
        for start in Swift.stride(from: 0, to: source.count - Self.stride, by: Self.stride) {
            positions.append(
                Self.advance(positions[positions.count - 1], over: source[start..<start + Self.stride])
            )
        }
        self.positions = positions
    }

    /// The line and column, from 1, of the element that a part of the JSON comes from; for a part of the
    /// extensions of a primitive, that of the primitive.
    public func position(of location: JSONLocation) -> (line: Int, column: Int) {
        var low = 0
        var high = marks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if marks[middle].json <= location.offset { low = middle } else { high = middle }
        }
        let offset = marks.indices.contains(low) ? marks[low].xml : 0
        let index = min(offset / Self.stride, positions.count - 1)
        return Self.advance(positions[index], over: source[index * Self.stride..<offset])
    }

    /// The line, and the column in Unicode scalars, of an offset.
    static func position(of offset: Int, in source: [UInt8]) -> (line: Int, column: Int) {
        advance((1, 1), over: source[..<offset])
    }

    /// The position behind some bytes; a byte order mark is no column.
    private static func advance(
        _ position: (line: Int, column: Int),
        over bytes: ArraySlice<UInt8>
    ) -> (line: Int, column: Int) {
        var position = position
        for byte in bytes.dropFirst(bytes.startIndex == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0) {
            if byte == UInt8(ascii: "\n") {
                position = (position.line + 1, 1)
            } else if byte & 0xC0 != 0x80 {
                position.column += 1
            }
        }
        return position
    }
}

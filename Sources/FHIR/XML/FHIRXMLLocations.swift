import OrderedJSON

/// Where the parts of a resource that was read from XML are in that text.
///
/// The locations of the resource's JSON, which issues have, are those of a text that nobody sees. This finds the elements
/// that they came from:
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

    let source: [UInt8]
    /// In the order of the JSON.
    let marks: [Mark]

    /// The line and column, from 1, of the element that a part of the JSON comes from; for a part of the extensions of a
    /// primitive, that of the primitive.
    public func position(of location: JSONLocation) -> (line: Int, column: Int) {
        var low = 0
        var high = marks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if marks[middle].json <= location.offset { low = middle } else { high = middle }
        }
        return Self.position(of: marks.indices.contains(low) ? marks[low].xml : 0, in: source)
    }

    /// The line, and the column in Unicode scalars; a byte order mark is no column.
    static func position(of offset: Int, in source: [UInt8]) -> (line: Int, column: Int) {
        var start = source[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = 1 + source[..<start].count { $0 == UInt8(ascii: "\n") }
        if start == 0, source.starts(with: [0xEF, 0xBB, 0xBF]) { start = min(3, offset) }
        return (line, 1 + source[start..<offset].count { $0 & 0xC0 != 0x80 })
    }
}

import FHIR
import OrderedJSON

/// Lines of bytes, split at line feeds.
struct LineReader {
    private let source: ByteSource
    private var buffer: [UInt8] = []
    private var position = 0
    private(set) var number = 0

    /// A longer line is not kept.
    static let maximumLength = 64 << 20

    init(_ source: ByteSource) { self.source = source }

    enum Line {
        case bytes(ArraySlice<UInt8>)
        case tooLong
    }

    /// The next line without its end; nil at the end of the file.
    mutating func next() throws -> Line? {
        var searched = position
        var isTooLong = false
        while true {
            if let end = buffer[searched...].firstIndex(of: 10) {
                let line = buffer[position..<end]
                position = end + 1
                number += 1
                return isTooLong ? .tooLong : .bytes(line.last == 13 ? line.dropLast() : line)
            }
            if buffer.count - position > Self.maximumLength {
                isTooLong = true
                position = buffer.count
            }
            buffer.removeSubrange(..<position)
            position = 0
            searched = buffer.count
            guard let piece = try source.next() else {
                guard !buffer.isEmpty || isTooLong else { return nil }
                let line = buffer[...]
                buffer = []
                number += 1
                return isTooLong ? .tooLong : .bytes(line)
            }
            buffer += piece
        }
    }
}

/// The samples of lines of JSON. Empty lines are no problem.
struct SampleLineReader {
    private var lines: LineReader
    private let file: String

    init(file: String, source: ByteSource) {
        self.file = file
        lines = LineReader(source)
    }

    mutating func next() throws -> SampleItem? {
        while let line = try lines.next() {
            func problem(_ reason: String) -> SampleItem {
                .problem(SampleProblem(file: file, line: lines.number, reason: reason))
            }
            guard case .bytes(var bytes) = line else {
                return problem("the line has more than \(LineReader.maximumLength) bytes")
            }
            if lines.number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
            if bytes.allSatisfy({ $0 == 32 || $0 == 9 }) { continue }
            do throws(JSONError) {
                let json = try JSONValue(parsing: bytes)
                do throws(SampleError) {
                    return .sample(try Sample(json: json), line: lines.number)
                } catch {
                    return problem("\(error)")
                }
            } catch {
                return problem("column \(error.location.column): \(error.reason)")
            }
        }
        return nil
    }
}

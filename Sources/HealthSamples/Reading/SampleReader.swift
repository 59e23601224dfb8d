import FHIR
import Foundation
import OrderedJSON
import ZipArchive

/// The samples of a file, one after the other, in constant memory.
///
///     var reader = try SampleReader(url: url)
///     while let item = try reader.next() {
///         switch item {
///         case .sample(let sample, _): …
///         case .problem(let problem): print(problem)
///         }
///     }
///
/// A file is Apple's `export.xml`, the zip archive around it, or lines of JSON; its first bytes tell which. A line that is
/// wrong is a problem, and the next one is read.
public struct SampleReader {
    private var parts: [Part]
    private var current: Current?
    private var name: String
    private var readBefore = 0

    /// The bytes of everything that is read, unpacked; nil for standard input.
    public let totalBytes: Int?
    /// How many elements of the export are not samples, by name, such as `ActivitySummary`.
    public private(set) var otherElements: [String: Int] = [:]

    /// What is read one after the other.
    private enum Part {
        case export(String, () throws -> ByteSource)
        case lines(String, () throws -> ByteSource)
        case heart(String, () throws -> ByteSource)
        case record(String, ZipEntry, ZipReader)
    }

    private enum Current {
        case export(ExportReader)
        case lines(SampleLineReader)

        var offset: Int {
            switch self {
            case .export(let reader): reader.offset
            case .lines(let reader): reader.offset
            }
        }
    }

    /// How many bytes were read.
    public var bytesRead: Int { readBefore + (current?.offset ?? 0) }

    /// A file.
    /// - Throws: ``SampleProblem``, `ZipError`, or what the system throws.
    public init(url: URL) throws {
        name = url.lastPathComponent
        let handle = try FileHandle(forReadingFrom: url)
        let start = try handle.read(upToCount: 512) ?? Data()
        if start.starts(with: [0x50, 0x4B]) {
            let archive = try ZipReader(url: url)
            let entries = archive.entries.filter { !$0.isFolder }
            parts = try Self.parts(of: archive, entries, name: url.lastPathComponent)
            totalBytes = entries.reduce(0) { $0 + Int(clamping: $1.size) }
            return
        }
        // Exports and lines of JSON are UTF-8; of UTF-16 every line would be a problem.
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) || start.prefix(64).contains(0) {
            throw SampleProblem(file: url.lastPathComponent, line: 1, reason: "the file is not UTF-8; exports of Health and lines of JSON are")
        }
        let isMarkup = start.first { ![0xEF, 0xBB, 0xBF, 32, 9, 10, 13].contains($0) } == UInt8(ascii: "<")
        let file = url.lastPathComponent
        parts = [isMarkup ? .export(file, { try ByteSource.file(url) }) : .lines(file, { try ByteSource.file(url) })]
        totalBytes = Int(try handle.seekToEnd())
    }

    /// Lines of JSON in memory or from elsewhere.
    /// - Parameter next: Gives the next bytes; nil at the end.
    public init(name: String, lines next: @escaping () throws -> [UInt8]?) {
        self.name = name
        parts = [.lines(name, { ByteSource(next: next) })]
        totalBytes = nil
    }

    private static func parts(of archive: ZipReader, _ entries: [ZipEntry], name: String) throws -> [Part] {
        var parts: [Part] = []
        // The name of the export depends on the phone's language; the other XML file beside it is a CDA document.
        let exports = entries.filter { entry in
            let path = entry.name.split(separator: "/")
            return path.count <= 2 && entry.name.lowercased().hasSuffix(".xml") && !entry.name.lowercased().hasSuffix("_cda.xml")
        }
        for entry in exports { parts.append(.export(entry.name, { try ByteSource.entry(entry, of: archive) })) }
        for entry in entries where entry.name.hasSuffix(".csv") && entry.name.contains("electrocardiograms/") {
            parts.append(.heart(entry.name, { try ByteSource.entry(entry, of: archive) }))
        }
        for entry in entries where entry.name.hasSuffix(".json") && entry.name.contains("clinical") {
            parts.append(.record(entry.name, entry, archive))
        }
        for entry in entries where entry.name.hasSuffix(".jsonl") {
            parts.append(.lines(entry.name, { try ByteSource.entry(entry, of: archive) }))
        }
        guard !parts.isEmpty else { throw SampleProblem(file: name, line: 1, reason: "the archive has neither an export of Health nor samples") }
        return parts.reversed()
    }

    /// The next sample or problem; nil at the end.
    /// - Throws: ``SampleProblem``, `ZipError`, or what the system throws.
    public mutating func next() throws -> SampleItem? {
        while true {
            switch current {
            case .export(var reader)?:
                // Taken out, so that its buffers are not copied.
                current = nil
                if let item = try reader.next() {
                    current = .export(reader)
                    return item
                }
                readBefore += reader.offset
                for (name, count) in reader.otherElements { otherElements[name, default: 0] += count }
            case .lines(var reader)?:
                current = nil
                if let item = try reader.next() {
                    current = .lines(reader)
                    return item
                }
                readBefore += reader.offset
            case nil:
                guard let part = parts.popLast() else { return nil }
                if let item = try begin(part) { return item }
            }
        }
    }

    private mutating func begin(_ part: Part) throws -> SampleItem? {
        switch part {
        case .export(let name, let open):
            current = .export(try ExportReader(file: name, open: open))
            return nil
        case .lines(let name, let open):
            current = .lines(SampleLineReader(file: name, source: try open()))
            return nil
        case .heart(let name, let open):
            var lines = LineReader(try open())
            defer { readBefore += lines.offset }
            return try HeartFile.sample(&lines, name)
        case .record(let name, let entry, let archive):
            let data = try archive.data(of: entry)
            readBefore += data.count
            return ClinicalFile.sample(data, name, entry)
        }
    }
}

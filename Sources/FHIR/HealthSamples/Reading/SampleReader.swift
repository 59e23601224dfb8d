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
/// A file is Apple's `export.xml`, the zip archive around it, or lines of JSON; its first bytes decide which.
/// A line that is wrong is a problem, and the next one is read. Of an archive the exports come first, then
/// the electrocardiograms, the clinical records and the lines of JSON, each kind in the order of its entries'
/// names; one entry is in memory at a time.
///
/// An export is read twice, the first time for the members of its correlations: the progress counts both.
public struct SampleReader {
    private var parts: [Part]
    private var current: Current?
    private let names: ExportCategory
    private let progress: ReadingProgress
    private let isArchive: Bool

    /// The bytes of everything that is read, unpacked, those of an export twice; nil for standard input.
    public let totalBytes: Int?
    /// How many elements of the export are not samples, by name, such as `ActivitySummary`.
    public private(set) var otherElements: [String: Int] = [:]
    /// The entry of the archive that has the last item; nil where the file is not an archive.
    public private(set) var entryName: String?

    /// An export has an entry a workout route, electrocardiogram and clinical record: more than archives in
    /// general may have.
    private static let entryLimit = 100_000

    /// What is read one after the other.
    private enum Part {
        case export(String, () throws -> ByteSource)
        case lines(String, () throws -> ByteSource)
        case electrocardiogram(String, () throws -> ByteSource)
        case record(String, ZipEntry, ZipReader)

        var name: String {
            switch self {
            case .export(let name, _), .lines(let name, _), .electrocardiogram(let name, _),
                .record(let name, _, _):
                name
            }
        }
    }

    private enum Current {
        case export(ExportReader)
        case lines(SampleLineReader)
    }

    /// How many of ``totalBytes`` were read, in steps of some hundred thousand.
    public var bytesRead: Int { progress.bytes }

    /// A file.
    /// - Parameters:
    ///   - mapping: What the names of values and the units of metadata in an export mean.
    ///   - report: Gets ``bytesRead`` before each piece of the file is read, also in calls of ``next()`` that
    ///     take long. An error that it throws is thrown by ``next()``.
    /// - Throws: ``SampleProblem``, `ZipError`, or what the system throws.
    public init(
        url: URL,
        mapping: HealthMapping = .standard,
        progress report: @escaping (Int) throws -> Void = { _ in }
    ) throws {
        names = ExportCategory(mapping)
        let progress = ReadingProgress(report)
        self.progress = progress
        let handle = try FileHandle(forReadingFrom: url)
        let start = try handle.read(upToCount: 512) ?? Data()
        if start.starts(with: [0x50, 0x4B]) {
            var limits = ZipLimits()
            limits.entries = Self.entryLimit
            let archive = try ZipReader(url: url, limits: limits)
            let entries = archive.entries.filter { !$0.isFolder && !Self.isResourceFork($0.name) }
            isArchive = true
            (parts, totalBytes) = try Self.parts(of: archive, entries, progress, name: url.lastPathComponent)
            return
        }
        // Exports and lines of JSON are UTF-8; of UTF-16 every line would be a problem.
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
            || start.prefix(64).contains(0)
        {
            let reason = "the file is not UTF-8; exports of Health and lines of JSON are"
            throw SampleProblem(file: url.lastPathComponent, line: 1, reason: reason)
        }
        isArchive = false
        let isMarkup = start.first { ![0xEF, 0xBB, 0xBF, 32, 9, 10, 13].contains($0) } == UInt8(ascii: "<")
        let file = url.lastPathComponent
        let open = { progress.counting(try ByteSource.file(url)) }
        parts = [isMarkup ? .export(file, open) : .lines(file, open)]
        totalBytes = ReadingProgress.sum([try handle.seekToEnd()], times: isMarkup ? 2 : 1)
    }

    /// Lines of JSON in memory or from elsewhere.
    /// - Parameter next: Gives the next bytes; nil at the end.
    public init(name: String, lines next: @escaping () throws -> [UInt8]?) {
        names = .standard
        isArchive = false
        let progress = ReadingProgress { _ in }
        self.progress = progress
        parts = [.lines(name, { progress.counting(ByteSource(next: next)) })]
        totalBytes = nil
    }

    /// What macOS puts into archives beside each file.
    private static func isResourceFork(_ name: String) -> Bool {
        let path = name.split(separator: "/")
        return path.first == "__MACOSX" || path.last?.hasPrefix("._") == true
    }

    private static func parts(
        of archive: ZipReader,
        _ entries: [ZipEntry],
        _ progress: ReadingProgress,
        name: String
    ) throws -> (parts: [Part], bytes: Int) {
        let sorted = entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        // The name of the export depends on the phone's language; the other XML file beside it is a CDA
        // document. It may stand in any folder; what is not an export is reported as a problem.
        let exports = sorted.filter { entry in
            let name = entry.name.lowercased()
            return name.hasSuffix(".xml") && !name.hasSuffix("_cda.xml")
        }
        let electrocardiograms = sorted.filter {
            $0.name.hasSuffix(".csv") && $0.name.contains("electrocardiograms/")
        }
        let records = sorted.filter { $0.name.hasSuffix(".json") && $0.name.contains("clinical") }
        let lines = sorted.filter { $0.name.hasSuffix(".jsonl") }
        func open(_ entry: ZipEntry) -> () throws -> ByteSource {
            { progress.counting(try ByteSource.entry(entry, of: archive)) }
        }
        let parts: [Part] =
            exports.map { .export($0.name, open($0)) }
            + electrocardiograms.map { .electrocardiogram($0.name, open($0)) }
            + records.map { .record($0.name, $0, archive) } + lines.map { .lines($0.name, open($0)) }
        guard !parts.isEmpty else {
            throw SampleProblem(
                file: name,
                line: 1,
                reason: "the archive has neither an export of Health nor samples"
            )
        }
        // The one that is read next stands last.
        return (
            parts.reversed(),
            ReadingProgress.sum((exports + exports + electrocardiograms + records + lines).map(\.size))
        )
    }

    /// The next sample or problem; nil at the end.
    ///
    /// An error ends the reading: a file has to be opened anew.
    /// - Throws: ``SampleProblem``, `ZipError`, what the system or the progress throws; `CancellationError`
    ///   when the task was cancelled.
    public mutating func next() throws -> SampleItem? {
        do { return try read() } catch {
            // The position is lost: to continue would leave samples out without a report.
            current = nil
            parts = []
            throw error
        }
    }

    private mutating func read() throws -> SampleItem? {
        while true {
            switch current {
            case .export(var reader)?:
                // Taken out, so that its buffers are not copied.
                current = nil
                if let item = try reader.next() {
                    current = .export(reader)
                    return item
                }
                for (name, count) in reader.otherElements { otherElements[name, default: 0] += count }
            case .lines(var reader)?:
                current = nil
                if let item = try reader.next() {
                    current = .lines(reader)
                    return item
                }
            case nil:
                guard let part = parts.popLast() else { return nil }
                if let item = try begin(part) { return item }
            }
        }
    }

    private mutating func begin(_ part: Part) throws -> SampleItem? {
        if isArchive { entryName = part.name }
        switch part {
        case .export(let name, let open):
            current = .export(try ExportReader(file: name, names: names, open: open))
            return nil
        case .lines(let name, let open):
            current = .lines(SampleLineReader(file: name, source: try open()))
            return nil
        case .electrocardiogram(let name, let open):
            var lines = LineReader(try open())
            return try ElectrocardiogramFile.sample(&lines, name)
        case .record(let name, let entry, let archive):
            try progress.check()
            let data = try archive.data(of: entry)
            progress.add(data.count)
            return ClinicalFile.sample(data, name, entry)
        }
    }
}

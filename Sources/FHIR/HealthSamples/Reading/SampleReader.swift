import FHIR
import Foundation
import OrderedJSON

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
/// A folder is read as the archive that was made of it. A line that is wrong is a problem, and the next one
/// is read. Of an archive the exports come first, then the electrocardiograms, the clinical records and the
/// lines of JSON, each kind in the order of its entries' names; one entry is in memory at a time. The route
/// of a workout is in a file of its own, and comes after its workout; of an export without the archive around
/// it, routes are among the ``otherElements``.
///
/// An export is read twice, the first time for the members of its correlations: the progress counts both.
public struct SampleReader {
    private var parts: [Part]
    private var current: Current?
    private let names: ExportCategory
    private let progress: ReadingProgress
    /// The files of an archive or a folder; nil for a file.
    private let files: ExportFiles?
    /// What exports say of clinical records, by the names of their files.
    private var received: [String: ReceivedRecord] = [:]
    private var routeFiles: Set<String> = []
    private var usesFastTagPath = true

    /// The unpacked size of everything that is read, in bytes, with exports counted twice and without routes;
    /// nil for standard input.
    public let totalBytes: Int?
    /// How many elements of the export are not read, by name, such as `VisionPrescription`, and how many
    /// files.
    public private(set) var otherElements: [String: Int] = [:]
    /// The file of the archive or folder that has the last item; `nil` if neither is read.
    public private(set) var entryName: String?

    /// The parts of a file, which are read one after the other.
    private enum Part {
        case export(String, () throws -> ByteSource)
        case lines(String, () throws -> ByteSource)
        case electrocardiogram(String, () throws -> ByteSource)
        case record(ExportFiles.File)

        var name: String {
            switch self {
            case .export(let name, _), .lines(let name, _), .electrocardiogram(let name, _): name
            case .record(let file): file.name
            }
        }
    }

    private enum Current {
        case export(ExportReader)
        case lines(SampleLineReader)
    }

    /// How many of ``totalBytes`` were read, in steps of some hundred thousand.
    public var bytesRead: Int { progress.bytes }

    /// A file or folder.
    /// - Parameters:
    ///   - mapping: The meaning of the names of values, and of the units of metadata, in an export.
    ///   - report: Receives ``bytesRead`` before each piece of the file is read, also during long calls of
    ///     ``next()``. An error that it throws is thrown by ``next()``.
    /// - Throws: ``SampleProblem``, `ZipError`, or what the system throws.
    public init(
        url: URL,
        mapping: HealthMapping = .standard,
        progress report: @escaping (Int) throws -> Void = { _ in }
    ) throws {
        names = ExportCategory(mapping)
        let progress = ReadingProgress(report)
        self.progress = progress
        if url.path.isFolder {
            let files = try ExportFiles(folder: url)
            self.files = files
            (parts, totalBytes) = try Self.parts(files, progress, "the folder \(url.lastPathComponent)")
            return
        }
        let handle = try FileHandle(forReadingFrom: url)
        let start = try handle.read(upToCount: 512) ?? Data()
        if start.starts(with: [0x50, 0x4B]) {
            let files = try ExportFiles(archive: url)
            self.files = files
            (parts, totalBytes) = try Self.parts(files, progress, url.lastPathComponent)
            return
        }
        // Exports and lines of JSON are UTF-8; of UTF-16 every line would be a problem.
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
            || start.prefix(64).contains(0)
        {
            let reason = "the file is not UTF-8; exports of Health and lines of JSON are"
            throw SampleProblem(file: url.lastPathComponent, line: 1, reason: reason)
        }
        files = nil
        let isMarkup = start.first { ![0xEF, 0xBB, 0xBF, 32, 9, 10, 13].contains($0) } == UInt8(ascii: "<")
        let file = url.lastPathComponent
        let open = { progress.counting(try ByteSource.file(url)) }
        parts = [isMarkup ? .export(file, open) : .lines(file, open)]
        totalBytes = ReadingProgress.sum([try handle.seekToEnd()], times: isMarkup ? 2 : 1)
    }

    /// An export in memory, to compare the two ways in which tags are read.
    /// - Parameters:
    ///   - pieces: How many bytes there are at a time.
    ///   - usesFastTagPath: Whether plain tags are read in one go.
    package init(name: String, export bytes: [UInt8], pieces: Int, usesFastTagPath: Bool) {
        names = .standard
        files = nil
        let progress = ReadingProgress { _ in }
        self.progress = progress
        self.usesFastTagPath = usesFastTagPath
        let open = {
            var rest = bytes[...]
            return progress.counting(
                ByteSource {
                    defer { rest = rest.dropFirst(pieces) }
                    return rest.isEmpty ? nil : Array(rest.prefix(pieces))
                }
            )
        }
        parts = [.export(name, open)]
        totalBytes = 2 * bytes.count
    }

    /// Lines of JSON in memory or from elsewhere.
    /// - Parameter next: Gives the next bytes; nil at the end.
    public init(name: String, lines next: @escaping () throws -> [UInt8]?) {
        names = .standard
        files = nil
        let progress = ReadingProgress { _ in }
        self.progress = progress
        parts = [.lines(name, { progress.counting(ByteSource(next: next)) })]
        totalBytes = nil
    }

    private static func parts(_ files: ExportFiles, _ progress: ReadingProgress, _ name: String) throws -> (
        parts: [Part], bytes: Int
    ) {
        let sorted = files.files
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
        func open(_ file: ExportFiles.File) -> () throws -> ByteSource {
            { progress.counting(try file.open()) }
        }
        let parts: [Part] =
            exports.map { .export($0.name, open($0)) }
            + electrocardiograms.map { .electrocardiogram($0.name, open($0)) }
            + records.map { .record($0) } + lines.map { .lines($0.name, open($0)) }
        guard !parts.isEmpty else {
            throw SampleProblem(
                file: name,
                line: 1,
                reason: "there is neither an export of Health nor a file of samples in it"
            )
        }
        // The part to read next is last.
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
            // The position is lost: continuing would leave samples out without a report.
            current = nil
            parts = []
            throw error
        }
    }

    private mutating func read() throws -> SampleItem? {
        while true {
            switch current {
            case .export(let reader)?:
                if let item = try reader.next() { return item }
                current = nil
                for (name, count) in reader.otherElements { otherElements[name, default: 0] += count }
                received.merge(reader.received) { first, _ in first }
                routeFiles.formUnion(reader.routeFiles.keys)
            case .lines(var reader)?:
                // Taken out, so that its buffers are not copied.
                current = nil
                if let item = try reader.next() {
                    current = .lines(reader)
                    return item
                }
            case nil:
                guard let part = parts.popLast() else {
                    countRoutesWithoutWorkout()
                    return nil
                }
                if let item = try begin(part) { return item }
            }
        }
    }

    private mutating func countRoutesWithoutWorkout() {
        let routes = files?.files.count { $0.name.hasSuffix(".gpx") && !routeFiles.contains($0.name) } ?? 0
        if routes > 0 { otherElements["GPX files without a workout"] = routes }
    }

    private mutating func begin(_ part: Part) throws -> SampleItem? {
        if files != nil { entryName = part.name }
        switch part {
        case .export(let name, let open):
            current = .export(
                try ExportReader(
                    file: name,
                    names: names,
                    files: files,
                    usesFastTagPath: usesFastTagPath,
                    open: open
                )
            )
            return nil
        case .lines(let name, let open):
            current = .lines(SampleLineReader(file: name, source: try open()))
            return nil
        case .electrocardiogram(let name, let open):
            var lines = LineReader(try open())
            return try ElectrocardiogramFile.sample(&lines, name)
        case .record(let file):
            try progress.check()
            let data = try file.data()
            progress.add(data.count)
            return ClinicalFile.sample(data, file, received[file.name])
        }
    }
}

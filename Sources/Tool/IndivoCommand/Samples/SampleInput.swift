import ArgumentParser
import FHIR
import Foundation
import HealthSamples
import IndivoBase
import IndivoModel
import RecordCommands
import ZipArchive

/// The samples for a command: a file, and a selection of its samples.
struct SampleInput: ParsableArguments {
    @Argument(
        help: """
            export.zip, the folder that was unpacked from it, export.xml or lines of JSON; \
            - for lines of JSON on standard input.
            """,
        completion: .file()
    )
    var file: String

    @Option(
        help: .value(
            "type",
            "Only samples of this type, such as HeartRate; members of correlations too. Can be repeated."
        )
    )
    var type: [String] = []

    @Option(help: .value("time", "Only samples that end after this date or time."))
    var since: String?

    @Option(help: .value("time", "Only samples that begin before this date or time."))
    var until: String?

    @Option(
        help: .value(
            "zone",
            "The time zone of days, such as Europe/Berlin; that of the samples unless given."
        )
    )
    var zone: String?

    @Option(
        help: .value("file", "An own mapping of types, laid over the standard one."),
        completion: .json
    )
    var mapping: String?

    @OptionGroup var console: MessageOptions

    /// The zone that was given; nil for that of the samples.
    /// - Throws: ``CommandFailure`` for a zone that is unknown.
    func timeZone() throws -> TimeZone? {
        guard let zone else { return nil }
        guard let found = TimeZone(identifier: zone),
            TimeZone.knownTimeZoneIdentifiers.contains(zone) || zone == "UTC"
        else {
            throw CommandFailure(
                """
                --zone: there is no time zone \
                “\(zone)”\(Spelling.question(about: zone, among: TimeZone.knownTimeZoneIdentifiers))
                """
            )
        }
        return found
    }

    /// - Throws: ``CommandFailure``, with the position in the file.
    func healthMapping() throws -> HealthMapping {
        try mapping.map { try Self.table($0) { try HealthMapping.standard.overlaid(parsing: $0) } }
            ?? .standard
    }

    /// Reads a table of types.
    /// - Throws: ``CommandFailure``, with the position in the file.
    static func table<Table>(_ path: String, _ read: (Data) throws -> Table) throws -> Table {
        let input = InputFile(path: path)
        do {
            return try read(input.read())
        } catch let error as HealthMappingError {
            throw CommandFailure(error.message, at: input.place(error.location?.line, error.location?.column))
        }
    }

    /// - Throws: ``CommandFailure`` for a date that is none, and a type that is unknown.
    func selection(_ mapping: HealthMapping) throws -> SampleSelection {
        var types: Set<String> = []
        for name in type {
            do { types.insert(try mapping.type(named: name)) } catch {
                throw CommandFailure("--type: \(error)")
            }
        }
        let from = try bound(since, "--since")
        let to = try bound(until, "--until")
        return SampleSelection(mapping: mapping, types: types, since: from, until: to)
    }

    private func bound(_ text: String?, _ name: String) throws -> SampleSelection.Bound? {
        guard let text else { return nil }
        guard let date = FHIRDateTime(text: text), date.date.day != nil else {
            throw CommandFailure(
                "\(name): “\(text)” is not a date such as 2026-03-01 or 2026-03-01T08:00:00+01:00"
            )
        }
        if let instant = date.microseconds { return .instant(instant) }
        let days = date.civil.days
        return try timeZone().map { .instant(TimeSpans(.day, in: $0).midnight(of: days)) } ?? .day(days)
    }

    /// Reads the samples, with the progress on standard error.
    /// - Parameters:
    ///   - parts: Splits a sample whose members are not handled together with it; by default it stays whole.
    ///   - body: Receives each sample that was chosen, and the position of its item in the file.
    /// - Throws: ``CommandFailure``, or what `body` throws.
    func forEach(
        _ selection: SampleSelection,
        parts: ((Sample) -> [Sample])? = nil,
        _ body: (Sample, Int) async throws -> Void
    ) async throws -> SampleTally {
        var tally = SampleTally(console: console)
        let progress = SampleProgress(isShown: StandardStreams.errorIsTerminal && !console.quiet)
        var reader = try reader(selection.mapping, progress)
        progress.total = reader.totalBytes
        var position = 0
        defer { progress.clear() }
        while let item = try next(&reader) {
            switch item {
            case .problem(let problem):
                progress.clear()
                tally.add(problem)
            case .sample(let sample, let line):
                tally.samples += 1
                progress.samples = tally.samples
                func take(_ part: Sample) async throws {
                    do {
                        try await body(part, position)
                    } catch let error as SampleError {
                        progress.clear()
                        let name = reader.entryName ?? InputFile(path: file).name
                        tally.add(SampleProblem(file: name, line: line, reason: "\(error)"))
                    }
                }
                if parts == nil, selection.takes(sample) {
                    try await take(sample)
                } else {
                    for chosen in selection.chosen(of: sample) {
                        for part in parts?(chosen) ?? [chosen] { try await take(part) }
                    }
                }
            }
            position += 1
        }
        tally.otherElements = reader.otherElements
        return tally
    }

    private func next(_ reader: inout SampleReader) throws -> SampleItem? {
        do { return try reader.next() } catch let error where !(error is CancellationError) {
            throw failure(error)
        }
    }

    private func reader(_ mapping: HealthMapping, _ progress: SampleProgress) throws -> SampleReader {
        if file == "-" {
            return SampleReader(name: "standard input") {
                try FileHandle.standardInput.read(upToCount: 64 << 10).flatMap {
                    $0.isEmpty ? nil : [UInt8]($0)
                }
            }
        }
        guard file.fileExists else {
            throw CommandFailure("\(file): there is no such file")
        }
        do {
            return try SampleReader(url: URL(filePath: file), mapping: mapping, progress: progress.show)
        } catch {
            throw failure(error)
        }
    }

    /// Distinguishes the file from others by its size, when it was changed, and a digest of its beginning and
    /// end: a digest of everything would need all of the file. For a folder, by the names, sizes and times of
    /// its files.
    func fingerprint() throws -> String {
        do {
            if isFolder { return try folderFingerprint() }
            let handle = try FileHandle(forReadingFrom: URL(filePath: file))
            let start = try handle.read(upToCount: 1 << 20) ?? Data()
            let size = try handle.seekToEnd()
            try handle.seek(toOffset: size - min(size, 1 << 20))
            let end = try handle.read(upToCount: 1 << 20) ?? Data()
            let changed = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
            return "\(size) \(changed?.timeIntervalSince1970 ?? 0) \(SHA256Sum.hex(start + end))"
        } catch {
            throw failure(error)
        }
    }

    /// Whether a folder is read.
    var isFolder: Bool { file.isFolder }

    private func folderFingerprint() throws -> String {
        var lines: [String] = []
        // The reader refused a folder with too many files before.
        for case let name as String in FileManager.default.enumerator(atPath: file) ?? .init() {
            let facts = try FileManager.default.attributesOfItem(atPath: "\(file)/\(name)")
            guard facts[.type] as? FileAttributeType == .typeRegular else { continue }
            let changed = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            lines.append("\(name) \((facts[.size] as? NSNumber)?.uint64Value ?? 0) \(changed)")
        }
        return SHA256Sum.hex(Array(lines.sorted().joined(separator: "\n").utf8))
    }

    private func failure(_ error: any Error) -> CommandFailure {
        switch error {
        case let error as SampleProblem: CommandFailure(error.reason, at: "\(error.file):\(error.line):")
        case let error as ZipError: CommandFailure("\(file): \(error)")
        default: CommandFailure("\(file): the file cannot be read: \(error.localizedDescription)")
        }
    }
}

/// A selection of a file's samples.
struct SampleSelection {
    /// When the time begins or ends.
    enum Bound {
        /// Microseconds since 1970.
        case instant(Int)
        /// A day, counted from 1970-01-01. It begins at midnight by the clock of each sample's own zone.
        case day(Int)

        func instant(for date: FHIRDateTime) -> Int {
            switch self {
            case .instant(let instant): instant
            case .day(let day): (day * 1440 - (date.offset ?? 0)) * 60_000_000
            }
        }
    }

    /// The meaning of names and units in the file.
    var mapping: HealthMapping
    var types: Set<String>
    var since: Bound?
    var until: Bound?

    /// The sample, or those of its members that have a type, or nothing.
    func chosen(of sample: Sample) -> [Sample] {
        if hasType(sample) { return isInTime(sample) ? [sample] : [] }
        return sample.members.filter { types.contains($0.type) && isInTime($0) }
    }

    /// Whether the sample itself was chosen.
    func takes(_ sample: Sample) -> Bool { hasType(sample) && isInTime(sample) }

    private func hasType(_ sample: Sample) -> Bool { types.isEmpty || types.contains(sample.type) }

    private func isInTime(_ sample: Sample) -> Bool {
        if since == nil, until == nil { return true }
        guard let start = sample.start.microseconds, let end = sample.end.microseconds else { return false }
        let from = since?.instant(for: sample.end)
        let to = until?.instant(for: sample.start)
        return (from.map { end > $0 || start >= $0 } ?? true) && (to.map { start < $0 } ?? true)
    }

    var description: String {
        "\(types.sorted()) \(since.map { "\($0)" } ?? "") \(until.map { "\($0)" } ?? "")"
    }
}

/// What was read from a file. The first problems are shown, all are counted.
struct SampleTally {
    let console: MessageOptions
    var samples = 0
    private(set) var problems = 0
    var otherElements: [String: Int] = [:]
    private static let shown = 20

    /// Counts problems that an interrupted run has shown.
    mutating func addShown(_ count: Int) { problems += count }

    mutating func add(_ problem: SampleProblem) {
        problems += 1
        if problems <= Self.shown || console.verbose {
            StandardStreams.printError("\(problem.file):\(problem.line): error: \(problem.reason)")
        }
        if problems == Self.shown, !console.verbose {
            StandardStreams.printError("further problems are counted; --verbose shows all")
        }
    }

    /// Reports what was read, and exits with 1 if lines were skipped.
    func end() throws {
        for (name, count) in otherElements.sorted(by: { $0.key < $1.key }) {
            console.note("not read: \(count) \(name)")
        }
        if problems > 0 {
            StandardStreams.printError(
                """
                \(samples) \(samples == 1 ? "sample" : "samples") read, \(problems) \
                \(problems == 1 ? "line" : "lines") skipped
                """
            )
            throw ExitCode.nothingFound
        }
        if samples == 0 {
            console.note("the file has no samples")
            throw ExitCode.nothingFound
        }
    }
}

/// How far a file is read, on a terminal.
final class SampleProgress {
    var total: Int?
    var samples = 0
    private let isShown: Bool
    private var isOnScreen = false

    init(isShown: Bool) { self.isShown = isShown }

    func show(_ bytes: Int) {
        guard isShown else { return }
        isOnScreen = true
        StandardStreams.hint("\r\(Self.bar(bytes, of: total))\(samples) samples\u{1B}[K")
    }

    /// `[########            ] 40 % `, where the size is known.
    static func bar(_ bytes: Int, of total: Int?) -> String {
        guard let total, total > 0 else { return "" }
        // Divide first: the product of two sizes may be too large.
        let percent = min(100, bytes / max(1, total / 100))
        let done = percent / 5
        let marks = String(repeating: "#", count: done) + String(repeating: " ", count: 20 - done)
        return "[\(marks)] \(percent) % "
    }

    func clear() {
        if isOnScreen { StandardStreams.hint("\r\u{1B}[K") }
        isOnScreen = false
    }
}

import Crypto
import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats
import StudyWarehouse

/// Writes the files of packages out of a warehouse, which has them as they came, encrypted: byte for byte,
/// with a manifest.
///
/// ```swift
/// let export = FileExport(warehouse: warehouse, keys: try KeyRing(contentsOf: folder))
/// let report = try await export.write(to: URL(filePath: "files"))
/// ```
/// Each package is a folder, `PSEUDONYM/MESSAGE`, with its `info.json`. `manifest.ndjson` has a line for each
/// file: whose it is, what was asked, the run of the task, when it began and ended, its type, size and
/// SHA-256 digest. Files are as the phone made them: what they say of their participant stays in them.
public struct FileExport: Sendable {
    /// What was written.
    public struct Report: Sendable, Hashable {
        public var packages = 0
        /// Their files.
        public var files = 0
        /// The bytes of the files.
        public var bytes = 0
        /// The packages that could not be opened, with the reasons.
        public var failed: [String] = []
    }

    private let warehouse: Warehouse
    private let keys: KeyRing
    private static let batchSize = 100

    /// An export.
    ///
    /// - Parameter keys: The study's private keys.
    public init(warehouse: Warehouse, keys: KeyRing) {
        self.warehouse = warehouse
        self.keys = keys
    }

    /// Writes the packages of participants who agreed and have not withdrawn.
    ///
    /// - Parameters:
    ///   - folder: A new folder, or one without these packages; it is for its owner alone.
    ///   - audience: Whose packages.
    ///   - progress: Gets what was written so far, after each package.
    /// - Throws: `StudyError` when the disk fails, `CancellationError`, the database's errors.
    public func write(
        to folder: URL,
        of audience: ExportAudience = .study,
        progress: (Report) -> Void = { _ in }
    ) async throws -> Report {
        try PrivateFolder.make(folder)
        var report = Report()
        var lines: [String] = []
        var last = ""
        while true {
            let after = last
            let batch = try await warehouse.read { warehouse in
                try warehouse.packages(of: audience, after: after, limit: Self.batchSize)
            }
            guard let end = batch.last else { break }
            for package in batch {
                try Task.checkCancellation()
                guard let body = try await warehouse.read({ try $0.message(package.id)?.body }) else {
                    continue
                }
                do {
                    lines += try write(package, body, to: folder, &report)
                } catch let error as StudyError {
                    if case .storage = error { throw error }
                    report.failed.append("\(package.id): \(error)")
                }
                progress(report)
            }
            last = end.id
        }
        let text = lines.map { $0 + "\n" }.joined()
        try NewFile(folder.appending(path: "manifest.ndjson")).write { try $0(Data(text.utf8)) }
        return report
    }

    /// The lines of the manifest.
    private func write(_ package: KeptPackage, _ body: Data, to folder: URL, _ report: inout Report) throws
        -> [String]
    {
        let contents = try keys.open(body)
        let name = String(Hexadecimal.encode(SHA256.hash(data: Data(package.id.utf8))).prefix(16))
        let path = "\(package.participant)/\(name)"
        try PrivateFolder.make(folder.appending(path: package.participant))
        try contents.write(to: folder.appending(path: path))
        let times = try FileTimes(contents)
        var lines: [String] = []
        for file in contents.files {
            var digest = SHA256()
            var size = 0
            try file.read {
                digest.update(data: $0)
                size += $0.count
            }
            let time = times[file.info.name]
            let line: JSONValue = [
                "participant": JSONValue(package.participant), "message": JSONValue(package.id),
                "received": JSONValue(package.received), "study": JSONValue(contents.info.study),
                "item": JSONValue(contents.info.item), "run": JSONValue(contents.info.taskRun),
                "start": JSONValue(time?.start),
                "end": JSONValue(
                    time?.end ?? file.info.timestamp?.description ?? contents.info.timestamp?.description
                ),
                "contentType": JSONValue(file.info.contentType), "bytes": JSONValue(size),
                "sha256": JSONValue(Hexadecimal.encode(digest.finalize())),
                "path": JSONValue("\(path)/\(file.info.name)"),
            ]
            lines.append(line.text())
            report.files += 1
            report.bytes += size
        }
        report.packages += 1
        return lines
    }
}

/// When the files of a package began and ended, as the results of ResearchKit in it say.
private struct FileTimes {
    private var times: [String: (start: String?, end: String?)] = [:]
    private static let maximumLength = 16 << 20

    init(_ contents: ArchiveContents) throws {
        for file in contents.files where file.info.name.lowercased().hasSuffix(".json") {
            var data = Data()
            try file.read { if data.count <= Self.maximumLength { data.append($0) } }
            guard data.count <= Self.maximumLength, data.range(of: Data("ORKFileResult".utf8)) != nil,
                let json = try? JSONValue(parsing: data)
            else { continue }
            var stack = [json]
            while let result = stack.popLast() {
                stack += result.elements(of: "results")
                guard result["_class"]?.string == "ORKFileResult" else { continue }
                let names = ["fileName", "fileURL"].compactMap { result[$0]?.string }
                guard let name = names.first?.split(separator: "/").last else { continue }
                times[String(name)] = (
                    TaskResults.time(result["startDate"])?.description,
                    TaskResults.time(result["endDate"])?.description
                )
            }
        }
    }

    subscript(name: String) -> (start: String?, end: String?)? { times[name] }
}

extension KeyRing {
    /// Opens a package or an envelope.
    ///
    /// - Throws: `StudyError`.
    public func open(_ body: Data) throws -> ArchiveContents {
        try StudyPackage(body).open(with: all.map { StudyPackage.Key($0, allowsPKCS1: allowsPKCS1) })
    }
}

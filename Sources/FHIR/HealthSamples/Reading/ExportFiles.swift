import Foundation
import IndivoBase
import ZipArchive

/// The files of an export: the entries of an archive, or what lies in a folder.
struct ExportFiles {
    /// One of them.
    struct File {
        /// Its path from the top, with slashes.
        var name: String
        /// Its bytes, unpacked.
        var size: UInt64
        /// When it was changed; of an archive by a clock in a zone that nobody knows.
        var modified: CivilDateTime
        /// Its bytes in pieces.
        var open: () throws -> ByteSource
        /// All of its bytes.
        var data: () throws -> Data
    }

    /// In the order of their names.
    let files: [File]
    private let indexes: [String: Int]

    /// An export has a file for each workout route, electrocardiogram and clinical record: more than archives
    /// in general may have.
    static let limit = 100_000
    /// A resource of FHIR is not larger.
    private static let dataLimit = 64 << 20

    private init(_ files: [File]) {
        self.files = files.filter { !Self.isResourceFork($0.name) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        indexes = Dictionary(firstOf: self.files.enumerated().map { ($1.name, $0) })
    }

    /// The entries of an archive.
    /// - Throws: `ZipError`.
    init(archive url: URL) throws {
        var limits = ZipLimits()
        limits.entries = Self.limit
        let archive = try ZipReader(url: url, limits: limits)
        self.init(
            archive.entries.filter { !$0.isFolder }.map { entry in
                File(
                    name: entry.name,
                    size: entry.size,
                    modified: entry.modified.civil,
                    open: { try ByteSource.entry(entry, of: archive) },
                    data: { try archive.data(of: entry, limit: Self.dataLimit) }
                )
            }
        )
    }

    /// What lies in a folder and below it. Links are not followed.
    /// - Throws: ``SampleProblem`` where there are too many files, or what the system throws.
    init(folder url: URL) throws {
        let root = url.resolvingSymlinksInPath().path
        guard let names = FileManager.default.enumerator(atPath: root) else {
            throw SampleProblem(file: url.lastPathComponent, line: 1, reason: "the folder cannot be read")
        }
        var files: [File] = []
        var count = 0
        for case let name as String in names {
            count += 1
            guard count <= Self.limit else {
                throw SampleProblem(
                    file: url.lastPathComponent,
                    line: 1,
                    reason: "the folder has more than \(Self.limit) files; name that of the export"
                )
            }
            let path = "\(root)/\(name)"
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            guard facts[.type] as? FileAttributeType == .typeRegular else { continue }
            let size = (facts[.size] as? NSNumber)?.uint64Value ?? 0
            let changed = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            files.append(
                File(
                    name: name,
                    size: size,
                    modified: CivilDateTime(seconds: Int(min(max(changed, 0), 253_402_300_799))),
                    open: { try ByteSource.file(URL(filePath: path)) },
                    data: { try Self.data(path, name) }
                )
            )
        }
        self.init(files)
    }

    private static func data(_ path: String, _ name: String) throws -> Data {
        let handle = try FileHandle(forReadingFrom: URL(filePath: path))
        let data = try handle.read(upToCount: dataLimit + 1) ?? Data()
        guard data.count <= dataLimit else {
            throw SampleProblem(file: name, line: 1, reason: "the file has more than \(dataLimit) bytes")
        }
        return data
    }

    /// The file that an export names by its path from the folder that the export lies in; nil where it is
    /// not among the files.
    func file(at path: String, beside export: String) -> File? {
        let folder = export.split(separator: "/").dropLast()
        return indexes[(folder + path.split(separator: "/")).joined(separator: "/")].map { files[$0] }
    }

    /// What macOS puts into archives beside each file.
    private static func isResourceFork(_ name: String) -> Bool {
        let path = name.split(separator: "/")
        return path.first == "__MACOSX" || path.last?.hasPrefix("._") == true
    }
}

extension ZipTime {
    fileprivate var civil: CivilDateTime {
        var time = CivilDateTime(year: year, month: month, day: day, offset: 0)
        time.kind = .dateTime
        time.precision = .second
        time.hour = hour
        time.minute = minute
        time.second = second
        return time
    }
}

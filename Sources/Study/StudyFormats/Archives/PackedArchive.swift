import Foundation
import HTTPCalls
import OrderedJSON

/// ResearchKit's packed form: numbers of 32 bits, big-endian; a version, the length of a JSON header, the
/// header; then the length and the bytes of each file.
enum PackedArchive {
    /// The length of version and header's length.
    private static let prefixLength = 8

    static func isPacked(_ source: BodySource) throws -> Bool {
        let prefix = try source.read(at: 0, count: prefixLength)
        return prefix.count == prefixLength && prefix.prefix(3).allSatisfy { $0 == 0 }
            && prefix[prefix.startIndex + 4] == 0
    }

    static func read(_ source: BodySource, limits: ArchiveLimits) throws -> ArchiveContents {
        func refuse(_ offset: Int, _ reason: String) -> StudyError {
            .malformed(format: "packed archive", offset: offset, reason: reason)
        }
        func number(at offset: Int) throws -> Int {
            let bytes = try source.read(at: offset, count: 4)
            guard bytes.count == 4 else { throw refuse(offset, "it ends where a length is expected") }
            return bytes.reduce(0) { $0 << 8 | Int($1) }
        }
        let length = try number(at: 4)
        guard length <= ArchiveInfo.maximumLength, length <= source.size - prefixLength else {
            throw refuse(4, "a header of \(length) bytes")
        }
        let header = try source.read(at: prefixLength, count: length)
        var info = try ArchiveInfo(parsing: header)
        if info.files.isEmpty {
            // The form with one file: its type and time are the header's own.
            let json = try JSONValue(parsing: header)
            info.files = [
                ArchiveInfo.File(
                    name: "data",
                    contentType: json["contentType"]?.string,
                    timestamp: info.timestamp
                )
            ]
        }
        guard info.files.count <= limits.files else {
            throw StudyError.tooLarge(what: "\(info.files.count) files in one archive", limit: limits.files)
        }
        var files: [ArchiveContents.File] = []
        var offset = prefixLength + length
        for file in info.files {
            let size = try number(at: offset)
            let start = offset + 4
            guard size <= source.size - start else {
                throw refuse(
                    offset,
                    "\(file.name.debugDescription) has \(size) bytes where \(source.size - start) are left"
                )
            }
            files.append(
                ArchiveContents.File(file) { write in
                    try BodySource(size: size) { try source.read(at: start + $0, count: $1) }.forEachPiece(
                        write
                    )
                }
            )
            offset = start + size
        }
        guard offset == source.size else {
            throw refuse(offset, "there is more than the files of its header")
        }
        return try ArchiveContents(info: info, infoData: header, files: files)
    }
}

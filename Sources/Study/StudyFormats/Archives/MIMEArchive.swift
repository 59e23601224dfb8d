import Foundation
import HTTPCalls

/// ResearchKit's MIME form: a multipart message (RFC 2046, 5.1), each part with a file name; the one named
/// `info.json` is the archive's description.
enum MIMEArchive {
    private static let maximumHeadLength = 16 << 10

    static func read(_ source: BodySource, limits: ArchiveLimits) throws -> ArchiveContents {
        let (fields, start) = try head(source, from: 0)
        guard let type = fields["content-type"], type.value.hasPrefix("multipart/") else {
            throw refuse(0, "its Content-Type is not multipart")
        }
        guard let boundary = type.parameters["boundary"], (1...70).contains(boundary.utf8.count) else {
            throw refuse(0, "it has no boundary of 1 to 70 characters")
        }
        let parts = try parts(source, from: start, boundary: boundary, limits: limits)
        var info: (ArchiveInfo, Data)?
        var files: [ArchiveContents.File] = []
        for part in parts {
            if part.name == ArchiveInfo.fileName {
                guard info == nil else {
                    throw StudyError.badName(name: part.name, reason: "it occurs twice")
                }
                guard part.range.count <= 2 * ArchiveInfo.maximumLength else {
                    throw StudyError.tooLarge(
                        what: "info.json of \(part.range.count) bytes",
                        limit: ArchiveInfo.maximumLength
                    )
                }
                var data = Data()
                try read(part, of: source) { data.append($0) }
                info = (try ArchiveInfo(parsing: data), data)
                continue
            }
            files.append(
                ArchiveContents.File(ArchiveInfo.File(name: part.name, contentType: part.contentType)) {
                    write in
                    try read(part, of: source, write)
                }
            )
        }
        guard let (description, data) = info else { throw refuse(0, "no part is named info.json") }
        let times = Dictionary(firstOf: description.files.map { ($0.name, $0.timestamp) })
        return try ArchiveContents(
            info: description,
            infoData: data,
            files: files.map { file in
                var info = file.info
                info.timestamp = times[info.name] ?? nil
                return ArchiveContents.File(info, read: file.read)
            }
        )
    }

    private struct Part: Sendable {
        let name: String
        let contentType: String?
        let isBase64: Bool
        let range: Range<Int>
    }

    private static func refuse(_ offset: Int, _ reason: String) -> StudyError {
        .malformed(format: "MIME archive", offset: offset, reason: reason)
    }

    // MARK: Parts

    private static func parts(_ source: BodySource, from start: Int, boundary: String, limits: ArchiveLimits)
        throws -> [Part]
    {
        var parts: [Part] = []
        // Where the part under way begins, its head included.
        var begin: Int?
        var isClosed = false
        try eachDelimiter(source, from: start, boundary: boundary) { delimiter in
            guard !isClosed else { return }
            if let begin {
                guard parts.count <= limits.files else {
                    throw StudyError.tooLarge(what: "the parts of a MIME archive", limit: limits.files + 1)
                }
                parts.append(try part(source, from: begin, to: delimiter.start))
            }
            begin = delimiter.end
            isClosed = delimiter.isLast
        }
        guard isClosed else { throw refuse(source.size, "its last boundary is missing") }
        return parts
    }

    private static func part(_ source: BodySource, from start: Int, to end: Int) throws -> Part {
        let (fields, body) = try head(source, from: start)
        // Of a part without a body the empty line is the one before the boundary.
        guard body <= end + 2 else { throw refuse(start, "a part without an empty line behind its head") }
        guard
            let name = fields["content-disposition"]?.parameters["filename"]
                ?? fields["content-type"]?.parameters["name"]
        else {
            throw refuse(start, "a part without a file name")
        }
        let encoding = fields["content-transfer-encoding"]?.value ?? "binary"
        guard ["7bit", "8bit", "binary", "base64"].contains(encoding) else {
            throw StudyError.unsupported(
                format: "MIME archive",
                reason: "a part is encoded by \(encoding.prefix(40))"
            )
        }
        return Part(
            name: name,
            contentType: fields["content-type"]?.value,
            isBase64: encoding == "base64",
            range: body..<max(body, end)
        )
    }

    private static func read(_ part: Part, of source: BodySource, _ write: (Data) throws -> Void) throws {
        let bytes = BodySource(size: part.range.count) {
            try source.read(at: part.range.lowerBound + $0, count: $1)
        }
        guard part.isBase64 else { return try bytes.forEachPiece(write) }
        var rest = Data()
        try bytes.forEachPiece { piece in
            rest.append(contentsOf: piece.lazy.filter { $0 > 0x20 })
            let whole = rest.count - rest.count % 4
            guard whole > 0 else { return }
            // Only the last group may have padding, so one group is kept back.
            let ready = rest.prefix(whole - 4)
            rest = Data(rest.dropFirst(whole - 4))
            try write(try decoded(ready, part))
        }
        try write(try decoded(rest, part))
    }

    private static func decoded(_ text: Data, _ part: Part) throws -> Data {
        guard let data = Data(base64Encoded: text) else {
            throw refuse(part.range.lowerBound, "\(part.name.debugDescription) is not base64")
        }
        return data
    }

    private struct Delimiter {
        /// The end of what stands before it: the line end belongs to the delimiter.
        let start: Int
        let end: Int
        let isLast: Bool
    }

    /// Finds the lines that begin with the boundary. Only line ends are checked, each once.
    private static func eachDelimiter(
        _ source: BodySource,
        from start: Int,
        boundary: String,
        _ body: (Delimiter) throws -> Void
    ) throws {
        let mark = Data("--\(boundary)".utf8)
        func check(_ line: Int) throws {
            guard try source.read(at: line, count: 1).first == UInt8(ascii: "-"),
                try source.read(at: line, count: mark.count) == mark
            else { return }
            let tail = [UInt8](try source.read(at: line + mark.count, count: 64))
            let isLast = tail.starts(with: "--".utf8)
            let blanks =
                tail.dropFirst(isLast ? 2 : 0).prefix { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.count
                + (isLast ? 2 : 0)
            // A longer boundary begins like this one.
            guard isLast || (blanks < tail.count && tail[blanks] == 0x0A) else { return }
            let before = try source.read(at: max(start, line - 2), count: line - max(start, line - 2))
            let cut = before.last != 0x0A ? 0 : before.first == 0x0D && before.count == 2 ? 2 : 1
            try body(Delimiter(start: line - cut, end: line + mark.count + blanks + 1, isLast: isLast))
        }
        try check(start)
        var offset = start
        while offset < source.size {
            let piece = [UInt8](try source.read(at: offset, count: 1 << 20))
            for index in piece.indices where piece[index] == 0x0A {
                let next = index + 1
                // Most lines begin with something else, which is in the same piece.
                if next < piece.count, piece[next] != UInt8(ascii: "-") { continue }
                if next + mark.count <= piece.count, !piece[next..<next + mark.count].elementsEqual(mark) {
                    continue
                }
                try check(offset + next)
            }
            offset += piece.count
        }
    }

    // MARK: Heads

    private struct Field {
        let value: String
        let parameters: [String: String]
    }

    /// The fields up to the empty line, continuation lines included, and where the body begins.
    private static func head(_ source: BodySource, from start: Int) throws -> (
        fields: [String: Field], body: Int
    ) {
        let bytes = [UInt8](try source.read(at: start, count: maximumHeadLength))
        var lines: [[UInt8]] = []
        var index = 0
        while true {
            guard let end = bytes[index...].firstIndex(of: 0x0A) else {
                throw refuse(
                    start,
                    "a head of more than \(maximumHeadLength) bytes, or without an empty line behind it"
                )
            }
            var line = Array(bytes[index..<end])
            if line.last == 0x0D { line.removeLast() }
            index = end + 1
            if line.isEmpty { break }
            if let first = line.first, first == 0x20 || first == 0x09, !lines.isEmpty {
                lines[lines.count - 1] += line
            } else {
                lines.append(line)
            }
        }
        var fields: [String: Field] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            fields[String(decoding: line[..<colon], as: UTF8.self).lowercased()] = field(
                String(decoding: line[(colon + 1)...], as: UTF8.self)
            )
        }
        return (fields, start + index)
    }

    /// `value; name=text; name="text"`.
    private static func field(_ text: String) -> Field {
        var parts: [String] = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if isEscaped {
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ";", !isQuoted {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            guard let equal = part.firstIndex(of: "=") else { continue }
            let name = part[..<equal].trimmingCharacters(in: .whitespaces).lowercased()
            parameters[name] = part[part.index(after: equal)...].trimmingCharacters(in: .whitespaces)
        }
        return Field(
            value: parts[0].trimmingCharacters(in: .whitespaces).lowercased(),
            parameters: parameters
        )
    }
}

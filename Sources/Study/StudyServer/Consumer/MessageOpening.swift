import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import StudyFormats

/// Decrypts messages into FHIR resources.
struct MessageOpening: Sendable {
    let keys: KeyRing
    /// Converts results of tasks to responses.
    var results = TaskResults()
    var limits = Limits()

    /// The bounds of a message: an archive of a few megabytes may unpack to gigabytes.
    struct Limits {
        /// Resources, those of Bundles counted one by one.
        var resources = 10_000
        /// Bytes of the files that have resources, all together.
        var resourceBytes = 64 << 20
        /// Bytes of a file with a result of a task that becomes facts.
        var resultBytes = 8 << 20
        /// Bytes of all files of JSON: recordings of tasks, which are not processed, are JSON, too.
        var readBytes = 256 << 20
        /// How many bytes each byte of a message may unpack to. JSON of measurements, which says the same
        /// names again and again, has a tenth to a thirtieth of its size.
        var ratio = 50
        /// What any message may unpack to, however small it is.
        var smallestBytes = 1 << 20

        /// The bytes to which a message of a given size may unpack.
        func unpackedBytes(of size: Int) -> Int {
            let (product, overflow) = size.multipliedReportingOverflow(by: ratio)
            return min(readBytes, max(smallestBytes, overflow ? .max : product))
        }
    }

    /// The resources of a message, those of Bundles one by one.
    ///
    /// - Throws: ``ProcessingError``.
    func resources(of message: StudyMessage) throws -> [JSONValue] {
        do {
            let found = try message.content == .envelope ? [envelope(message.body)] : package(message.body)
            let resources = found.flatMap { json in
                json["resourceType"]?.string == "Bundle"
                    ? OlderResources.list(json["entry"]).compactMap { $0["resource"] } : [json]
            }
            guard resources.count <= limits.resources else { throw tooManyResources }
            return resources
        } catch StudyError.storage(let reason) {
            // The disk fails, not the message.
            throw StudyError.storage(reason: reason)
        } catch let error as StudyError {
            // These name formats and offsets, never content.
            throw ProcessingError.undecryptable("\(error)")
        }
    }

    private func envelope(_ body: Data) throws -> JSONValue {
        let envelope = try C3ProEnvelope(parsing: body)
        var failure: any Error = StudyError.wrongKeyOrDamaged
        for key in try keys.keys(of: envelope) {
            do {
                return try envelope.resource(with: key, limits: jsonLimits, allowsPKCS1: keys.allowsPKCS1)
            } catch StudyError.malformed(_, _, let reason) {
                throw ProcessingError.notFHIR(reason)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private var tooManyResources: ProcessingError {
        .unsupported("it has more than \(limits.resources) resources")
    }

    /// The resources in a package's files: single ones, bundles, and lines of them. Other files stay in the
    /// package.
    private func package(_ body: Data) throws -> [JSONValue] {
        // In files without names: a consumer that is killed leaves none behind.
        let unpackedLimit = limits.unpackedBytes(of: body.count)
        var archiveLimits = ArchiveLimits()
        // What bzip2 packed is unpacked as a whole.
        archiveLimits.bzip2Size = unpackedLimit
        let contents = try StudyPackage(body, limits: archiveLimits).open(
            with: keys.all.map { StudyPackage.Key($0) }
        )
        var resources: [JSONValue] = []
        var resourceBytes = 0
        var readBytes = 0
        for file in contents.files {
            let type = file.info.contentType ?? ""
            let name = file.info.name.lowercased()
            let isLines = type.contains("ndjson") || name.hasSuffix(".ndjson")
            guard isLines || type.contains("json") || name.hasSuffix(".json") else { continue }
            var data = Data()
            try file.read { piece in
                readBytes += piece.count
                guard data.count + piece.count <= limits.resourceBytes else {
                    throw ProcessingError.unsupported(
                        "it has a file of JSON of more than \(limits.resourceBytes) bytes"
                    )
                }
                guard readBytes <= unpackedLimit else {
                    throw ProcessingError.unsupported(
                        "its files of JSON unpack to more than \(unpackedLimit) bytes together, "
                            + "too many for a message of \(body.count) bytes"
                    )
                }
                data.append(piece)
            }
            // Recordings have no such name, and are not read. An escaped name, or a file that is cut, may be
            // a resource.
            let end = data.last { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
            let isWhole = end == UInt8(ascii: "}") || end == UInt8(ascii: "]")
            guard
                isLines || !isWhole || data.range(of: Data("resourceType".utf8)) != nil
                    || data.range(of: Data(#"\u00"#.utf8)) != nil
            else {
                resources += [response(to: data, contents.info, after: resources.count)].compactMap { $0 }
                continue
            }
            resourceBytes += data.count
            guard resourceBytes <= limits.resourceBytes else {
                throw ProcessingError.unsupported(
                    "its files with resources have more than \(limits.resourceBytes) bytes together"
                )
            }
            let parts = isLines ? Self.lines(of: data, limit: limits.resources + 1) : [data]
            guard resources.count + parts.count <= limits.resources else { throw tooManyResources }
            for part in parts {
                let json = try json(part)
                // A result may have a resource deep in it. What cannot be read may be one itself, and is not
                // passed over.
                if !isLines, json["resourceType"] == nil {
                    resources += [response(to: json, contents.info)].compactMap { $0 }
                    continue
                }
                resources.append(try Self.resource(json))
            }
        }
        return resources
    }

    /// The lines that are not blank.
    ///
    /// - Parameter limit: How many at most, the first ones.
    private static func lines(of data: Data, limit: Int) -> [Data] {
        let ranges = data.withUnsafeBytes { bytes in
            var ranges: [Range<Int>] = []
            var start = 0
            while start < bytes.count, ranges.count < limit {
                let end = bytes.index(of: UInt8(ascii: "\n"), in: start..<bytes.count) ?? bytes.count
                let isBlank = bytes[start..<end].allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
                if !isBlank { ranges.append(start..<end) }
                start = end + 1
            }
            return ranges
        }
        return ranges.map { data[data.startIndex + $0.lowerBound..<data.startIndex + $0.upperBound] }
    }

    /// The response that a file with a result of ResearchKit becomes; `nil` for other files, and for a result
    /// with more samples than are read, which stays a file.
    private func response(to data: Data, _ info: ArchiveInfo, after count: Int) -> JSONValue? {
        guard count < limits.resources, data.count <= limits.resultBytes,
            data.range(of: Data("_class".utf8)) != nil,
            let json = try? JSONValue(parsing: data, limits: jsonLimits)
        else { return nil }
        return response(to: json, info)
    }

    private func response(to json: JSONValue, _ info: ArchiveInfo) -> JSONValue? {
        TaskResults.isResult(json) ? results.response(json, item: info.item, run: info.taskRun) : nil
    }

    private var jsonLimits: JSONLimits {
        var limits = JSONLimits()
        limits.bytes = self.limits.resourceBytes
        limits.depth = 128
        limits.nodes = 4 << 20
        return limits
    }

    private func json(_ data: Data) throws -> JSONValue {
        do {
            return try JSONValue(parsing: data, limits: jsonLimits)
        } catch {
            throw ProcessingError.notFHIR("\(error.reason), at \(error.location)")
        }
    }

    private static func resource(_ json: JSONValue) throws -> JSONValue {
        guard json["resourceType"]?.string != nil else {
            throw ProcessingError.notFHIR("it has no resourceType")
        }
        return json
    }
}

import Foundation
import HTTPTransport
import OrderedJSON
import StudyDelivery

/// Decrypts messages into FHIR resources.
struct MessageOpening: Sendable {
    let keys: KeyRing
    private static let mostResources = 10_000
    private static let largestFile = 64 << 20
    /// Recordings of a task, which are not processed, are longer than resources.
    private static let mostNodes = 32 << 20

    /// The resources of a message, upgraded to R4.
    ///
    /// - Throws: ``ProcessingError``.
    func resources(of message: StudyMessage) throws -> [JSONValue] {
        do {
            return try message.content == .envelope ? [envelope(message.body)] : package(message.body)
        } catch StudyError.storage(let reason) {
            // The disk's trouble, not the message's.
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
            do { return try Self.resource(Self.json(envelope.open(with: key))) } catch { failure = error }
        }
        throw failure
    }

    /// The resources in a package's files: single ones, bundles, and lines of them. Other files stay in the package.
    private func package(_ body: Data) throws -> [JSONValue] {
        // In files without names: a consumer that is killed leaves none behind.
        let contents = try StudyPackage(body).open(with: keys.all.map { StudyPackage.Key($0) })
        var resources: [JSONValue] = []
        for file in contents.files {
            let type = file.info.contentType ?? ""
            let name = file.info.name.lowercased()
            let isLines = type.contains("ndjson") || name.hasSuffix(".ndjson")
            guard isLines || type.contains("json") || name.hasSuffix(".json") else { continue }
            var data = Data()
            try file.read { piece in
                guard data.count + piece.count <= Self.largestFile else {
                    throw StudyError.tooLarge(what: "a file of JSON", limit: Self.largestFile)
                }
                data.append(piece)
            }
            let parts =
                isLines
                ? data.split(separator: UInt8(ascii: "\n")).filter { !$0.allSatisfy { [0x20, 0x0D, 0x09].contains($0) } } : [data]
            guard resources.count + parts.count <= Self.mostResources else {
                throw ProcessingError.unsupported("it has more than \(Self.mostResources) resources")
            }
            for part in parts {
                let json = try Self.json(part, nodes: Self.mostNodes)
                // Results of tasks are JSON, too, and no resources. What cannot be read may be one, and is not passed over.
                if !isLines, json["resourceType"] == nil { continue }
                resources.append(try Self.resource(Self.json(part)))
            }
        }
        return resources
    }

    private static func json(_ data: Data, nodes: Int = 4 << 20) throws -> JSONValue {
        do {
            var limits = JSONLimits()
            (limits.bytes, limits.depth, limits.nodes) = (largestFile, 128, nodes)
            return try JSONValue(parsing: data, limits: limits)
        } catch {
            throw ProcessingError.notFHIR("\(error.reason), at \(error.location)")
        }
    }

    private static func resource(_ json: JSONValue) throws -> JSONValue {
        guard json["resourceType"]?.string != nil else { throw ProcessingError.notFHIR("it has no resourceType") }
        return json
    }
}

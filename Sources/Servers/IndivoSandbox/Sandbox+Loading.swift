import Foundation
import IndivoModel
import IndivoXML

/// What came of loading a folder of documents.
public struct SandboxLoadReport: Sendable {
    /// A file that was not stored, and why.
    public struct Refused: Sendable {
        /// The file's path.
        public let file: String
        /// Why the sandbox did not take it.
        public let reason: String
    }

    /// The record into which the documents went.
    public let record: SandboxRecord
    /// How many documents were stored.
    public let storedCount: Int
    /// The files that were not taken, each with the reason.
    public let refused: [Refused]
}

extension Sandbox {
    /// Loads a folder of `.xml` documents into a new record.
    ///
    /// `Demographics.xml` says whose record it is. SDMX with field names of older servers is stored with
    /// those of today, which is all that a server takes; everything else is stored as it is. A file that the
    /// server refuses is reported, and the others are stored all the same.
    ///
    /// - Parameter owner: The account that the record belongs to; the demo account unless given.
    /// - Throws: ``SandboxError`` for a folder without documents, or an unknown account.
    public func load(folder: URL, owner: String? = nil) async throws -> SandboxLoadReport {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.hasSuffix(".xml")
            }
            .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
        } catch {
            throw SandboxError.folder(
                path: folder.path,
                reason: "it cannot be read: \(error.localizedDescription)"
            )
        }
        guard !names.isEmpty else {
            throw SandboxError.folder(path: folder.path, reason: "it holds no .xml files")
        }
        let file = folder.appending(path: "Demographics.xml")
        let isThere = names.contains(file.lastPathComponent)
        let demographics =
            try isThere ? Data(contentsOf: file) : Sandbox.demographics(of: folder.lastPathComponent)
        let id = try await addRecord(owner: owner ?? Sandbox.demoAccount, demographics: demographics)
        var stored = 0
        var refused: [SandboxLoadReport.Refused] = []
        for name in names where name != "Demographics.xml" {
            do {
                let data = try Data(contentsOf: folder.appending(path: name))
                try await addDocument(try Sandbox.current(data), toRecord: id)
                stored += 1
            } catch {
                refused.append(SandboxLoadReport.Refused(file: name, reason: "\(error)"))
            }
        }
        let label = try await records().first { $0.id == id }?.label ?? ""
        return SandboxLoadReport(
            record: SandboxRecord(id: id, label: label, owner: owner ?? Sandbox.demoAccount),
            storedCount: stored,
            refused: refused
        )
    }

    /// A document with the field names of today, if it is SDMX.
    private static func current(_ data: Data) throws -> Data {
        let root = try XMLNode(parsing: data)
        guard root.name == "Models", root.namespace == DocumentType.namespace else { return data }
        return try SDMXDocument(root).xml(naming: .current).data()
    }
}

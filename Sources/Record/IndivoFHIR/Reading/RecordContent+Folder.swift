import Foundation
import Indivo

extension RecordContent {
    /// A record in a folder: each XML file is a document; the one with the root `Demographics` has the
    /// patient's demographics.
    ///
    /// The folder's name stands for the record's id, and the folder's and file's name, as in `ana/doc_1.xml`,
    /// for a document's: patients whose bundles go to one server have folders of different names.
    ///
    /// - Returns: The record, and the names of files without the extension of XML, which were left out.
    /// - Throws: ``FolderError``, errors of the file system.
    public static func folder(_ folder: URL) throws -> (content: RecordContent, ignored: [String]) {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasPrefix(".") }
            .sorted { $0.compare($1, options: [.numeric, .literal]) == .orderedAscending }
        var content = RecordContent(id: folder.standardizedFileURL.lastPathComponent, documents: [])
        var ignored: [String] = []
        for name in names {
            guard name.lowercased().hasSuffix(".xml") else {
                ignored.append(name)
                continue
            }
            let file = FileContent(
                try Data(contentsOf: folder.appending(path: name)),
                contentType: "application/xml"
            )
            let root: IndivoXML.XMLNode
            do {
                root = try file.xml()
            } catch {
                throw FolderError(file: name, reason: "\(error)")
            }
            if root.name == "Demographics" {
                if let first = content.demographics {
                    throw FolderError(
                        file: name,
                        reason: "there are demographics in \(first) already; export one patient's folder"
                    )
                }
                content.demographics = "\(content.id)/\(name)"
            }
            content.documents.append(Document(id: "\(content.id)/\(name)", content: file))
        }
        if content.documents.isEmpty {
            throw FolderError(file: folder.lastPathComponent, reason: "there is no XML file in it")
        }
        return (content, ignored)
    }

    /// Why a folder is not a record.
    public struct FolderError: Error, Hashable, CustomStringConvertible {
        /// The file's name, or the folder's.
        public let file: String
        /// What is wrong.
        public let reason: String

        public var description: String { "\(file): \(reason)" }
    }
}

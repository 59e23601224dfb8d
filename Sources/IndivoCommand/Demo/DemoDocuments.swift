import Foundation
import Indivo

/// The documents of a folder, all read before any is sent.
struct DemoDocuments {
    let files: [(name: String, document: SDMXDocument)]
    /// Who the patient is: from the folder's Demographics document, or made up.
    let demographics: Demographics

    /// - Throws: ``DemoError`` with every file that cannot be read, each with the place and the reason.
    init(folder: URL) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".xml") }
                .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
        } catch {
            throw DemoError("The folder \(folder.path) cannot be read: \(error.localizedDescription)")
        }
        guard !names.isEmpty else { throw DemoError("The folder \(folder.path) holds no .xml files.") }
        var files: [(String, SDMXDocument)] = []
        var demographics: Demographics?
        var problems: [String] = []
        for name in names {
            do {
                let root = try XMLNode(parsing: Data(contentsOf: folder.appending(path: name)))
                if root.name == "Demographics" {
                    demographics = try Demographics.read(from: root)
                } else {
                    files.append((name, try SDMXDocument(root)))
                }
            } catch {
                problems.append("  \(name): \(error)")
            }
        }
        guard problems.isEmpty else {
            throw DemoError(
                "\(problems.count) of \(names.count) files cannot be read, so none was sent:\n"
                    + problems.joined(separator: "\n"))
        }
        self.files = files
        self.demographics = demographics ?? Self.somebody
    }

    private static var somebody: Demographics {
        let somebody = Demographics()
        somebody.dateOfBirth = "1970-01-01"
        somebody.gender = .female
        var name = Demographics.Name()
        name.givenName = "Loaded"
        name.familyName = "Record"
        somebody.name = name
        return somebody
    }
}

/// Why the demo cannot go on.
struct DemoError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

import Foundation
import OrderedJSON
import RecordCommands

/// A configuration of a study's server, in JSON.
protocol StudyServerFile {
    var path: String { get }
    var json: JSONValue { get }
}

extension StudyServerFile {
    func refuse(_ reason: String) -> CommandFailure { CommandFailure(reason, at: "\(path):") }

    /// A path relative to the configuration.
    func file(_ name: String) -> String {
        URL(filePath: name, relativeTo: URL(filePath: path).deletingLastPathComponent()).absoluteURL.filePath
    }

    func text(_ name: String, in object: JSONValue? = nil) throws -> String? {
        guard let value = (object ?? json)[name] else { return nil }
        guard let text = value.string, !text.isEmpty else { throw refuse("“\(name)” is a text") }
        return text
    }

    func texts(_ name: String, in object: JSONValue? = nil) throws -> [String] {
        guard let value = (object ?? json)[name] else { return [] }
        guard let texts = value.elements?.map(\.string), !texts.contains(nil) else {
            throw refuse("“\(name)” is a list of texts")
        }
        return texts.compactMap { $0 }
    }
}

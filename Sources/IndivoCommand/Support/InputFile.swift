import Foundation
import IndivoXML

/// A file that a command reads: a path, or `-` for standard input.
struct InputFile {
    let path: String

    /// What messages call it.
    var name: String { path == "-" ? "standard input" : path }

    /// The files that arguments name; standard input when they name none.
    static func all(_ paths: [String]) -> [InputFile] {
        paths.isEmpty ? [InputFile(path: "-")] : paths.map { InputFile(path: $0) }
    }

    /// The file's bytes.
    /// - Throws: ``CommandFailure``.
    func read() throws -> Data {
        if path == "-" {
            do {
                return try StandardStreams.readInput()
            } catch {
                throw CommandFailure("standard input cannot be read: \(error.localizedDescription)")
            }
        }
        var isFolder: Bool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure("\(path): there is no such file")
        }
        if isFolder { throw CommandFailure("\(path): this is a folder; name the files in it, such as \(path)/*.xml") }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path): the file cannot be read; look at its permissions with ls -l")
        }
        return data
    }

    /// An argument as it is; of `-` what standard input holds, without the end of its last line.
    static func argument(_ text: String) throws -> String {
        guard text == "-" else { return text }
        guard let input = String(validating: try InputFile(path: text).read(), as: UTF8.self) else {
            throw CommandFailure("standard input: this is no text in UTF-8")
        }
        return input.trimmingCharacters(in: .newlines)
    }

    /// The root element of the file's XML.
    /// - Throws: ``CommandFailure``, with line and column where the file is not XML.
    func parse() throws -> XMLNode {
        let data = try read()
        do {
            return try XMLNode(parsing: data)
        } catch let error as XMLError {
            throw CommandFailure(error.message, at: place(error.line, error.column))
        }
    }

    /// `path:line:column:`, as compilers write it, with as much as is known.
    func place(_ line: Int?, _ column: Int? = nil) -> String {
        ([name] + [line, line == nil ? nil : column].compactMap { $0.map(String.init) }).joined(separator: ":") + ":"
    }
}

import Foundation
import IndivoModel
import IndivoXML

/// A file that a command reads: a path, or `-` for standard input.
package struct InputFile {
    package let path: String

    package init(path: String) { self.path = path }

    /// What messages call it.
    package var name: String { path == "-" ? "standard input" : path }

    /// The files that arguments name; standard input when they name none.
    package static func all(_ paths: [String]) -> [InputFile] {
        paths.isEmpty ? [InputFile(path: "-")] : paths.map { InputFile(path: $0) }
    }

    package func read() throws -> Data {
        if path == "-" {
            do {
                return try FileHandle.standardInput.readToEnd() ?? Data()
            } catch {
                throw CommandFailure("standard input cannot be read: \(error.localizedDescription)")
            }
        }
        guard path.fileExists else {
            throw CommandFailure("\(path): there is no such file")
        }
        if path.isFolder {
            throw CommandFailure("\(path): this is a folder; name the files in it, such as \(path)/*.xml")
        }
        return try FileManager.default.contents(atPath: path).orFail(
            "\(path): the file cannot be read; look at its permissions with ls -l",
            .wrongUse
        )
    }

    package func text() throws -> String {
        try String(validating: try read(), as: UTF8.self).orFail(
            "\(name): this is no text in UTF-8",
            .wrongUse
        )
    }

    /// An argument as it is; of `-` what standard input holds, without the end of its last line.
    package static func argument(_ text: String) throws -> String {
        text == "-" ? try InputFile(path: text).text().trimmingCharacters(in: .newlines) : text
    }

    /// The root element of the file's XML.
    func parse() throws -> XMLNode {
        let data = try read()
        return try locating { try XMLNode(parsing: data) }
    }

    /// Does something with what the file holds, and tells its errors with their places in the file.
    package func locating<Result>(advice: String = "", _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as any LocatedError {
            throw CommandFailure(error.told + advice, at: place(error.line, error.column))
        }
    }

    /// `path:line:column:`, as compilers write it, with as much as is known.
    package func place(_ line: Int?, _ column: Int? = nil) -> String {
        ([name] + [line, line == nil ? nil : column].compactMap { $0.map(String.init) }).joined(
            separator: ":"
        ) + ":"
    }
}

/// An error at a place of a file.
package protocol LocatedError: Error {
    /// What is wrong, without the place.
    var told: String { get }
    var line: Int? { get }
    var column: Int? { get }
}

extension XMLError: LocatedError { package var told: String { message } }

extension SDMJError: LocatedError {
    package var told: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension DocumentError: LocatedError {
    package var told: String { description }
    package var column: Int? { nil }
}

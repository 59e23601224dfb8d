import Foundation
import Indivo

/// Settings in a file that only its owner can read: lines such as `INDIVO_CONSUMER_SECRET=…`, as in the environment.
enum CredentialsFile {
    /// Where it is looked for when nothing else is named: `$XDG_CONFIG_HOME/indivo/credentials`, or in `~/.config`.
    static func standardPath(_ environment: [String: String]) -> String {
        BaseFolder.configuration.indivo(in: environment).appending(path: "credentials").path
    }

    /// Reads a file.
    /// - Throws: ``CommandFailure`` where it cannot be read, others can read it too, or a line is no setting.
    static func read(_ path: String) throws -> [Setting: String] {
        let content: Data?
        do {
            content = try PrivateFile(path).read()
        } catch {
            throw failure(error, path)
        }
        guard let content else { throw CommandFailure("\(path): there is no such file") }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw CommandFailure("\(path): this is no text file; look at it with less")
        }
        var settings: [Setting: String] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            // What stands there may be a secret: it is not repeated.
            guard let equals = line.firstIndex(of: "="), let setting = Setting(name: line[..<equals]) else {
                throw CommandFailure(
                    "this is no setting; write NAME=value, with one of the names that indivo settings --help lists",
                    at: "\(path):\(index + 1):")
            }
            settings[setting] = unquoted(line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces))
        }
        return settings
    }

    private static func failure(_ failure: PrivateFile.Failure, _ path: String) -> CommandFailure {
        switch failure {
        case .readableByOthers(let mode):
            CommandFailure(
                "\(path): others can read this file, or it is theirs (mode \(mode)), and it holds secrets; "
                    + "run chmod 600 \(path)")
        case .notAPlainFile:
            CommandFailure("\(path): this is a link or no plain file, from which no secrets are read; name the file itself")
        case .cannotRead(let reason), .cannotWrite(let reason):
            CommandFailure("\(path): it cannot be read (\(reason)); look at it with ls -l")
        }
    }

    private static func unquoted(_ text: String) -> String {
        for quote in ["\"", "'"] where text.count >= 2 && text.hasPrefix(quote) && text.hasSuffix(quote) {
            return String(text.dropFirst().dropLast())
        }
        return text
    }
}

extension Setting {
    /// - Parameter name: As a shell has it, perhaps behind `export`.
    fileprivate init?(name: Substring) {
        let words = name.split(whereSeparator: \.isWhitespace)
        guard let last = words.last, words.count == 1 || words.dropLast() == ["export"] else { return nil }
        self.init(rawValue: String(last))
    }
}

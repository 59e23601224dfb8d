#if Tool && Sandbox
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
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: path)
        } catch {
            throw CommandFailure("\(path): there is no such file, or it cannot be read")
        }
        let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
        guard mode & 0o077 == 0 else {
            throw CommandFailure(
                "\(path): others can read this file (mode \(String(mode, radix: 8))), and it holds secrets; "
                    + "run chmod 600 \(path)"
            )
        }
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(validating: data, as: UTF8.self)
        else { throw CommandFailure("\(path): this is no text file that can be read; look at it with ls -l") }
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
#endif

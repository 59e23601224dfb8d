import Foundation
import Indivo
import ShownText

/// Settings in a file that only its owner can read: lines such as `INDIVO_CONSUMER_SECRET=…`, as in the environment.
enum CredentialsFile {
    /// Where it is looked for when nothing else is named: `$XDG_CONFIG_HOME/indivo/credentials`, or in `~/.config`.
    static func standardPath(_ environment: [String: String]) -> String {
        BaseFolder.configuration.indivo(in: environment).appending(path: "credentials").path
    }

    /// Reads a file.
    /// - Throws: ``CommandFailure`` where it cannot be read, others can read it too, a line is no setting, or a value
    ///   holds a control character.
    static func read(_ path: String) throws -> [Setting: String] {
        let content: Data?
        do {
            content = try PrivateFile(path).read()
        } catch {
            throw failure(error, path)
        }
        guard let content else { throw CommandFailure("\(path): there is no such file") }
        var settings: [Setting: String] = [:]
        for (index, bytes) in lines(of: content).enumerated() {
            // What stands there may be a secret: it is not shown.
            func wrong(_ why: String) -> CommandFailure { CommandFailure(why, at: "\(path):\(index + 1):") }
            guard let text = String(validating: bytes, as: UTF8.self) else { throw wrong("this is no text in UTF-8") }
            let line = text.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
            guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")), let setting = Setting(name: line[..<equals])
            else {
                throw wrong("this is no setting; write NAME=value, with one of the names that indivo settings --help lists")
            }
            let value = unquoted(line[line.utf8.index(after: equals)...].trimmingCharacters(in: .whitespaces))
            guard !value.hasControlCharacters else {
                throw wrong("the value of \(setting.rawValue) holds a control character; write it without")
            }
            settings[setting] = value
        }
        return settings
    }

    /// The lines of a file, which end in LF or CRLF. To Swift, CRLF is one `Character`, and none that `"\n"` equals: the
    /// bytes are looked at.
    private static func lines(of content: Data) -> [Data] {
        let mark = Data([0xEF, 0xBB, 0xBF])
        return (content.starts(with: mark) ? content.dropFirst(mark.count) : content)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
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

import Foundation
import Indivo
import IndivoBase

/// Settings in a file that only its owner can read: lines such as `INDIVO_CONSUMER_SECRET=…`, as in the
/// environment.
enum CredentialsFile {
    static func read(_ path: String) throws -> [Setting: String] {
        guard let content = try content(of: path) else {
            throw CommandFailure("\(path): there is no such file")
        }
        var settings: [Setting: String] = [:]
        // To Swift, CRLF is one `Character`, and none that `"\n"` equals: the bytes are looked at.
        let unmarked = content.trimmingPrefix([0xEF, 0xBB, 0xBF])
        for (index, bytes) in unmarked.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            // What stands there may be a secret: it is not shown.
            func wrong(_ why: String) -> CommandFailure { CommandFailure(why, at: "\(path):\(index + 1):") }
            let bytes = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw wrong("this is no text in UTF-8")
            }
            let line = text.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
            guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")),
                let setting = Setting(name: line[..<equals])
            else {
                throw wrong(
                    """
                    this is no setting; write NAME=value, with one of the names that indivo \
                    settings --help lists
                    """
                )
            }
            var value = line[line.utf8.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            let isQuoted = ["\"", "'"].contains {
                value.count >= 2 && value.hasPrefix($0) && value.hasSuffix($0)
            }
            if isQuoted { value = String(value.dropFirst().dropLast()) }
            guard !value.hasControlCharacters else {
                throw wrong("the value of \(setting.rawValue) holds a control character; write it without")
            }
            settings[setting] = value
        }
        return settings
    }

    private static func content(of path: String) throws -> Data? {
        do {
            return try PrivateFile(path).read()
        } catch .readableByOthers(let mode) {
            throw CommandFailure(
                """
                \(path): others can read this file, or it is theirs (mode \(mode)), and it holds secrets; \
                run chmod 600 \(path)
                """
            )
        } catch .notAPlainFile {
            throw CommandFailure(
                """
                \(path): this is a link or no plain file, from which no secrets are read; \
                name the file itself
                """
            )
        } catch .cannotRead(let reason), .cannotWrite(let reason) {
            throw CommandFailure("\(path): it cannot be read (\(reason)); look at it with ls -l")
        }
    }
}

import Foundation
import IndivoBase
import IndivoModel

package enum StandardStreams {
    /// Nobody reads standard output any more, as behind `head`: the command is done.
    package struct OutputClosed: Error {}

    /// A write to a closed pipe becomes an error, not the end of the process.
    package static func prepare() { signal(SIGPIPE, SIG_IGN) }

    package static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }
    package static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    package static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// How many columns of text the terminal has; `nil` where standard output is none, and nothing is to be
    /// shortened.
    package static var outputWidth: Int? {
        guard outputIsTerminal else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }

    /// Writes bytes to standard output: just as they are, but to a terminal as text that does not command it.
    package static func write(_ data: Data) throws {
        var rest = data[...]
        if outputIsTerminal {
            rest = Data(String(decoding: data, as: UTF8.self).shown(keepsLines: true).utf8)[...]
        }
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw OutputClosed()
            } else if errno != EINTR {
                throw CommandFailure("standard output cannot be written: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Writes a line to standard output, for a program that may read it: just as it is, but to a terminal.
    package static func say(_ line: String) throws { try write(Data("\(line)\n".utf8)) }

    /// Writes lines to standard error, without what would command a terminal: they may quote what a server or
    /// a file says.
    package static func printError(_ line: String) {
        let text = line.shown(keepsLines: true)
        guard errorHasColors else { return hint("\(text)\n") }
        for (prefix, color) in [("error:", 31), ("warning:", 33)] where text.hasPrefix(prefix) {
            return hint("\u{1B}[1;\(color)m\(prefix)\u{1B}[0m\(text.dropFirst(prefix.count))\n")
        }
        hint("\(text)\n")
    }

    /// Standard error is a terminal, and nobody wants it without colours (no-color.org).
    private static let errorHasColors: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return errorIsTerminal && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }()

    /// Writes to standard error just as it is, without the end of a line. Nothing of others is in it.
    package static func hint(_ text: String) {
        // There is nowhere left to tell that this failed.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import SwiftGenerator

let outcome = GeneratorCommand.run(Array(CommandLine.arguments.dropFirst()))
print(lines: outcome.output, to: STDOUT_FILENO)
print(lines: outcome.errors, to: STDERR_FILENO)
exit(outcome.status)

/// Writes all bytes; a reader that has gone away ends the tool quietly.
func print(lines: [String], to descriptor: Int32) {
    var bytes = Array(lines.map { "\($0)\n" }.joined().utf8)[...]
    while !bytes.isEmpty {
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written <= 0 { return }
        bytes = bytes.dropFirst(written)
    }
}

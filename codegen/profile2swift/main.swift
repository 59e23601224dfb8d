import Foundation
import ProfileGenerator

let outcome = ProfileCommand.run(Array(CommandLine.arguments.dropFirst()))
for (lines, stream) in [
    (outcome.output, FileHandle.standardOutput), (outcome.errors, FileHandle.standardError),
] {
    // A reader that has gone away ends the tool quietly.
    try? stream.write(contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
}
exit(outcome.status)

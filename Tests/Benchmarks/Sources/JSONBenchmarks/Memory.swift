import Foundation
import OrderedJSON

/// What a parsed text keeps in memory for each byte of it, measured as the growth of the process's resident
/// pages.
func reportMemory(_ file: String?) throws {
    let data =
        try file.map { try Data(contentsOf: URL(filePath: $0)) }
        ?? bundle(4_600_000, [.withoutEscapingSlashes])
    let bytes = [UInt8](data)
    // Many, so that what the allocator and the runtime take once does not count.
    var kept: [JSONValue] = [try JSONValue(parsing: bytes)]
    let before = residentBytes()
    for _ in 0..<20 { kept.append(try JSONValue(parsing: bytes)) }
    let growth = Double(residentBytes() - before) / Double(20 * bytes.count)
    print(String(format: "%.2f bytes kept for each byte of input (target 2), %d bytes", growth, bytes.count))
    precondition(kept.count == 21)
}

private func residentBytes() -> Int {
    let fields =
        (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return (fields.dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
}

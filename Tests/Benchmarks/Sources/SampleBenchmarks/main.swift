import CLibXML2Tree
import Foundation
import HealthSamples
import Measuring

// generate PATH MEGABYTES [SEED]: writes an export. read PATH: reads it as samples, by libxml2's SAX pass
// alone, and by its reader as `xmllint --stream` does.
let arguments = CommandLine.arguments
let counts = ["generate": 4...5, "read": 3...3]
guard counts[arguments.dropFirst().first ?? ""]?.contains(arguments.count) == true,
    let megabytes = arguments.count > 3 ? Int(arguments[3]) : 0,
    let seed = arguments.count > 4 ? UInt64(arguments[4]) : 1
else {
    FileHandle.standardError.write(Data("usage: generate PATH MEGABYTES [SEED] | read PATH\n".utf8))
    exit(2)
}
let path = arguments[2]

if arguments[1] == "generate" {
    var generator = try ExportGenerator(path: path, seed: seed)
    try generator.write(megabytes: megabytes)
    exit(0)
}

let size = Double((try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0) / 1_000_000

let start = ProcessorTime.now()
var reader = try SampleReader(url: URL(filePath: path))
var samples = 0
var problems = 0
while let item = try reader.next() {
    if case .sample = item { samples += 1 } else { problems += 1 }
}
let ours = (ProcessorTime.now() - start) / 1_000_000
// As Linux tells it; 0 elsewhere.
let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
let peak =
    status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split { !$0.isNumber }.first.flatMap {
        Double($0)
    } ?? 0
let speed = String(
    format: "%.0f MB: %.1f s, %.0f MB/s, peak memory %.0f MB",
    size,
    ours,
    size / ours,
    peak / 1000
)
print("\(samples) samples, \(problems) problems, \(speed)")

// libxml2's own pass, with a handler that only counts.
var handler = xmlSAXHandler()
handler.initialized = UInt32(XML_SAX2_MAGIC)
handler.startElementNs = { context, _, _, _, _, _, _, _, _ in
    context?.assumingMemoryBound(to: Int.self).pointee += 1
}
var elements = 0
let begin = ProcessorTime.now()
let code = xmlSAXUserParseFile(&handler, &elements, path)
let theirs = (ProcessorTime.now() - begin) / 1_000_000
let their = String(format: "%.1f s, %.0f MB/s, ratio %.2f", theirs, size / theirs, theirs / ours)
print("libxml2 SAX: \(elements) elements (\(code)): \(their)")

// What `xmllint --stream` does, in turns with ours.
func streamed() -> Int {
    guard let reader = xmlReaderForFile(path, nil, 0) else { return .min }
    defer { xmlFreeTextReader(reader) }
    var nodes = 0
    while xmlTextReaderRead(reader) == 1 { nodes += 1 }
    return nodes
}

func readSamples() -> Int {
    guard var reader = try? SampleReader(url: URL(filePath: path)) else { return .min }
    var samples = 0
    while let item = try? reader.next() { if case .sample = item { samples += 1 } }
    return samples
}

let result = Comparison(rounds: 3, ours: readSamples, theirs: streamed).measure()
let rate = String(
    format: "%.2f s beside %.2f s: %.2f of its rate (target 0.8)",
    result.ours / 1_000_000,
    result.theirs / 1_000_000,
    1 / result.ratio
)
print("samples beside xmllint --stream: \(rate)")

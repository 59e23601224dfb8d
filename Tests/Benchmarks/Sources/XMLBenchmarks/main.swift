import CLibXML2Tree
import Foundation
import IndivoXML
import Measuring
import XMLCoder

#if canImport(FoundationXML)
import FoundationXML
#endif

/// What XMLCoder decodes of a report.
struct CodedReports: Decodable {
    struct Report: Decodable {
        struct Meta: Decodable {
            struct Document: Decodable {
                var status: String
            }
            var Document: Document
        }
        var Meta: Meta
    }
    var Report: [Report]
}

xmlInitParser()
let arguments = CommandLine.arguments.dropFirst()

/// `XMLBenchmarks one SIZE OPERATION ROUNDS` does one thing so often, for callgrind.
if arguments.first == "one", arguments.count == 4 {
    let values = Array(arguments)
    let bytes = Documents.reports(bytes: Int(values[1]) ?? 3_000)
    let node = try XMLNode(parsing: bytes)
    let tree = LibXML2.parse(bytes)
    let selector = try XMLSelector("Report Model > Field")
    for _ in 0..<(Int(values[3]) ?? 1) {
        switch values[2] {
        case "parse": _ = try XMLNode(parsing: bytes)
        case "parse-libxml2": xmlFreeDoc(LibXML2.parse(bytes))
        case "find": _ = node.document.find(selector).count
        case "find-libxml2": _ = LibXML2.count("//Report//Model/Field", in: tree)
        case "write": _ = try node.document.data().count
        case "write-libxml2": _ = LibXML2.write(tree)
        default: break
        }
    }
    exit(0)
}

/// `XMLBenchmarks memory PARSER SIZE` prints what one parse needs, in bytes for each byte of input: at most,
/// and kept.
if arguments.first == "memory", arguments.count == 3 {
    let values = Array(arguments)
    let bytes = Documents.reports(bytes: Int(values[2]) ?? 25_000_000)
    // What the first parse of a process brings in is no part of a document.
    _ = try XMLNode(parsing: Documents.reports(bytes: 3_000))
    xmlFreeDoc(LibXML2.parse(Documents.reports(bytes: 3_000)))
    let before = Memory.current()
    var keep: [Any] = []
    if values[1] == "libxml2" {
        keep.append(LibXML2.parse(bytes))
    } else {
        keep.append(try XMLNode(parsing: bytes))
    }
    let kept = Memory.current()
    let peak = Memory.peak()
    let size = Double(bytes.count)
    print(String(format: "%.2f %.2f", Double(peak - before) / size, Double(kept - before) / size))
    withExtendedLifetime(keep) {}
    exit(0)
}

/// `XMLBenchmarks attacks` prints how many there are, `XMLBenchmarks attack NUMBER` what one takes.
if arguments.first == "attacks" {
    print(Attacks.all.count)
    exit(0)
}
if arguments.first == "attack", arguments.count == 2, let number = Int(Array(arguments)[1]) {
    Attacks.run(Attacks.all[number])
    exit(0)
}

/// `XMLBenchmarks document SIZE` prints a document, for those who measure themselves.
if arguments.first == "document", arguments.count == 2, let size = Int(Array(arguments)[1]) {
    FileHandle.standardOutput.write(Data(Documents.reports(bytes: size)))
    exit(0)
}

print("ratio  target       ours     theirs  µs of processor time")
for (name, size, rounds, target) in [
    ("3 kB", 3_000, 2_000, "≤ 0.65"), ("250 kB", 250_000, 100, "≤ 0.50"), ("25 MB", 25_000_000, 10, "≤ 0.50"),
] {
    let bytes = Documents.reports(bytes: size)
    Row(
        title: "parse, \(name), to libxml2's tree",
        target: target,
        rounds: rounds,
        ours: { (try? XMLNode(parsing: bytes)) == nil ? 0 : 1 },
        theirs: {
            xmlFreeDoc(LibXML2.parse(bytes))
            return 1
        }
    ).report()
}

let medium = Documents.reports(bytes: 250_000)
let data = Data(medium)
let node = try XMLNode(parsing: medium).document
let tree = LibXML2.parse(medium)
let selector = try XMLSelector("Report Model > Field")
precondition(node.find(selector).count == LibXML2.count("//Report//Model/Field", in: tree))
for row in [
    Row(
        title: "find, 3 steps, 250 kB, to libxml2's XPath",
        target: "≤ 0.70",
        rounds: 100,
        ours: { node.find(selector).count },
        theirs: { LibXML2.count("//Report//Model/Field", in: tree) }
    ),
    Row(
        title: "write, 250 kB, to xmlDocDumpMemory",
        target: "≤ 0.80",
        rounds: 100,
        ours: { (try? node.data().count) ?? 0 },
        theirs: { LibXML2.write(tree) }
    ),
    Row(
        title: "parse, 250 kB, to FoundationXML",
        target: "",
        rounds: 20,
        ours: { (try? XMLNode(parsing: data)) == nil ? 0 : 1 },
        theirs: { (try? XMLDocument(data: data)) == nil ? 0 : 1 }
    ),
    Row(
        title: "parse, 250 kB, to XMLCoder",
        target: "",
        rounds: 3,
        ours: { (try? XMLNode(parsing: data)) == nil ? 0 : 1 },
        theirs: { (try? XMLDecoder().decode(CodedReports.self, from: data))?.Report.count ?? 0 }
    ),
] {
    row.report()
}

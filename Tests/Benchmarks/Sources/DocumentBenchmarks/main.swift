import Foundation
import IndivoModel
import IndivoXML
import Measuring
import XMLCoder

Course.register()
let count = 100
let fieldCount = count * 12
let models = Text.models(count)
let nested = Text.nested(count)

func readModels() throws -> [Course] {
    try SDMXDocument(XMLNode(parsing: models)).models.compactMap { $0 as? Course }
}

func readNested() throws -> [NestedCourse] { try CourseReport.read(from: XMLNode(parsing: nested)).courses }

let coder = XMLDecoder()
let modelData = Data(models)
let nestedData = Data(nested)
let modelTree = try XMLNode(parsing: models)
let nestedTree = try XMLNode(parsing: nested)
let report = try CourseReport.read(from: nestedTree)
let courses = try SDMXDocument(modelTree)
let fresh = (0..<count).map { _ in Course() }
for (a, b) in zip(fresh, courses.models.compactMap({ $0 as? Course })) {
    a.drug = b.drug
    a.code = b.code
    a.system = b.system
    a.started = b.started
    a.ended = b.ended
    a.ordered = b.ordered
    a.dose = b.dose
    a.unit = b.unit
    a.refills = b.refills
    a.urgent = b.urgent
    a.instructions = b.instructions
    a.prescriber = b.prescriber
}
/// What can be done once or often, by name.
let operations: [(name: String, run: () throws -> Int)] = [
    ("read-models", { try readModels().count }),
    ("read-models-xmlcoder", { try coder.decode(CodedModels.self, from: modelData).Model.count }),
    ("read-nested", { try readNested().count }),
    ("read-nested-xmlcoder", { try coder.decode(CodedReport.self, from: nestedData).Course.count }),
    ("parse-models", { try XMLNode(parsing: models).kind == .element ? 1 : 0 }),
    ("parse-nested", { try XMLNode(parsing: nested).kind == .element ? 1 : 0 }),
    ("bind-models", { try SDMXDocument(modelTree).models.count }),
    ("bind-nested", { try CourseReport.read(from: nestedTree).courses.count }),
    ("write-models", { try courses.xml().document.data().count }),
    ("write-nested", { try report.xml().document.data().count }),
    ("write-new-models", { try SDMXDocument(fresh).xml().document.data().count }),
    ("date", { try Text.readDates() }),
]

let operation: (String) -> () -> Int = { name in
    let run = operations.first { $0.name == name }?.run
    return { (try? run?()) ?? 0 }
}

let arguments = Array(CommandLine.arguments.dropFirst())

/// `DocumentBenchmarks one OPERATION ROUNDS` does one thing so often, for callgrind and perf.
if arguments.count == 3, arguments[0] == "one" {
    let run = operation(arguments[1])
    var sum = 0
    for _ in 0..<(Int(arguments[2]) ?? 1) { sum &+= run() }
    precondition(sum > 0, "the operation does nothing")
    exit(0)
}

print("documents a second, ours to theirs; µs of processor time for a report of \(count), ours and theirs")
for (name, target, theirs) in [
    ("read-models", "≥ 40", "read-models-xmlcoder"), ("read-nested", "≥ 40", "read-nested-xmlcoder"),
    ("write-models", "≥ 1.00", "read-models"), ("write-nested", "≥ 1.00", "read-nested"),
    ("write-new-models", "≥ 1.00", "read-models"),
] {
    let rounds = theirs.hasSuffix("xmlcoder") ? 20 : 200
    let result = Comparison(rounds: rounds, ours: operation(name), theirs: operation(theirs)).measure()
    print(
        String(format: "%7.2f  ", 1 / result.ratio) + target.padding(toLength: 8, withPad: " ", startingAt: 0)
            + String(format: "%7.0f  %7.0f  ", result.ours, result.theirs) + "\(name), to \(theirs)"
    )
}

print("\nnanoseconds of processor time each, at best")
for (name, target, each) in [
    ("bind-models", "≤ 250", fieldCount), ("bind-nested", "≤ 250", fieldCount),
    ("date", "≤ 60", Text.dates.count),
] {
    let best = ProcessorTime.best(ofTurns: 60, operation(name)) * 1_000 / Double(each)
    print(String(format: "%7.1f  ", best) + target.padding(toLength: 8, withPad: " ", startingAt: 0) + name)
}

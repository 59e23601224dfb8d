import Foundation
import Indivo
import Measuring
import XMLCoder

/// What can be done with a report of so many medications, by name.
struct Operations {
    let all: [(name: String, run: () -> Int)]

    init(_ count: Int) throws {
        let xml = Reports.xml(count)
        let json = Reports.json(count)
        let data = Data(xml)
        let coder = XMLDecoder()
        let xmlRecord = try MemoryTransport(xml, type: "application/xml").record()
        let jsonRecord = try MemoryTransport(json, type: "application/json").record()
        let query = ReportQuery().paged(by: count + 1)
        let adding = try MemoryTransport(Reports.stored, type: "application/xml").record()
        all = [
            (
                "reports-xml",
                { wait { try await xmlRecord.reports(of: Medication.self, matching: query).all().count } }
            ),
            (
                "reports-json",
                {
                    wait {
                        try await jsonRecord.reports(of: Medication.self, matching: query.format(.json)).all()
                            .count
                    }
                }
            ),
            (
                "add",
                {
                    wait {
                        for _ in 0..<count {
                            try await adding.add(
                                Medication {
                                    $0.drugName = CodedValue(
                                        title: "Metformin",
                                        system: .rxNorm,
                                        identifier: "6809"
                                    )
                                },
                                validation: .none
                            )
                        }
                        return count
                    }
                }
            ),
            // On a thread of the pool too: the C library's heap behaves otherwise on the first thread.
            ("sdmx-document", { wait { try SDMXDocument(XMLNode(parsing: xml)).models.count } }),
            ("parse-xml", { wait { try XMLNode(parsing: xml).kind == .element ? count : 0 } }),
            (
                "xmlcoder",
                {
                    (try? coder.decode(CodedMedication.Report.self, from: data).Model.map {
                        try CodedMedication($0)
                    }.count) ?? 0
                }
            ),
        ]
    }

    subscript(name: String) -> () -> Int { all.first { $0.name == name }?.run ?? { 0 } }
}

let arguments = Array(CommandLine.arguments.dropFirst())

/// `ReportBenchmarks one OPERATION COUNT ROUNDS` does one thing so often, for callgrind and perf.
if arguments.count == 4, arguments[0] == "one", let count = Int(arguments[2]), let rounds = Int(arguments[3])
{
    let run = try Operations(count)[arguments[1]]
    for _ in 0..<rounds { precondition(run() == count, "the operation does something else") }
    exit(0)
}

print("record.reports(of: Medication.self): time to another's; µs of processor time, ours and theirs")
for (count, rounds) in [(100, 200), (10_000, 6)] {
    let operations = try Operations(count)
    for (name, run) in operations.all where run() != count {
        // What Foundation's parser, and so XMLCoder, refuses above 10 MB is no comparison.
        guard name == "xmlcoder", count > 1_000 else {
            fatalError("\(name) reads \(run()) medications of \(count)")
        }
    }
    for (ours, target, theirs) in [
        ("reports-xml", "≤ 1.15", "sdmx-document"), ("reports-json", "≤ 1.50", "reports-xml"),
        ("reports-xml", "", "xmlcoder"),
    ] {
        if theirs == "xmlcoder", operations[theirs]() != count {
            print(
                """
                                                        \(count) medications: XMLCoder reads no more than 10 \
                MB
                """
            )
            continue
        }
        let result = Comparison(
            rounds: theirs == "xmlcoder" ? 4 : rounds,
            scope: .process,
            ours: operations[ours],
            theirs: operations[theirs]
        ).measure()
        print(
            String(format: "%7.3f  ", result.ratio) + target.padding(toLength: 8, withPad: " ", startingAt: 0)
                + String(format: "%9.0f  %9.0f  ", result.ours, result.theirs)
                + "\(count) medications, \(ours) to \(theirs)"
        )
    }
}

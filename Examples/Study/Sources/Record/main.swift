import Foundation
import Indivo
import IndivoOutbox

let server = IndivoServer(
    api: URL(string: "http://127.0.0.1:8000")!,
    ui: URL(string: "http://127.0.0.1:8001")!,
    app: AppCredentials(
        id: "demo@apps.example.org",
        consumerKey: "demo@apps.example.org",
        consumerSecret: "demo-secret"
    )
)

do {
    // 1. Log in.
    let record = try await server.selectRecord { loginURL in
        print("Open in a browser: \(loginURL)")
        fflush(nil)  // shown at once in a pipe, too
    }
    print("Logged in to the record of \(try await record.information().label)")

    // 2. Add a medication, and read all of them.
    let vitaminC = Medication()
    vitaminC.drugName = CodedValue(title: "Vitamin C 500 MG", system: .rxNorm, identifier: "316153")
    vitaminC.startDate = "2026-11-21"
    try await record.add(vitaminC)
    for try await medication in record.reports(of: Medication.self) {
        print(medication.startDate ?? "", medication.drugName?.title ?? "?")
    }

    // 3. Query: one laboratory test since 2025, the newest first, and the mean weight of each year.
    let a1c = ReportQuery()
        .filter(LabResult.Columns.testName.identifier, equals: "4548-4")
        .dates(LabResult.Columns.collectedAt, from: "2025-01-01")
        .ordered(by: LabResult.Columns.collectedAt, descending: true)
    for try await result in record.reports(of: LabResult.self, matching: a1c) {
        let measured = result.quantitativeResult?.value
        print(
            result.collectedAt ?? "",
            result.testName?.title ?? "?",
            measured?.value ?? "",
            measured?.unit ?? ""
        )
    }
    let weights = AggregateQuery(
        .average,
        of: VitalSigns.Columns.weight.value,
        by: .year(VitalSigns.Columns.date)
    )
    for year in try await record.aggregate(weights, over: .model(VitalSigns.self)) {
        print(year.group ?? "", year.value ?? "")
    }

    // 4. Write without a network: kept on this device until it can be delivered.
    let outbox = try record.outbox()
    vitaminC.instructions = "one a day"
    try await outbox.replace(vitaminC)
    print("waiting:", try await outbox.items().count)
    print(try await outbox.flush())
} catch {
    print("\(error)")
    exit(1)
}

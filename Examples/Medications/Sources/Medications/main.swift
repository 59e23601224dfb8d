import Foundation
import Indivo

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
    let record = try await server.selectRecord { loginURL in
        print("Open in a browser: \(loginURL)")
        fflush(nil)  // shown at once in a pipe, too
    }

    for try await medication in record.reports(of: Medication.self) {
        print(medication.drugName?.title ?? "?", medication.startDate ?? "")
    }

    let vitaminC = Medication()
    vitaminC.drugName = CodedValue(title: "Vitamin C 500 MG", system: .rxNorm, identifier: "316153")
    vitaminC.startDate = "2026-11-21"
    try await record.add(vitaminC)  // now vitaminC.id and .metadata are known
    vitaminC.instructions = "one a day"
    try await vitaminC.replace()
    try await vitaminC.setStatus(.archived, reason: "finished")
} catch {
    print("\(error)")  // what failed, and what to do next
    exit(1)
}

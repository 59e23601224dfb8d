import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting

/// The main job against the embedded sandbox, through the library and over HTTP; only the browser is played.
///
/// usage: Demo [--load DIR]     loads the documents of a folder into a new record first, and uses that
@main
@MainActor
struct Demo {
    let sandbox: Sandbox
    let app: SandboxApp
    let listener: LoopbackListener

    static func main() async {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard arguments.isEmpty || arguments.count == 2 && arguments.first == "--load" else {
                print("usage: Demo [--load DIR]")
                exit(2)
            }
            let demo = try await start()
            try await demo.run(loading: arguments.dropFirst().first.map { URL(filePath: $0) })
            await demo.sandbox.stop()
        } catch {
            print("The demo stopped: \(error)")
            exit(1)
        }
    }

    private static func start() async throws -> Demo {
        let listener = try LoopbackListener.onFreePort()
        var app = SandboxApp.demo
        app.startURL = "\(listener.startURL)?record_id={record_id}&carenet_id={carenet_id}"
        var configuration = SandboxConfiguration()
        configuration.apps = [app]
        configuration.logger.logLevel = .warning
        return Demo(sandbox: try await Sandbox.start(configuration), app: app, listener: listener)
    }

    private func run(loading folder: URL?) async throws {
        print("A sandbox Indivo server runs at \(sandbox.apiURL), its pages at \(sandbox.uiURL).")
        let loaded: SandboxLoadReport? = if let folder { try await load(folder) } else { nil }

        heading("1. Log in, choose a record, authorise the app")
        let record = try await logIn(choosing: loaded?.record.label)
        let information = try await record.information()
        print("The app has a token for the record “\(information.label)”, \(record.id).")

        heading("2. The record's medications")
        let medications = try await record.reports(of: Medication.self).all()
        show(medications)

        heading("3. Add a medication, replace it, archive it")
        let versions = try await keepAMedication(in: record)

        heading("4. A wrong consumer secret is refused")
        try await beRefused(like: record)

        let fills = medications.map(\.fulfillments.count).reduce(0, +)
        print(
            """

            Done: logged in, read \(medications.count) medications with \(fills) fills, \
            added one in \(versions) versions and archived it, and was refused with a wrong secret.
            """
        )
    }

    private func load(_ folder: URL) async throws -> SandboxLoadReport {
        heading("Load \(folder.path)")
        let report = try await sandbox.load(folder: folder)
        print("Stored \(report.storedCount) documents in the record of \(report.record.label).")
        for refused in report.refused { print("   \(refused.file): \(refused.reason)") }
        return report
    }

    private func server(secret: String) -> IndivoServer {
        IndivoServer(
            api: sandbox.apiURL,
            ui: sandbox.uiURL,
            app: AppCredentials(id: app.id, consumerKey: app.consumerKey, consumerSecret: Secret(secret))
        )
    }

    /// The login runs in the library; the browser, beside it, goes where the pages lead.
    private func logIn(choosing label: String?) async throws -> IndivoRecord {
        let browser = HeadlessBrowser { print("Browser: \($0)") }
        let (pages, opened) = AsyncStream.makeStream(of: URL.self)
        let login = Task {
            defer { opened.finish() }
            return try await server(secret: app.consumerSecret)
                .selectRecord(callback: listener) { opened.yield($0) }
        }
        do {
            for await page in pages {
                _ = try await browser.logIn(at: page, userName: "demo", password: "demo", choosing: label)
            }
        } catch {
            // Without its browser the login would wait for ever.
            login.cancel()
            throw error
        }
        return try await login.value
    }

    private func keepAMedication(in record: IndivoRecord) async throws -> Int {
        let vitaminC = Medication()
        vitaminC.drugName = CodedValue(title: "Vitamin C 500 MG", system: .rxNorm, identifier: "316153")
        vitaminC.startDate = "2026-11-21"
        try await record.add(vitaminC)
        print("Added     \(vitaminC.id ?? "")")
        vitaminC.instructions = "one a day"
        try await vitaminC.replace()
        print("Replaced  by \(vitaminC.id ?? "")")
        try await vitaminC.setStatus(.archived, reason: "finished")
        print("Archived\n")

        let versions = try await vitaminC.versions()
        for version in versions {
            let status = version.status?.rawValue ?? ""
            print("version \(version.id)  \(version.createdAt?.lexical ?? "")  \(status)")
        }
        for change in try await vitaminC.statusHistory() {
            let status = change.status?.rawValue ?? "?"
            print("status  \(status) since \(change.at?.lexical ?? "?"): \(change.reason ?? "")")
        }
        return versions.count
    }

    private func beRefused(like record: IndivoRecord) async throws {
        do {
            _ = try await server(secret: "not-the-secret")
                .record(id: record.id, token: record.token).reports(of: Medication.self).all()
        } catch let error as IndivoError where error.status == 403 {
            print("\(error)")
            return
        }
        throw CocoaError(
            .userCancelled,
            userInfo: ["reason": "the server took a request signed with a wrong secret"]
        )
    }

    private func heading(_ text: String) { print("\n\(text)\n") }

    private func show(_ medications: [Medication]) {
        let sorted = medications.sorted { ($0.startDate ?? "9999-12-31") < ($1.startDate ?? "9999-12-31") }
        for medication in sorted {
            let drug = (medication.drugName?.title ?? "?").padding(toLength: 48, withPad: " ", startingAt: 0)
            let count = medication.fulfillments.count
            let fills = count == 1 ? "1 fill" : "\(count) fills"
            print("\(drug)  since \(medication.startDate?.lexical ?? "?")  \(fills)")
        }
    }
}

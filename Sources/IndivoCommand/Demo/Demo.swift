import ArgumentParser
import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting
import ShownText

/// The demo, step by step, through the library and over HTTP; only the browser is played, and the sandbox loads folders.
@MainActor
struct Demo {
    let load: URL?

    func run() async throws {
        let listener = try LoopbackListener.onFreePort()
        var configuration = SandboxConfiguration()
        var app = SandboxApp.demo
        app.startURL = "\(listener.startURL)?record_id={record_id}&carenet_id={carenet_id}"
        configuration.apps = [app]
        configuration.logger.logLevel = .warning
        let sandbox = try await Sandbox.start(configuration)
        do {
            try await run(on: sandbox, app: app, listener: listener)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    private func run(on sandbox: Sandbox, app: SandboxApp, listener: LoopbackListener) async throws {
        print("A sandbox Indivo server runs at \(sandbox.apiURL), its pages at \(sandbox.uiURL).")
        let server = IndivoServer(
            api: sandbox.apiURL, ui: sandbox.uiURL,
            app: AppCredentials(id: app.id, consumerKey: app.consumerKey, consumerSecret: Secret(app.consumerSecret)))
        var loaded: SandboxLoadReport?
        if let load { loaded = try await report(on: sandbox.load(folder: load)) }

        heading("1. Log in, choose a record, authorise the app")
        let record = try await logIn(to: server, choosing: loaded?.record.label, listener: listener)
        let information = try await record.information()
        print("The app has a token for the record “\(information.label)”, \(record.id).".shown())

        heading("2. The record's medications")
        let medications = try await record.reports(of: Medication.self).all()
        show(medications)

        heading("3. Add a medication, replace it, archive it")
        let versions = try await keepAMedication(in: record)

        heading("4. A wrong consumer secret is refused")
        try await beRefused(like: record, app: app)

        let fills = medications.map(\.fulfillments.count).reduce(0, +)
        print(
            "\nDone: logged in, read \(count(medications.count, "medication")) with \(count(fills, "fill")), "
                + "added one in \(count(versions, "version")) and archived it, and was refused with a wrong secret.")
        if let refused = loaded?.refused.count, refused > 0 {
            print("\(count(refused, "document")) of the folder could not be loaded; the reasons are above.")
            throw ExitCode.failure
        }
    }

    // MARK: Steps

    /// The login runs in the library; the browser, beside it, goes where the pages lead.
    private func logIn(to server: IndivoServer, choosing label: String?, listener: LoopbackListener) async throws -> IndivoRecord {
        let browser = HeadlessBrowser { print("Browser: \($0)") }
        let (pages, opened) = AsyncStream.makeStream(of: URL.self)
        let login = Task {
            defer { opened.finish() }
            return try await server.selectRecord(callback: listener) { url in opened.yield(url) }
        }
        do {
            for await page in pages { try await browser.logIn(at: page, userName: "demo", password: "demo", choosing: label) }
        } catch {
            // Without its browser the login would wait for ever.
            login.cancel()
            throw error
        }
        return try await login.value
    }

    private func report(on loaded: SandboxLoadReport) -> SandboxLoadReport {
        let total = loaded.storedCount + loaded.refused.count
        heading("Load \(count(total, "document"))")
        print("Stored \(loaded.storedCount) of \(total) in the record of \(loaded.record.label).".shown())
        for refused in loaded.refused { print("   \(refused.file): \(refused.reason)".shown()) }
        return loaded
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
        show(["version", "created", "by", "status", "replaced by"], versions.enumerated().map { number, version in
            [
                "\(number + 1)  \(version.id)", version.createdAt?.lexical, version.creator?.id, version.status?.rawValue,
                version.replacedBy?.id,
            ]
        })
        print("")
        let changes = try await vitaminC.statusHistory()
        show(["status", "since", "by", "reason"], changes.map { [$0.status?.rawValue, $0.at?.lexical, $0.by, $0.reason] })
        return versions.count
    }

    private func beRefused(like record: IndivoRecord, app: SandboxApp) async throws {
        let impostor = IndivoServer(
            api: record.server.api, ui: record.server.ui,
            app: AppCredentials(id: app.id, consumerKey: app.consumerKey, consumerSecret: "not-the-secret"))
        do {
            _ = try await impostor.record(id: record.id, token: record.token).reports(of: Medication.self).all()
        } catch let error as IndivoError where error.status == 403 {
            print("\(error)".shown(keepsLines: true))
            return
        }
        throw CommandFailure("the server took a request that was signed with a wrong secret")
    }

    // MARK: Output

    private func heading(_ text: String) { print("\n\(text)\n") }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private func show(_ header: [String], _ rows: [[String?]]) {
        for line in TextTable(header: header, rows: rows.map { $0.map { $0 ?? "" } }).lines() { print(line) }
    }

    private func show(_ medications: [Medication]) {
        let sorted = medications.sorted { ($0.startDate ?? "9999-12-31") < ($1.startDate ?? "9999-12-31") }
        show(["drug", "code", "start", "end", "frequency", "fills"], sorted.map { medication in
            let frequency = [medication.frequency?.value, medication.frequency?.unit].compactMap(\.self).joined(separator: " ")
            return [
                medication.drugName?.title ?? "?", medication.drugName?.identifier, medication.startDate?.lexical,
                medication.endDate?.lexical, frequency, fills(of: medication),
            ]
        })
    }

    private func fills(of medication: Medication) -> String {
        let days = medication.fulfillments.compactMap(\.date).map { String($0.lexical.prefix(10)) }.sorted()
        guard let first = days.first, let last = days.last else { return "\(medication.fulfillments.count)" }
        return days.count == 1 ? "1  (\(first))" : "\(days.count)  (\(first) to \(last))"
    }
}

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Show the main job against the embedded sandbox.", discussion: """
            Starts a sandbox server on free ports of this machine and does through the library what an app would: logs in, \
            reads medications, adds, replaces and archives one, and is refused with a wrong secret.
            """)

    @Option(
        help: "Put the documents of this folder into a new record first, and use it; Demographics.xml says whose it is.",
        completion: .directory)
    var load: String?

    func run() async throws {
        do {
            try await Demo(load: load.map { URL(filePath: $0) }).run()
        } catch let error as ExitCode {
            throw error
        } catch {
            print("The demo stopped: \(error)".shown(keepsLines: true))
            throw ExitCode.failure
        }
    }
}

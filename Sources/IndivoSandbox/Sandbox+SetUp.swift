import Foundation

extension Sandbox {
    /// The account of the demo data.
    public static let demoAccount = "demo@example.org"

    /// Registers what the configuration names, and adds the demo data to a database that has none.
    func setUp(_ configuration: SandboxConfiguration) async throws {
        // The demo data first: a configured app may be the demo app with another start URL.
        if configuration.demoData { try await addDemoData() }
        for app in configuration.apps { try await addApp(app) }
        for app in configuration.machineApps { try await addMachineApp(app) }
    }

    /// The demo account (user name and password `demo`), the demo app, an admin app, and sample records of invented people.
    private func addDemoData() async throws {
        try await addApp(.demo)
        try await addMachineApp(.demoAdmin)
        let isThere = try await context.database.read { db in
            try AccountRow.find(Sandbox.demoAccount, in: db) != nil
        }
        guard !isThere else { return }
        try await addAccount(id: Sandbox.demoAccount, fullName: "Dana Demo", username: "demo", password: "demo")
        for person in SamplePeople.all {
            let record = try await addRecord(owner: Sandbox.demoAccount, demographics: Data(person.demographics.utf8))
            for document in person.documents {
                try await addDocument(Data(document.utf8), toRecord: record)
            }
        }
    }
}

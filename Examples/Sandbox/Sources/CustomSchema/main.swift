import Foundation
import Indivo
import IndivoSandbox

// The models in Models/*.sdml become classes when this package is built. Here they are used like any other
// document: added to a record of a sandbox that was given the same models, and read back as a report. The
// article “Your own document types” of IndivoModel begins with less: an empty folder and one model, and a
// login.

for type in IndivoDocument.customSchemaModels { type.register() }

var configuration = SandboxConfiguration()
configuration.logger.logLevel = .warning
configuration.modelFolder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Models")
let sandbox = try await Sandbox.start(configuration)

// What a login would give, without the browser.
let id = try await sandbox.records()[0].id
let token = try await sandbox.issueAccessToken(
    app: SandboxApp.demo.id,
    record: id,
    account: Sandbox.demoAccount
)
let record = IndivoServer(
    api: sandbox.apiURL,
    ui: sandbox.uiURL,
    app: AppCredentials(
        id: SandboxApp.demo.id,
        consumerKey: SandboxApp.demo.consumerKey,
        consumerSecret: Secret(SandboxApp.demo.consumerSecret)
    )
).record(id: id, token: OAuthToken(value: token.token, secret: Secret(token.secret)))

let documents: [IndivoDocument] = [Examples.night, Examples.family, try Examples.checkup]
for document in documents {
    try await record.add(document)
    let count = try document.xml().child(named: "Model")?.children().count ?? 0
    print("\(document.modelName): \(count) fields pushed")
}

let nights = try await record.reports(of: SleepNight.self).all()
try expect(nights.map(\.score) == [82], "the night's score")
try expect(Set(nights[0].phases.map(\.kind)) == ["deep", "rem"], "the phases of the night")
try expect(nights[0].phases.flatMap(\.noises).map(\.source) == ["snoring"], "the noises of a phase")

let relatives = try await record.reports(of: Relative.self).all()
let aunt = relatives.first { $0.relationship == "aunt" }
try expect(aunt?.mother?.name?.given == "Hazel", "the aunt's mother")
try expect(Set(aunt?.children.compactMap(\.name?.given) ?? []) == ["Joan", "Paul"], "the aunt's children")

let checkups = try await record.reports(of: Checkup.self).all()
let sent = try Examples.checkup
try expect(checkups.map(\.at) == [sent.at], "the time of the check-up")
try expect(checkups[0].remarks == sent.remarks && checkups[0].fitness == sent.fitness, "text and number")
try expect(
    checkups[0].cholesterol == sent.cholesterol && checkups[0].pressure == sent.pressure,
    "compound values"
)
try expect(checkups[0].phone == sent.phone && checkups[0].clinic == sent.clinic, "people and places")

await sandbox.stop()
print("\(documents.count) documents of custom models pushed to the sandbox and read back: the same.")

/// Ends the program with what is not as it should be.
func expect(_ condition: Bool, _ what: String) throws {
    struct Difference: Error { let what: String }
    if !condition { throw Difference(what: "\(what) came back otherwise than it was sent") }
}

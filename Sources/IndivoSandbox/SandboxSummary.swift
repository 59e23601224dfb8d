import Foundation

/// What one needs to start working with a sandbox that has the demo data.
public struct SandboxSummary: Sendable {
    /// The address of the API.
    public let api: URL
    /// The address of the pages.
    public let ui: URL
    /// The demo app.
    public let app: SandboxApp
    /// The demo account's user name, which is its password too.
    public let account: String
    /// The records.
    public let records: [SandboxRecord]

    /// One line of JSON: `api`, `ui`, `app_id`, `consumer_key`, `consumer_secret`, `account`, `password`, `records`.
    public var json: String {
        let list = records.map { record -> JSONValue in
            .object([.init("id", .string(record.id)), .init("label", .string(record.label))])
        }
        return JSONValue.object([
            .init("api", .string(api.absoluteString)), .init("ui", .string(ui.absoluteString)),
            .init("app_id", .string(app.id)), .init("consumer_key", .string(app.consumerKey)),
            .init("consumer_secret", .string(app.consumerSecret)), .init("account", .string(account)),
            .init("password", .string(account)), .init("records", .array(list)),
        ]).text
    }
}

extension Sandbox {
    /// What one needs to start working with the demo data.
    public func summary() async throws -> SandboxSummary {
        SandboxSummary(api: apiURL, ui: uiURL, app: .demo, account: "demo", records: try await records())
    }
}

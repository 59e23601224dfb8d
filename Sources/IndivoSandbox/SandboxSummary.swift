import Foundation
import OrderedJSON

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
            ["id": JSONValue(record.id), "label": JSONValue(record.label)]
        }
        let summary: JSONValue = [
            "api": JSONValue(api.absoluteString), "ui": JSONValue(ui.absoluteString), "app_id": JSONValue(app.id),
            "consumer_key": JSONValue(app.consumerKey), "consumer_secret": JSONValue(app.consumerSecret),
            "account": JSONValue(account), "password": JSONValue(account), "records": JSONValue(list),
        ]
        return summary.serverText
    }
}

extension Sandbox {
    /// What one needs to start working with the demo data.
    public func summary() async throws -> SandboxSummary {
        SandboxSummary(api: apiURL, ui: uiURL, app: .demo, account: "demo", records: try await records())
    }
}

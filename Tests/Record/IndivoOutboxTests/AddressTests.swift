import Foundation
import Indivo
import IndivoOutbox
import OAuth1
import Testing

@Suite("The outbox of an address")
struct AddressTests {
    private static let record = "11111111-2222-4333-8444-555555555555"

    private func outbox(_ api: String, in folder: URL) throws -> Outbox {
        let server = IndivoServer(
            api: try #require(URL(string: api)),
            ui: try #require(URL(string: "https://indivo.example.org")),
            app: AppCredentials(id: "meds@apps.example.org", consumerKey: "k", consumerSecret: "s")
        )
        return try server.record(id: Self.record, token: OAuthToken(value: "t", secret: "s"))
            .outbox(
                in: folder.appending(path: "data"),
                keys: FileKeyStore(folder.appending(path: "outbox.key"))
            )
    }

    private func inFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "indivo-address-\(UUID().uuidString)"
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test(
        "all spellings of an address open the same outbox",
        arguments: [
            [
                "https://indivo.example.org", "https://indivo.example.org/",
                "HTTPS://Indivo.Example.ORG:443/", "https://indivo.example.org:443",
            ],
            ["http://127.0.0.1:8000/", "http://127.0.0.1:8000"], ["http://[::1]:80", "http://[::1]/"],
            ["https://example.org/Indivo", "https://EXAMPLE.org/Indivo/"],
        ]
    )
    func spellings(addresses: [String]) async throws {
        try await inFolder { folder in
            for address in addresses { try await outbox(address, in: folder).add(medication(address)) }
            for address in addresses {
                #expect(try await outbox(address, in: folder).items().count == addresses.count, "\(address)")
            }
        }
    }

    @Test("other addresses have outboxes of their own")
    func others() async throws {
        try await inFolder { folder in
            let addresses = [
                "https://indivo.example.org", "http://indivo.example.org", "https://indivo.example.org:80",
                "https://indivo.example.org/a", "https://indivo.example.org/A", "https://example.org",
            ]
            let locations = try addresses.map { try outbox($0, in: folder).location }
            #expect(Set(locations).count == addresses.count)
        }
    }
}

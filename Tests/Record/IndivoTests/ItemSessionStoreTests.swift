import Foundation
import Indivo
import IndivoTesting
import Testing

@Suite("Sessions as items of a keychain")
struct ItemSessionStoreTests {
    private func session(
        _ record: String,
        token: String = "t",
        api: String = "https://indivo.example.org",
        minute: Double = 0
    ) -> IndivoSession {
        IndivoSession(
            api: URL(string: api)!,
            app: "meds@apps.example.org",
            record: record,  // The addresses below are ones.
            token: OAuthToken(value: token, secret: "planted-secret"),
            label: "Ana “Übung”",
            keptAt: Date(timeIntervalSince1970: 1_795_233_600 + minute * 60)
        )
    }

    @Test("what is kept is read by another store, oldest first, and each record once")
    func roundTrip() throws {
        let items = MemorySecretItems()
        let store = ItemSessionStore<IndivoSession>(items)
        #expect(try store.sessions().isEmpty)
        try store.keep(session("r-2", minute: 2))
        try store.keep(session("r-1", minute: 1))
        try store.keep(session("r-1", token: "newer", api: "https://INDIVO.example.org:443/", minute: 3))
        try store.keep(session("r-1", token: "elsewhere", api: "https://two.example.org", minute: 4))
        #expect(items.names().count == 3)
        #expect(
            try ItemSessionStore<IndivoSession>(items).sessions() == [
                session("r-2", minute: 2),
                session("r-1", token: "newer", api: "https://INDIVO.example.org:443/", minute: 3),
                session("r-1", token: "elsewhere", api: "https://two.example.org", minute: 4),
            ]
        )
    }

    @Test("forgetting forgets one, and one that is not there")
    func forgetting() throws {
        let store = ItemSessionStore<IndivoSession>(MemorySecretItems())
        try store.forget(session("r-0"))
        try store.keep(session("r-1"))
        try store.keep(session("r-2"))
        try store.forget(session("r-1", token: "another"))
        #expect(try store.sessions() == [session("r-2")])
    }

    @Test("an item that holds no session is an error without its content")
    func malformed() throws {
        let items = MemorySecretItems()
        _ = items.add(Data("planted-secret".utf8), as: "x")
        let error = #expect(throws: SessionStoreError.self) {
            try ItemSessionStore<IndivoSession>(items).sessions()
        }
        #expect(error?.description.contains("planted-secret") == false)
        #expect(error?.description.contains("keychain") == true)
    }

    @Test("the newest content is kept while another process adds and removes the item")
    func race() async throws {
        let items = MemorySecretItems()
        let store = ItemSessionStore<IndivoSession>(items)
        await withTaskGroup { group in
            for turn in 0..<200 {
                group.addTask {
                    try? turn.isMultiple(of: 2) ? store.keep(session("r")) : store.forget(session("r"))
                }
            }
        }
        try store.keep(session("r", token: "last"))
        #expect(try store.sessions() == [session("r", token: "last")])
    }
}

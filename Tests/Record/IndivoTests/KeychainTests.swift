#if canImport(Security) && os(Linux)
import Foundation
import Indivo
import Testing

/// Against the keychain of the Apple-like configuration. The real one gives nothing to a process without
/// an app's entitlements, as the tests are.
@Suite("The keychain, in the Apple-like configuration")
struct KeychainTests {
    private let keychain = Keychain(service: UUID().uuidString)

    @Test("items are added once, replaced, listed and removed")
    func items() throws {
        #expect(try keychain.names().isEmpty)
        #expect(try keychain.content(of: "a") == nil)
        #expect(try !keychain.replace("a", with: Data("1".utf8)))
        #expect(try keychain.add(Data("1".utf8), as: "a"))
        #expect(try !keychain.add(Data("2".utf8), as: "a"))
        #expect(try keychain.content(of: "a") == Data("1".utf8))
        #expect(try keychain.replace("a", with: Data("3".utf8)))
        #expect(try keychain.add(Data(), as: "b"))
        #expect(try keychain.content(of: "a") == Data("3".utf8))
        #expect(try keychain.names().sorted() == ["a", "b"])
        try keychain.remove("a")
        try keychain.remove("a")
        #expect(try keychain.names() == ["b"])
    }

    @Test("items of another service or access group are others")
    func separate() throws {
        #expect(try keychain.add(Data("1".utf8), as: "a"))
        #expect(try Keychain(service: UUID().uuidString).names().isEmpty)
        #expect(try Keychain(service: keychain.service, accessGroup: "team.shared").names().isEmpty)
    }

    @Test("sessions are kept in it")
    func sessions() throws {
        let session = IndivoSession(
            api: try #require(URL(string: "https://indivo.example.org")),
            app: "meds@apps.example.org",
            record: "r-1",
            token: OAuthToken(value: "t", secret: "planted-secret"),
            keptAt: Date(timeIntervalSince1970: 1_795_233_600)
        )
        try ItemSessionStore(keychain).keep(session)
        #expect(try ItemSessionStore(keychain).sessions() == [session])
        try ItemSessionStore(keychain).forget(session)
        #expect(try keychain.names().isEmpty)
    }

    @Test("what Security refuses is an error that says so, without what was kept")
    func refused() {
        let description = Keychain.Failure(status: -50).description
        #expect(description.contains("parameters") && description.contains("-50"))
    }
}
#endif

#if SMART
import Foundation
import HTTPCalls

/// What a health record opened the app with: its launch URL, with `iss` and `launch` (SMART App Launch 2.2,
/// "Launch App: EHR Launch").
///
/// ```swift
/// .onOpenURL { url in
///     guard let ehr = EHRLaunch(url), hospitals.contains(ehr.server) else { return }
///     let server = try SMARTServer(base: ehr.server, app: app)
///     let launch = try await server.launch(from: ehr, callback: receiver) { url in await openURL(url) }
/// }
/// ```
/// Anybody can open an app with such a URL: launch with servers only that the app knows.
public struct EHRLaunch: Sendable, Hashable {
    /// The base URL of the FHIR server (`iss`).
    public let server: URL
    /// What the authorization server knows the launch by.
    let launch: String

    /// Reads a launch URL; `nil` for what has not one `iss`, a URL, and one `launch`.
    public init?(_ url: URL) {
        let parameters = url.callbackParameters
        let servers = parameters.values(of: "iss")
        let launches = parameters.values(of: "launch")
        guard servers.count == 1, launches.count == 1, !launches[0].isEmpty, launches[0].utf8.count <= 4096,
            let server = URL(string: servers[0]), server.scheme != nil, server.host() != nil
        else { return nil }
        self.server = server
        launch = launches[0]
    }
}
#endif

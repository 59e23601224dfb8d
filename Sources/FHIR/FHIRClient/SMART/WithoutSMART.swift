// Names that a compiler meets first where the trait is missing, so that it says what to do.
#if !SMART
import Foundation
import HTTPCalls

/// Needs the trait `SMART`.
@available(*, unavailable, message: "name the trait: .package(…, traits: [\"SMART\"]), or one that covers it")
public struct SMARTServer {
    public init(base: URL, app: SMARTApp, transport: any HTTPTransport = .system) throws {}
}

/// Needs the trait `SMART`.
@available(*, unavailable, message: "name the trait: .package(…, traits: [\"SMART\"]), or one that covers it")
public struct SMARTLaunch {}

/// Needs the trait `SMART`.
@available(*, unavailable, message: "name the trait: .package(…, traits: [\"SMART\"]), or one that covers it")
public struct EHRLaunch {
    public init?(_ url: URL) {}
}

/// Needs the trait `SMART`.
@available(*, unavailable, message: "name the trait: .package(…, traits: [\"SMART\"]), or one that covers it")
public struct BackendKey {
    public init(pem: Secret) throws {}
    public init(contentsOf file: URL) throws {}
}
#endif

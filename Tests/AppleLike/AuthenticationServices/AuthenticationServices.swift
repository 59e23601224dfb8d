import Foundation
import SwiftUI

// Declares what the example app uses of Apple's AuthenticationServices, from Apple's documentation, so that Linux type-checks
// it. Nothing runs.

@MainActor
public struct WebAuthenticationSession: Sendable {
    public struct BrowserSession: Sendable {}

    @MainActor
    public func authenticate(
        using url: URL,
        callbackURLScheme: String,
        preferredBrowserSession: BrowserSession? = nil
    ) async throws -> URL { fatalError() }
}

extension EnvironmentValues {
    public var webAuthenticationSession: WebAuthenticationSession { fatalError() }
}

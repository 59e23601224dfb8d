import Foundation
import OrderedJSON
import StudyFormats

/// Registration with a key that Apple's App Attest attests: only unmodified copies of the study's apps, on
/// devices of Apple's, have one. It is verified here, by ``/StudyFormats/AppAttestation``; nobody is asked.
///
/// The app asks for a challenge first, at `/c3pro/challenge`, and its registration has three members in
/// base64: `challenge`, `key-id` and `attestation`. StudyDelivery's `StudyAttestation.appAttest` does so.
public struct AppKeyAttestation: RegistrationAttestation {
    private let apps: Set<String>
    private let environments: Set<AppAttestation.Environment>
    private let roots: TrustAnchors
    private let now: @Sendable () -> StudyTime

    /// - Parameters:
    ///   - apps: The study's apps: team and bundle identifier, as in `A1B2C3D4E5.org.example.sleep`.
    ///   - environments: Those in which an app may be.
    ///   - roots: Apple's root certificate for it (“Apple App Attestation Root CA”).
    ///   - now: The time.
    /// - Throws: `StudyError` when no app is named, or one without a team.
    public init(
        apps: Set<String>,
        environments: Set<AppAttestation.Environment> = [.production],
        trusting roots: TrustAnchors,
        now: @escaping @Sendable () -> StudyTime = { .now }
    ) throws(StudyError) {
        guard !apps.isEmpty else { throw .badInput(reason: "no app says whose keys are accepted") }
        for app in apps where app.split(separator: ".").first?.utf8.count != 10 {
            throw .badInput(
                reason:
                    "“\(app)” is no app’s identifier with its team’s, such as A1B2C3D4E5.org.example.sleep"
            )
        }
        self.apps = apps
        self.environments = environments
        self.roots = roots
        self.now = now
    }

    public var usesChallenges: Bool { true }

    public func accepts(_ registration: JSONValue) async throws -> Bool {
        try await objection(to: registration) == nil
    }

    public func objection(to registration: JSONValue) async throws -> String? {
        func bytes(_ name: String) -> Data? { registration[name]?.string.flatMap { Data(base64Encoded: $0) } }
        guard let challenge = bytes("challenge"), let key = bytes("key-id"), let object = bytes("attestation")
        else { return "challenge, key-id and attestation are needed, each in base64" }
        do {
            _ = try await AppAttestation(
                object,
                keyID: key,
                challenge: challenge,
                apps: apps,
                environments: environments,
                trusting: roots,
                now: now()
            )
            return nil
        } catch {
            return "App attestation not valid: \(error)"
        }
    }
}

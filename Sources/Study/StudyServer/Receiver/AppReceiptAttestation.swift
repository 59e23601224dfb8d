import Foundation
import OrderedJSON
import StudyFormats

/// Registration with a receipt of Apple's App Store in `receipt-data`, as C3-PRO's phones show it. It is
/// verified here, by ``/StudyFormats/AppReceipt``; nobody is asked.
///
/// A receipt can be passed on: it proves that somebody got the app. ``AppKeyAttestation`` proves more.
public struct AppReceiptAttestation: RegistrationAttestation {
    private let bundles: Set<String>
    private let roots: TrustAnchors
    private let allowsSHA1: Bool
    private let now: @Sendable () -> StudyTime

    /// - Parameters:
    ///   - bundles: The bundle identifiers of the study's apps.
    ///   - roots: Apple's root certificate (“Apple Root CA”).
    ///   - allowsSHA1: Whether receipts that are signed over SHA-1 count, which devices before iOS 16.6 have.
    ///   - now: The time.
    /// - Throws: `StudyError` when no app is named.
    public init(
        bundles: Set<String>,
        trusting roots: TrustAnchors,
        allowsSHA1: Bool = false,
        now: @escaping @Sendable () -> StudyTime = { .now }
    ) throws(StudyError) {
        guard !bundles.isEmpty else {
            throw .badInput(reason: "no bundle identifier says of which app receipts are accepted")
        }
        self.bundles = bundles
        self.roots = roots
        self.allowsSHA1 = allowsSHA1
        self.now = now
    }

    public func accepts(_ registration: JSONValue) async throws -> Bool {
        try await objection(to: registration) == nil
    }

    public func objection(to registration: JSONValue) async throws -> String? {
        guard let text = registration["receipt-data"]?.string, let data = Data(base64Encoded: text) else {
            return "receipt-data is not base64"
        }
        do {
            let receipt = try await AppReceipt(data, trusting: roots, allowsSHA1: allowsSHA1, now: now())
            try receipt.check(bundles: bundles, now: now())
            return nil
        } catch {
            return "App receipt not valid: \(error)"
        }
    }
}

import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats

/// How a ``Receiver`` works.
public struct ReceiverConfiguration: Sendable {
    /// Which of two dialects the responses have.
    public enum Answers: String, Sendable, Hashable, CaseIterable {
        /// As the standards say: a token comes with status 200, encrypted resources may be put, FHIR's errors
        /// are R4's.
        case standard
        /// As C3-PRO's receiver responded: a token comes with status 202, encrypted resources are only
        /// posted.
        ///
        /// Its errors with status 200 are not copied: a phone that checks the status takes them for a
        /// success.
        case original
    }

    /// Listen on this IPv4 address.
    public var address = "127.0.0.1"
    /// The port; 0 for a free one.
    public var port: UInt16 = 8080
    /// The dialect.
    public var answers = Answers.standard
    /// The identifiers of the studies whose packages are taken; empty for all.
    public var studies: Set<String> = []
    /// The secrets that apps show at their registration in the field `Antispam`; without any, no app can
    /// register.
    public var antispam: [Secret] = []
    /// Who proves what at the registration; `nil` closes it.
    public var attestation: (any RegistrationAttestation)?
    /// The encryption, before they are queued, of resources that come unencrypted; without it they are
    /// refused.
    public var sealing: Sealing?
    /// Whether packages are taken at `/api/upload`, where nobody logs in. A study whose phones speak C3-PRO
    /// alone closes it.
    public var takesPackages = true
    /// Whether packages may come without encryption of their own, protected by the connection alone until
    /// they are here.
    public var takesUnencrypted = false
    /// Questionnaires for the phones, by id.
    public var questionnaires: [String: Data] = [:]
    /// The signed list of the study's keys (`StudyKeyList`), which phones fetch at `/c3pro/keys.jwt`. It is
    /// read with each request.
    public var keyList: URL?
    /// The folder of what the study publishes (``StudyContentsFolder``), which phones fetch at
    /// `/c3pro/contents.jwt` and `/c3pro/contents/DIGEST`. It is read with each request.
    public var contents: URL?
    /// The largest body, in bytes.
    public var bodyLimit = 16 << 20
    /// The bytes of all bodies that are in memory at once.
    public var memoryLimit = 256 << 20
    /// The fewest bytes a second that a large body has to come with, or its memory is released for others.
    /// Checked every ten seconds for bodies of more than 64 KiB.
    public var bodyRate = 16 << 10
    /// The most messages in the queue: one more is taken when consumers have caught up.
    public var depthLimit = 1_000_000
    /// The most bytes in the queue, dead letters included: a body that does not fit is taken when there is
    /// room. Services that do not report their bytes (SQS) have no such limit.
    public var byteLimit = 16 << 30
    /// The requests of one client in a minute; each megabyte of a body counts as one more, and each 64 KiB of
    /// a package, which the consumer has to unpack.
    ///
    /// All clients at one address together have ten times as many, and where everybody may register
    /// (``NoAttestation``), as many as one. A network of IPv6 (`/64`) counts as one address.
    public var requestsPerMinute = 600
    /// What a minute is measured with; tests let it stand still.
    package var clock: @Sendable () -> ContinuousClock.Instant = { .now }
    /// The connections of one address to a receiver that listens on the network itself, without a proxy. For
    /// one more, the one that has waited longest for its client is cut.
    public var connectionsPerAddress = 64
    /// Seconds that a token is valid.
    public var tokenLifetime = 1800
    /// Whether a proxy stands before the receiver, whose `X-Forwarded-For` names the client.
    public var trustsProxy = false

    /// A study's certificate, and the id of its key.
    public struct Sealing: Sendable {
        let certificate: StudyCertificate
        let keyID: KeyID

        public init(_ certificate: StudyCertificate, keyID: KeyID) {
            self.certificate = certificate
            self.keyID = keyID
        }
    }

    /// The defaults given above.
    public init() {}
}

/// Decides whether an app may register, by the proof that it shows: a receipt, or a code that was sent by
/// post.
public protocol RegistrationAttestation: Sendable {
    /// Whether the members of a registration are proof.
    ///
    /// - Throws: Whatever says that it cannot be decided now; the app may try again.
    func accepts(_ registration: JSONValue) async throws -> Bool

    /// Why the members of a registration are no proof, for the app's developers; `nil` when they are one.
    ///
    /// - Throws: Whatever says that it cannot be decided now; the app may try again.
    func objection(to registration: JSONValue) async throws -> String?

    /// Whether the proof is made for a challenge of the receiver's. Then a registration needs the member
    /// `challenge`, one that the receiver gave out at `/c3pro/challenge` and that was not used before.
    var usesChallenges: Bool { get }
}

extension RegistrationAttestation {
    public func objection(to registration: JSONValue) async throws -> String? {
        try await accepts(registration) ? nil : "App receipt not valid"
    }

    public var usesChallenges: Bool { false }
}

/// Every app may register that shows an anti-spam token. For trying things out, and where the app is
/// distributed to known people only.
public struct NoAttestation: RegistrationAttestation {
    /// No attestation.
    public init() {}

    public func accepts(_ registration: JSONValue) async throws -> Bool { true }
}

/// Registration with one of a study's codes in `receipt-data`. A code can be used until it is taken off the
/// list.
public struct CodeAttestation: RegistrationAttestation {
    private let codes: Set<Secret>

    /// - Parameter codes: Of at least 8 characters.
    /// - Throws: `StudyError` for a code that is too short.
    public init(_ codes: [Secret]) throws(StudyError) {
        guard codes.allSatisfy({ $0.reveal().utf8.count >= 8 }) else {
            throw .badInput(reason: "a code of fewer than 8 characters can be guessed")
        }
        self.codes = Set(codes)
    }

    public func accepts(_ registration: JSONValue) async throws -> Bool {
        guard let code = registration["receipt-data"]?.string else { return false }
        let shown = Secret(code)
        // All are compared, whichever fits.
        return codes.reduce(false) { found, code in code == shown || found }
    }
}

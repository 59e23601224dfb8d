import Foundation
import OAuth1
import Synchronization
import Testing

/// liboauth sets up its cryptographic library at the first signature of a process, and crashes or signs
/// wrongly when two threads do that at once; so the first signatures of fresh processes are what must be
/// looked at.
@Suite("Signing on many threads", .serialized, .timeLimit(.minutes(1)))
struct ThreadSafetyTests {
    #if os(Linux) || os(macOS)
    @Test(
        "four threads that start to sign at once in a fresh process get right signatures",
        arguments: 0..<10
    )
    func freshProcess(_: Int) async {
        await #expect(processExitsWith: .success) {
            try #require(signaturesByFourThreads(each: 25) == Set(["MvgeZA+2AjKzOhRwaKq+5J9u3Z0="]))
        }
    }
    #endif

    @Test("four threads get right signatures a thousand times over")
    func thousandTimes() {
        #expect(signaturesByFourThreads(each: 1000) == ["MvgeZA+2AjKzOhRwaKq+5J9u3Z0="])
    }
}

/// The different signatures (one, if all are right) that four threads compute for the same request, let loose
/// together.
private func signaturesByFourThreads(each count: Int) -> Set<String> {
    let signer = OAuthSigner(
        credentials: OAuthCredentials(
            consumer: OAuthConsumer(key: "app", secret: "app-secret"),
            token: OAuthToken(value: "token", secret: "token-secret")
        ),
        nonce: { "n" },
        clock: { 1 }
    )
    let request = OAuthRequest(method: "GET", scheme: "http", authority: "example.org", target: "/a?b=c")
    // What Swift sets up lazily is set up here, so that the threads meet nowhere but inside liboauth.
    _ = try? SignatureBaseString(
        request: request,
        authorization: OAuthAuthorization(parameters: ["oauth_nonce": "n"])
    )
    let crew = Crew()
    for _ in 0..<4 {
        Thread.detachNewThread {
            crew.waitForAllFour()
            crew.finish(
                (0..<count).map { _ in (try? signer.authorization(for: request).signature) ?? "none" }
            )
        }
    }
    return crew.signaturesOfAll()
}

/// Four threads that set out together, and what they bring home.
private final class Crew: Sendable {
    private let arrived = Atomic(0)
    private let signatures = Mutex<Set<String>>([])
    private let finished = DispatchSemaphore(value: 0)

    /// Spins, so that all leave within the same instant.
    func waitForAllFour() {
        arrived.add(1, ordering: .sequentiallyConsistent)
        while arrived.load(ordering: .sequentiallyConsistent) < 4 {
            sched_yield()
        }
    }

    func finish(_ found: [String]) {
        signatures.withLock { $0.formUnion(found) }
        finished.signal()
    }

    func signaturesOfAll() -> Set<String> {
        for _ in 0..<4 {
            finished.wait()
        }
        return signatures.withLock { $0 }
    }
}

import FHIRClient
import Foundation
import IndivoBase

/// A login under way in a browser: the launch waits for the arrival with which the browser comes back.
final class PendingLogin: Sendable {
    /// What the browser that began it has in a cookie: another one cannot end it.
    let browser: String
    /// The client that began it.
    let address: String
    /// The path to go to afterwards.
    let target: String
    let end: Date
    private let opened: AsyncStream<URL>
    private let arrivals: AsyncStream<CallbackSession.Arrival>.Continuation
    private let launch: Task<SMARTLaunch, any Error>

    init(
        _ record: SMARTServer,
        _ ehr: EHRLaunch?,
        browser: String,
        address: String,
        target: String,
        end: Date
    ) {
        self.browser = browser
        self.address = address
        self.target = target
        self.end = end
        let (opened, page) = AsyncStream<URL>.makeStream()
        let (stream, arrivals) = AsyncStream<CallbackSession.Arrival>.makeStream()
        self.opened = opened
        self.arrivals = arrivals
        let receiver = Receiver(redirectURI: record.app.redirectURI, arrivals: stream)
        launch = Task {
            defer { page.finish() }
            guard let ehr else {
                return try await record.launch(callback: receiver) { _ = page.yield($0) }
            }
            return try await record.launch(from: ehr, callback: receiver) { _ = page.yield($0) }
        }
    }

    /// The record's page where a person logs in.
    func page() async throws -> URL {
        for await page in opened { return page }
        // It failed before there was one.
        _ = try await launch.value
        throw CancellationError()
    }

    /// Ends the login with the address that the browser came back with. There is one try: what does not
    /// belong to this login ends it.
    func finish(with url: URL) async throws -> SMARTLaunch {
        arrivals.yield(CallbackSession.Arrival(url: url))
        arrivals.finish()
        return try await launch.value
    }

    func cancel() {
        arrivals.finish()
        launch.cancel()
    }

    private struct Receiver: CallbackReceiver {
        let redirectURI: URL
        let arrivals: AsyncStream<CallbackSession.Arrival>

        func listen() -> CallbackSession {
            CallbackSession(callback: redirectURI, arrivals: arrivals, close: {})
        }
    }
}

import Foundation
import Indivo

/// A ``LoopbackListener`` that gives up after some minutes.
struct DeadlineReceiver: CallbackReceiver {
    let port: UInt16
    let minutes: Int

    /// The start URL that the server has to know, as the browser comes back to it.
    var startURL: String { "http://127.0.0.1:\(port)/start" }

    func listen() throws -> CallbackSession {
        let session = try LoopbackListener(port: port).listen()
        let deadline = ContinuousClock.now + .seconds(60 * minutes)
        return CallbackSession(
            callback: session.callback,
            next: { step in
                try await withThrowingTaskGroup(of: CallbackSession.Arrival?.self) { group in
                    defer { group.cancelAll() }
                    group.addTask { try await session.next(step) }
                    group.addTask {
                        try await Task.sleep(until: deadline)
                        throw CommandFailure(
                            """
                            no browser came back to \(startURL) within \(minutes) minutes. Log in \
                            again; where you did on the page, the server does not have this address as \
                            the app's start URL: register it there, or give the port of the registered \
                            one with --port.
                            """
                        )
                    }
                    return try await group.next() ?? nil
                }
            },
            close: session.close
        )
    }
}

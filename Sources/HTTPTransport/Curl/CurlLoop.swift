#if canImport(CLibCurl)
import CLibCurl
import Foundation
import Synchronization

/// A thread that runs transfers on one libcurl multi handle.
///
/// The multi handle and every easy handle are touched by that thread alone, but for `curl_multi_wakeup`, which
/// libcurl allows from any thread as long as the handle exists: it is called under the inbox's lock, and the thread
/// closes the handle only after it has marked the inbox as closed under the same lock.
final class CurlLoop: Sendable {
    typealias Continuation = CheckedContinuation<HTTPAnswer, any Error>

    private struct Inbox {
        enum Phase {
            case open
            /// The owner is gone: the thread ends once nothing is under way.
            case stopping
            /// The handle is closed, or about to be. Nobody wakes it.
            case closed
        }

        var phase = Phase.open
        var started: [(CurlTransfer, Continuation)] = []
        var cancelled: [CurlTransfer] = []
    }

    private let inbox = Mutex(Inbox())
    private let multi: CurlMulti

    init(maximumConnectionsPerHost: Int) {
        let multi = CurlMulti(maximumConnectionsPerHost: maximumConnectionsPerHost)
        self.multi = multi
        let thread = Thread { [self] in run() }
        thread.name = "http.curl"
        thread.start()
    }

    /// Hands over a transfer; its continuation is resumed exactly once.
    func start(_ transfer: CurlTransfer, _ continuation: Continuation) {
        let isTaken = put { $0.started.append((transfer, continuation)) }
        // The owner outlives its requests, so that this does not happen; a continuation is never left all the same.
        if !isTaken { continuation.resume(throwing: CancellationError()) }
    }

    /// Ends a transfer, started already or not yet, with `CancellationError`.
    func cancel(_ transfer: CurlTransfer) { put { $0.cancelled.append(transfer) } }

    /// Ends the thread. Nobody waits for a response any more.
    func stop() { put { $0.phase = .stopping } }

    /// Changes the inbox and wakes the thread.
    /// - Returns: False where the thread has ended, and nothing was changed.
    @discardableResult
    private func put(_ change: (inout Inbox) -> Void) -> Bool {
        inbox.withLock { inbox in
            guard inbox.phase != .closed else { return false }
            change(&inbox)
            multi.wakeUp()
            return true
        }
    }

    private func run() {
        var waiting: [ObjectIdentifier: (CurlTransfer, Continuation)] = [:]

        func finish(_ transfer: CurlTransfer, _ result: Result<HTTPAnswer, any Error>) {
            multi.remove(transfer)
            transfer.close()
            waiting.removeValue(forKey: ObjectIdentifier(transfer))?.1.resume(with: result)
        }

        while true {
            let news = inbox.withLock { inbox in
                let news = inbox
                inbox.started = []
                inbox.cancelled = []
                return news
            }
            for (transfer, continuation) in news.started {
                waiting[ObjectIdentifier(transfer)] = (transfer, continuation)
                do {
                    try transfer.open()
                    try multi.add(transfer)
                } catch {
                    finish(transfer, .failure(error))
                }
            }
            // A transfer may be cancelled before it arrives here: by then it is in the same inbox or in a later one.
            for transfer in news.cancelled {
                if waiting[ObjectIdentifier(transfer)] != nil {
                    finish(transfer, .failure(CancellationError()))
                } else if !transfer.isFinished {
                    inbox.withLock { $0.cancelled.append(transfer) }
                }
            }
            if waiting.isEmpty && isDone() { break }
            for (transfer, code) in multi.perform() {
                finish(transfer, transfer.result(code))
            }
            multi.waitForActivity()
        }
        multi.close()
    }

    /// Closes the inbox when the owner is gone and nothing has come in since: from then on nobody wakes the handle.
    private func isDone() -> Bool {
        inbox.withLock { inbox in
            guard inbox.phase == .stopping, inbox.started.isEmpty else { return false }
            inbox.phase = .closed
            return true
        }
    }
}
#endif

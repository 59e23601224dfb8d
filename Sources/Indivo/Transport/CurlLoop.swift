#if canImport(CLibCurl)
import CLibCurl
import Foundation
import Synchronization

/// A thread that runs transfers on one libcurl multi handle.
///
/// The multi handle and every easy handle are touched by that thread alone, but for `curl_multi_wakeup`, which
/// libcurl allows from any thread.
final class CurlLoop: Sendable {
    typealias Continuation = CheckedContinuation<HTTPAnswer, any Error>

    private struct Inbox {
        var started: [(CurlTransfer, Continuation)] = []
        var cancelled: [CurlTransfer] = []
        var isStopped = false
    }

    private let inbox = Mutex(Inbox())
    private let multi: CurlMulti

    init(maximumConnectionsPerHost: Int) {
        let multi = CurlMulti(maximumConnectionsPerHost: maximumConnectionsPerHost)
        self.multi = multi
        let thread = Thread { [self] in run() }
        thread.name = "indivo.curl"
        thread.start()
    }

    /// Hands over a transfer; its continuation is resumed exactly once.
    func start(_ transfer: CurlTransfer, _ continuation: Continuation) {
        inbox.withLock { $0.started.append((transfer, continuation)) }
        multi.wakeUp()
    }

    /// Ends a transfer, started already or not yet, with `CancellationError`.
    func cancel(_ transfer: CurlTransfer) {
        inbox.withLock { $0.cancelled.append(transfer) }
        multi.wakeUp()
    }

    /// Ends the thread. Nobody waits for an answer any more.
    func stop() {
        inbox.withLock { $0.isStopped = true }
        multi.wakeUp()
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
            if news.isStopped && waiting.isEmpty { break }
            for (transfer, code) in multi.perform() {
                finish(transfer, transfer.result(code))
            }
            multi.waitForActivity()
        }
        multi.close()
    }
}
#endif

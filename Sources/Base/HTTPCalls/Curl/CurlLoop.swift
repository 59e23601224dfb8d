#if canImport(CLibCurl)
import CLibCurl
import Foundation
import Synchronization

/// A thread that runs transfers on one libcurl multi handle, which keeps the connections that they leave
/// behind.
///
/// The multi handle and every easy handle are touched by that thread alone, but for `curl_multi_wakeup`,
/// which libcurl allows from any thread as long as the handle exists: it is called under the inbox's
/// lock, and the thread closes the handle only after it has marked the inbox as closed under the same
/// lock.
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
        var started: [CurlTransfer] = []
        var cancelled: [CurlTransfer] = []
    }

    /// libcurl has to be set up once, before anything else and by one thread; a static is initialised
    /// exactly so.
    private static let isSetUp: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let inbox = Mutex(Inbox())
    /// Safe as the type's comment says.
    nonisolated(unsafe) private let multi: UnsafeMutableRawPointer?
    /// libcurl needs two descriptors to be woken. If none are left, it works without.
    private let canBeWoken: Bool

    init(maximumConnectionsPerHost: Int) {
        let multi = Self.isSetUp ? curl_multi_init() : nil
        self.multi = multi
        canBeWoken = multi.map { curl_multi_wakeup($0) == CURLM_OK } ?? false
        if let multi {
            _ = indivo_curl_multi_set_long(
                multi,
                CURLMOPT_MAX_HOST_CONNECTIONS,
                maximumConnectionsPerHost
            )
            _ = indivo_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
        }
        let thread = Thread { [self] in run() }
        thread.name = "http.curl"
        thread.start()
    }

    /// Hands over a transfer; its continuation is resumed exactly once.
    func start(_ transfer: CurlTransfer, _ continuation: Continuation) {
        transfer.continuation = continuation
        let isTaken = put { $0.started.append(transfer) }
        // The owner outlives its requests, so that this does not happen; a continuation is never left all
        // the same.
        if !isTaken { continuation.resume(throwing: CancellationError()) }
    }

    /// Ends a transfer, started already or not yet, with `CancellationError`.
    func cancel(_ transfer: CurlTransfer) { put { $0.cancelled.append(transfer) } }

    /// Ends the thread. Nobody waits for a response any more.
    func stop() { put { $0.phase = .stopping } }

    /// Changes the inbox and wakes the thread; false where the thread has ended, and nothing was changed.
    @discardableResult
    private func put(_ change: (inout Inbox) -> Void) -> Bool {
        inbox.withLock { inbox in
            guard inbox.phase != .closed else { return false }
            change(&inbox)
            // libcurl recognises a closed handle as long as its memory is not reused.
            let code = multi.map { curl_multi_wakeup($0) }
            assert(code != CURLM_BAD_HANDLE, "a closed libcurl handle was woken")
            return true
        }
    }

    private func run() {
        var waiting: [ObjectIdentifier: CurlTransfer] = [:]

        func finish(_ transfer: CurlTransfer, _ result: Result<HTTPAnswer, any Error>) {
            if let easy = transfer.easy { curl_multi_remove_handle(multi, easy) }
            transfer.close()
            waiting.removeValue(forKey: ObjectIdentifier(transfer))?.continuation?.resume(with: result)
        }

        while true {
            let news = inbox.withLock { inbox in
                defer {
                    inbox.started = []
                    inbox.cancelled = []
                }
                return inbox
            }
            for transfer in news.started {
                waiting[ObjectIdentifier(transfer)] = transfer
                do {
                    try transfer.open()
                    let code = curl_multi_add_handle(multi, transfer.easy)
                    guard multi != nil, code == CURLM_OK else {
                        throw transfer.error(
                            .other,
                            detail: "libcurl could not take the request: code \(code.rawValue)"
                        )
                    }
                } catch { finish(transfer, .failure(error)) }
            }
            // A transfer may be cancelled before it arrives here: by then it is in the same inbox or in a
            // later one.
            for transfer in news.cancelled {
                if waiting[ObjectIdentifier(transfer)] != nil {
                    finish(transfer, .failure(CancellationError()))
                } else if !transfer.isFinished {
                    inbox.withLock { $0.cancelled.append(transfer) }
                }
            }
            if waiting.isEmpty && isDone() { break }
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            while let message = curl_multi_info_read(multi, &count) {
                guard message.pointee.msg == CURLMSG_DONE,
                    let transfer = CurlTransfer.of(message.pointee.easy_handle)
                else { continue }
                finish(transfer, transfer.result(indivo_curl_result(message)))
            }
            curl_multi_poll(multi, nil, 0, canBeWoken ? 60_000 : 20, nil)
        }
        curl_multi_cleanup(multi)
    }

    /// Closes the inbox when the owner is gone and nothing has come in since: from then on nobody wakes
    /// the handle.
    private func isDone() -> Bool {
        inbox.withLock { inbox in
            guard inbox.phase == .stopping, inbox.started.isEmpty else { return false }
            inbox.phase = .closed
            return true
        }
    }
}
#endif

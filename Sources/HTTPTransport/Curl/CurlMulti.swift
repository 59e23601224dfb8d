#if canImport(CLibCurl)
import CLibCurl

/// A libcurl multi handle: many transfers at once, and the connections they leave behind.
final class CurlMulti: Sendable {
    /// libcurl has to be set up once, before anything else and by one thread; a static is initialised exactly so.
    private static let isSetUp: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Used by the thread of ``CurlLoop`` alone, but for `curl_multi_wakeup`, which any thread may call, and which
    /// nobody calls after ``close()``: the loop wakes under a lock, and closes after it has barred waking under it.
    nonisolated(unsafe) private let handle: UnsafeMutableRawPointer?
    /// Whether ``wakeUp()`` works: libcurl needs two descriptors for it, and continues without when there are none left.
    private let canBeWoken: Bool

    init(maximumConnectionsPerHost: Int) {
        let handle = Self.isSetUp ? curl_multi_init() : nil
        self.handle = handle
        canBeWoken = handle.map { curl_multi_wakeup($0) == CURLM_OK } ?? false
        guard let handle else { return }
        _ = indivo_curl_multi_set_long(handle, CURLMOPT_MAX_HOST_CONNECTIONS, maximumConnectionsPerHost)
        _ = indivo_curl_multi_set_long(handle, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    }

    /// Makes ``waitForActivity()`` return, now or the next time. From any thread.
    func wakeUp() {
        guard let handle else { return }
        let code = curl_multi_wakeup(handle)
        // libcurl knows a handle that was closed, as long as its memory is not used for something else.
        assert(code != CURLM_BAD_HANDLE, "a closed libcurl handle was woken")
    }

    func add(_ transfer: CurlTransfer) throws(HTTPTransportError) {
        let code = curl_multi_add_handle(handle, transfer.easy)
        guard handle != nil, code == CURLM_OK else {
            throw transfer.error(.other, detail: "libcurl could not take the request: code \(code.rawValue)")
        }
    }

    /// Takes a transfer out, finished or not. One that is not in stays out.
    func remove(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return }
        curl_multi_remove_handle(handle, easy)
    }

    /// Moves all transfers on, and returns those that ended, with libcurl's result.
    func perform() -> [(CurlTransfer, CURLcode)] {
        var running: Int32 = 0
        curl_multi_perform(handle, &running)
        var finished: [(CurlTransfer, CURLcode)] = []
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(handle, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let transfer = CurlTransfer.of(message.pointee.easy_handle)
            else { continue }
            finished.append((transfer, indivo_curl_result(message)))
        }
        return finished
    }

    /// Waits until a connection moves, a timer of libcurl is due, or somebody calls ``wakeUp()``.
    func waitForActivity() {
        curl_multi_poll(handle, nil, 0, canBeWoken ? 60_000 : 20, nil)
    }

    /// Closes all connections. The handle is not used afterwards.
    func close() {
        curl_multi_cleanup(handle)
    }
}
#endif

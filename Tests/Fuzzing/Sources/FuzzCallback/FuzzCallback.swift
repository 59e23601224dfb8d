import Dispatch
import Foundation
import HTTPTypes
import OAuth1
import Synchronization

@testable import HTTPCalls
@testable import Indivo

/// Gives a request token, and an access token for whatever verifier it is shown.
private struct TokenServer: HTTPTransport {
    let exchanges: Atomic<Int>.Box

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let isExchange = request.path == "/oauth/access_token"
        if isExchange { exchanges.count.add(1, ordering: .relaxed) }
        let form =
            isExchange
            ? "oauth_token=access&oauth_token_secret=s&xoauth_indivo_record_id=r-1"
            : "oauth_token=request&oauth_token_secret=s&oauth_callback_confirmed=true"
        return HTTPAnswer(
            response: HTTPResponse(status: .ok, headerFields: [.contentType: FormParameters.contentType]),
            body: Data(form.utf8)
        )
    }
}

extension Atomic where Value == Int {
    /// A count that can be shared.
    fileprivate final class Box: Sendable {
        let count = Atomic<Int>(0)
    }
}

/// Whatever a browser comes back with: an error, and nothing is exchanged, unless it is this login's own
/// callback. The first byte says how it comes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0, let start else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let text = String(decoding: bytes, as: UTF8.self)
    let way = start[0] % 4
    let done = DispatchSemaphore(value: 0)
    Task {
        switch way {
        case 0: await callback(text)
        case 1: await pasted(text)
        case 2: await launched(text)
        default: request(bytes)
        }
        done.signal()
    }
    done.wait()
    return 0
}

private func server(_ exchanges: Atomic<Int>.Box) -> IndivoServer {
    guard let url = URL(string: "https://h.example.org") else { fatalError("no URL") }
    return IndivoServer(
        api: url,
        ui: url,
        app: AppCredentials(id: "a@apps.example.org", consumerKey: "app", consumerSecret: "secret"),
        transport: TokenServer(exchanges: exchanges),
        options: IndivoServer.Options(retry: .never, sessions: MemorySessionStore())
    )
}

/// A URL that the system hands to the app. Nobody knows the login's own part of the callback.
private func callback(_ text: String) async {
    guard let url = URL(string: text) else { return }
    _ = url.callbackParameters.encoded
    let receiver = URLSchemeReceiver(scheme: url.scheme ?? "app")
    let exchanges = Atomic<Int>.Box()
    do {
        let record = try await server(exchanges).authorize(record: "r-1", callback: receiver) { _ in
            if !receiver.receive(url) { receiver.cancel() }
        }
        fatalError("a made-up callback was taken for \(record.id)")
    } catch let error as IndivoError {
        guard case .login = error.reason else {
            // A scheme that is none.
            fatalError("another error: \(error)")
        }
    } catch {
        fatalError("another error: \(error)")
    }
    if exchanges.count.load(ordering: .relaxed) != 0 { fatalError("a made-up callback was exchanged") }
}

/// What a person copies from the browser.
private func pasted(_ text: String) async {
    let exchanges = Atomic<Int>.Box()
    let receiver = OutOfBandReceiver { step in step == .record ? text : "code" }
    do {
        _ = try await server(exchanges).selectRecord(callback: receiver) { _ in }
    } catch is IndivoError {
        return
    } catch {
        fatalError("another error: \(error)")
    }
}

/// A URL that the app is launched with. Nobody else has the app's secret.
private func launched(_ text: String) async {
    guard let url = URL(string: text) else { return }
    do {
        _ = try await server(Atomic<Int>.Box()).record(launchedWith: url)
        fatalError("a made-up launch was taken")
    } catch let error as IndivoError {
        guard case .login = error.reason else { fatalError("another error: \(error)") }
    } catch {
        fatalError("another error: \(error)")
    }
}

/// What comes to the listener.
private func request(_ bytes: [UInt8]) {
    guard let request = LoopbackRequest(bytes) else { return }
    let target = request.target
    _ = request.isNavigation(to: 8002)
    if target.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
        fatalError("a target has more than one word")
    }
    _ = URL(string: "http://127.0.0.1:8002\(target)")?.callbackParameters
}

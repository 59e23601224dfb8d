import Foundation
import HTTPTypes
import Indivo
import Testing

@Suite("Callbacks on the loopback")
struct LoopbackListenerTests {
    @Test("a login right after another on the same listener gets its own callbacks")
    func oneAfterTheOther() async throws {
        let listener = try LoopbackListener.onFreePort()
        let transport: some HTTPTransport = .system
        for number in 0..<50 {
            let session = try listener.listen()
            let callback = try #require(session.callback)
            let request = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: "127.0.0.1:\(listener.port)",
                path: "\(callback.path)?n=\(number)"
            )
            async let answer = transport.send(request, body: nil)
            let visit = try #require(try await session.next(.authorization))
            #expect(visit.url.query() == "n=\(number)")
            visit.finish("Done \(number).")
            #expect(try await String(decoding: answer.body, as: UTF8.self).contains("Done \(number)."))
            session.close()
        }
    }

    @Test("a browser whose login fails without an answer gets a page")
    func failed() async throws {
        let listener = try LoopbackListener.onFreePort()
        let transport: some HTTPTransport = .system
        let session = try listener.listen()
        let callback = try #require(session.callback)
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "127.0.0.1:\(listener.port)",
            path: callback.path
        )
        async let answer = transport.send(request, body: nil)
        _ = try await session.next(.authorization)
        #expect(try await String(decoding: answer.body, as: UTF8.self).contains("The login has ended"))
        session.close()
    }
}

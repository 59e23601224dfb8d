import Foundation
import Testing
import WebServing

@Suite("Forms in parts")
struct MultipartFormTests {
    private static let type = "multipart/form-data; boundary=b"

    private func body(_ contents: [String]) -> Data {
        let parts = contents.enumerated().map { index, content in
            "--b\r\nContent-Disposition: form-data; name=\"n\(index)\"\r\n\r\n\(content)\r\n"
        }
        return Data((parts.joined() + "--b--\r\n").utf8)
    }

    @Test(
        "what looks like a delimiter in a part and is none stays",
        arguments: [
            "", "\r", "\r\n", "\r\n-", "\r\n--", "\r\n--c", "\r\r\n\r\n", "x--b", "a\r\n--\r\n--c--\r\n",
            "\n--b\n",
        ]
    )
    func contents(content: String) throws {
        let form = try #require(MultipartForm(body([content, content]), contentType: Self.type, limit: 2))
        #expect(form.parts.map(\.name) == ["n0", "n1"])
        #expect(form.parts.map(\.content) == [Data(content.utf8), Data(content.utf8)])
    }

    @Test("a line before the first delimiter and a part without a head are read by RFC 2046")
    func preamble() throws {
        let text = "x\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--"
        #expect(MultipartForm(Data(text.utf8), contentType: Self.type, limit: 1)?.parts.map(\.name) == ["a"])
        let headless = "--b\r\n\r\n1\r\n--b--"
        #expect(MultipartForm(Data(headless.utf8), contentType: Self.type, limit: 1) == nil)
    }

    @Test("a form has at most so many parts, and ends with its last delimiter")
    func limit() {
        let data = body(["1", "2", "3"])
        #expect(MultipartForm(data, contentType: Self.type, limit: 3)?.parts.count == 3)
        #expect(MultipartForm(data, contentType: Self.type, limit: 2) == nil)
        #expect(MultipartForm(data.dropLast(4), contentType: Self.type, limit: 3) == nil)
        #expect(MultipartForm(data, contentType: "multipart/form-data", limit: 3) == nil)
    }

    @Test("a form that nobody waits for any more is not read")
    func cancelled() async {
        let data = body(["1"])
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return MultipartForm(data, contentType: Self.type, limit: 1) == nil
        }
        task.cancel()
        #expect(await task.value)
    }
}

import IndivoBase
import Testing

@Suite("Tokens of HTML")
struct HTMLTokensTests {
    private typealias Token = HTMLTokens.Token

    private func tokens(_ html: String) -> [Token] { Array(HTMLTokens(html)) }

    @Test("tags have their names and attributes, text its characters")
    func tags() {
        #expect(
            tokens("<P CLASS='a b' id=x hidden>A &amp; B&#x21;<br/></p>") == [
                .start("p", attributes: ["class": "a b", "id": "x"], isEmpty: false), .text("A & B!"),
                .start("br", attributes: [:], isEmpty: true), .end("p"),
            ]
        )
        #expect(
            tokens("<a href=\"https://e.org/?a=1&amp;b=2>3\">x</a>") == [
                .start("a", attributes: ["href": "https://e.org/?a=1&b=2>3"], isEmpty: false), .text("x"),
                .end("a"),
            ]
        )
    }

    @Test("comments and declarations are left out, and a reference is read once")
    func others() {
        #expect(tokens("<!DOCTYPE html><!-- <b> --><?x?>&amp;lt;</>") == [.text("&lt;")])
    }

    @Test(
        "what is malformed costs no text",
        arguments: [
            ("a < b", "a < b"), ("1 <2 and 3> 2", "1 <2 and 3> 2"), ("x <b", "x <b"),
            ("&; &x; &#1; &", "&; &x; &#1; &"),
            ("a<a href=\"x>b</a>", "ab"), ("<", "<"), ("a<b c='>d", "ad"),
        ]
    )
    func malformed(html: String, text: String) {
        let texts = tokens(html).map { if case .text(let text) = $0 { text } else { "" } }
        #expect(texts.joined() == text)
    }

    @Test("the content of an element is skipped to its end tag, or without one to the end")
    func skipping() {
        var closed = HTMLTokens("<script>if (a</b>c) {}</SCRIPT >rest")
        #expect(closed.next() == .start("script", attributes: [:], isEmpty: false))
        closed.skipContent(of: "script")
        #expect(Array(closed) == [.text("rest")])
        var open = HTMLTokens("<style>a</style")
        _ = open.next()
        open.skipContent(of: "style")
        #expect(Array(open).isEmpty)
    }

    @Test("the tokens of any bytes are fewer than the bytes, and text is never made up")
    func arbitrary() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("<>/!-=\"'& ;#xabp\n")
        for _ in 0..<500 {
            let html = String((0..<60).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
            let found = tokens(html)
            #expect(found.count <= html.utf8.count)
            for case .text(let text) in found { #expect(!text.isEmpty && text.utf8.count <= html.utf8.count) }
        }
    }
}

import IndivoBase
import OAuth1
import Testing

@Suite("Percent encoding")
struct PercentEncodingTests {
    @Test("letters, digits and -._~ stay, all else is escaped in upper case")
    func unreserved() {
        let stays = "ABCXYZabcxyz0189-._~"
        #expect(PercentEncoding.encode(stays) == stays)
        #expect(
            PercentEncoding.encode(" !*'()+&=/?#%@:;,\"")
                == "%20%21%2A%27%28%29%2B%26%3D%2F%3F%23%25%40%3A%3B%2C%22"
        )
        #expect(PercentEncoding.encode("é☃\u{0}") == "%C3%A9%E2%98%83%00")
    }

    @Test("what is encoded decodes to itself")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 5849)
        for _ in 0..<2000 {
            let text = String.random(using: &generator)
            #expect(try PercentEncoding.decode(PercentEncoding.encode(text)) == text)
        }
    }

    @Test("encoding gives nothing but unreserved characters and escapes")
    func alphabet() {
        var generator = SeededGenerator(seed: 36)
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%")
        for _ in 0..<500 {
            #expect(PercentEncoding.encode(.random(using: &generator)).allSatisfy(allowed.contains))
        }
    }

    @Test("a plus sign is a plus sign, and escapes may be in lower case")
    func lenience() throws {
        #expect(try PercentEncoding.decode("a+b") == "a+b")
        #expect(try PercentEncoding.decode("%c3%a9") == "é")
    }

    @Test("a stray % is an error that tells its place")
    func strayPercent() {
        for (text, offset) in [("ab%", 2), ("%4", 0), ("x%zz", 1), ("%20%G0", 3)] {
            #expect(throws: PercentEncodingError.malformedEscape(offset: offset)) {
                try PercentEncoding.decode(text)
            }
        }
    }

    @Test("escapes that are not UTF-8 are an error")
    func notUTF8() {
        #expect(throws: PercentEncodingError.notUTF8) { try PercentEncoding.decode("caf%E9") }
    }
}

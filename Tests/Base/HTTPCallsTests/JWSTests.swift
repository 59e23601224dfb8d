import Foundation
import HTTPCalls
import Testing

@Suite("JSON Web Signatures")
struct JWSTests {
    /// RFC 7515, appendix A.1.
    private static let header = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let signature = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    @Test("the parts of the RFC's example are read, and written again")
    func example() throws {
        let text = "\(Self.header).\(Self.payload).\(Self.signature)"
        let jws = try #require(JWS(text))
        #expect(jws.header == Data("{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}".utf8))
        #expect(jws.payload.starts(with: Data("{\"iss\":\"joe\"".utf8)))
        #expect(jws.signature.prefix(4) == Data([116, 24, 223, 180]))
        #expect(jws.signingInput == Data("\(Self.header).\(Self.payload)".utf8))
        #expect(jws.compact == text)
        var made = JWS(header: jws.header, payload: jws.payload)
        made.signature = jws.signature
        #expect(made.compact == text)
    }

    @Test(
        "what is not three parts in base64url is no signature",
        arguments: ["", ".", "YQ.YQ", "YQ.YQ.YQ.YQ", "YQ.YQ.YQ==", "YQ.Y+.YQ", "YR.YQ.YQ", " YQ.YQ.YQ"]
    )
    func others(text: String) {
        #expect(JWS(text) == nil)
    }
}

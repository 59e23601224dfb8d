import IndivoBase
import OAuth1
import Testing

@Suite("Authorization header")
struct OAuthAuthorizationTests {
    @Test(
        "a realm comes back as it was, whatever stands in it",
        arguments: ["\"", "\\", "\"\u{650}x\\\u{301}\"", "é, b=\"c\"", ""]
    )
    func realm(_ realm: String) throws {
        let header = OAuthAuthorization(parameters: ["a": "b"], realm: realm).headerValue
        #expect(try OAuthAuthorization(parsing: header).realm.map { Array($0.utf8) } == Array(realm.utf8))
    }

    @Test("what is written is read back, whatever the values hold")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 351)
        for _ in 0..<500 {
            var parameters = FormParameters()
            for index in 0..<Int.random(in: 1...8, using: &generator) {
                parameters.append(name: "oauth_\(index)", value: .random(using: &generator))
            }
            let authorization = OAuthAuthorization(parameters: parameters, realm: #"a "quoted", \ realm"#)
            #expect(try OAuthAuthorization(parsing: authorization.headerValue) == authorization)
        }
    }

    @Test("blanks around commas and equals signs, and the scheme's letter case, are ignored")
    func lenience() throws {
        let authorization = try OAuthAuthorization(parsing: "oauth  a = \"1\",b=\"2\" ,\t c=\"\"")
        #expect(authorization.scheme == "oauth")
        #expect(authorization["a"] == "1")
        #expect(authorization["b"] == "2")
        #expect(authorization["c"] == "")
    }

    @Test("a value may go without quotes, as in any HTTP authentication")
    func bareValues() throws {
        let authorization = try OAuthAuthorization(parsing: "OAuth realm=r, a=1%202,b=x ,c=\"3\"")
        #expect(authorization.realm == "r")
        #expect(authorization.parameters.map(\.value) == ["1 2", "x", "3"])
    }

    @Test("an empty token is no token")
    func emptyToken() throws {
        #expect(try OAuthAuthorization(parsing: "OAuth oauth_token=\"\"").token == nil)
    }

    @Test("a header that cannot be read tells which parameter is at fault")
    func errors() {
        let cases: [(String, OAuthAuthorizationError)] = [
            ("Bearer abc", .notOAuth(scheme: "Bearer")),
            ("", .notOAuth(scheme: "")),
            ("OAuth", .noParameters),
            ("OAuth   ", .noParameters),
            ("OAuth nonsense", .malformedParameter(position: 1)),
            ("OAuth a=\"1\", b=", .malformedParameter(position: 2)),
            ("OAuth a=1\"2\"", .malformedParameter(position: 1)),
            ("OAuth a=\"1\" b=\"2\"", .malformedParameter(position: 1)),
            ("OAuth a=\"1\", b=\"2", .malformedParameter(position: 2)),
            ("OAuth realm=\"a\\\"", .malformedParameter(position: 1)),
            ("OAuth a=\"1\",, b=\"2\"", .malformedParameter(position: 2)),
            ("OAuth =\"1\"", .malformedParameter(position: 1)),
            ("OAuth a=\"100%\"", .malformedEncoding(position: 1, .malformedEscape(offset: 3))),
            ("OAuth a=\"%FF\"", .malformedEncoding(position: 1, .notUTF8)),
            ("OAuth a=\"1\", a=\"1\"", .repeatedParameter(name: "a")),
        ]
        for (header, error) in cases {
            #expect(throws: error) { try OAuthAuthorization(parsing: header) }
        }
    }

    @Test("no beginning of a header crashes the reader")
    func prefixes() {
        let header = "OAuth realm=\"a\\\"b\", oauth_consumer_key=\"k%40\", oauth_nonce=\"é%C3%A9\""
        for length in 0...header.utf8.count {
            let text = String(decoding: header.utf8.prefix(length), as: UTF8.self)
            _ = try? OAuthAuthorization(parsing: text)
        }
        #expect(throws: Never.self) { try OAuthAuthorization(parsing: header) }
    }
}

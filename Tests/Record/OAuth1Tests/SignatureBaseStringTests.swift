import OAuth1
import Testing

@Suite("Signature base string")
struct SignatureBaseStringTests {
    private let authorization = OAuthAuthorization(parameters: ["oauth_nonce": "n", "oauth_signature": "s"])

    private func baseString(
        _ method: String = "GET",
        _ target: String,
        host: String = "example.org",
        contentType: String? = nil,
        body: String? = nil,
        rule: SignatureRule
    ) throws -> String {
        let request = OAuthRequest(
            method: method,
            scheme: "http",
            authority: host,
            target: target,
            contentType: contentType,
            body: body.map { Array($0.utf8) }
        )
        return try SignatureBaseString(request: request, authorization: authorization, rule: rule).description
    }

    @Test(
        "a plain request has the same base string under both rules",
        arguments: [
            ("GET", "/records/1/reports/Problem/?limit=3&name=a%20b", nil as String?, nil as String?),
            ("POST", "/records/1/documents/external/me@example.org/a:b,c", "application/xml", "<a/>"),
            ("POST", "/oauth/request_token", FormParameters.contentType, "indivo_record_id=1&x=a+b"),
            ("DELETE", "/records/1/documents/2", nil, nil),
        ]
    )
    func sameUnderBothRules(method: String, target: String, contentType: String?, body: String?) throws {
        #expect(
            try baseString(method, target, contentType: contentType, body: body, rule: .rfc5849)
                == baseString(method, target, contentType: contentType, body: body, rule: .indivo)
        )
    }

    @Test("RFC 5849 signs the path as sent, Indivo the decoded path")
    func path() throws {
        #expect(
            try baseString("GET", "/a%40b", rule: .rfc5849)
                == "GET&http%3A%2F%2Fexample.org%2Fa%2540b&oauth_nonce%3Dn"
        )
        #expect(
            try baseString("GET", "/a%40b", rule: .indivo)
                == "GET&http%3A%2F%2Fexample.org%2Fa%40b&oauth_nonce%3Dn"
        )
    }

    @Test(
        "Indivo cuts the decoded path at ? and #, and at ; in the last segment",
        arguments: [
            ("/x/a%3Fb", "/x/a"), ("/x/a%23b/c", "/x/a"), ("/x/a;b", "/x/a"), ("/x/a%3Bb", "/x/a"),
            ("/x/a;b/c", "/x/a;b/c"), ("/x/a%2541", "/x/a%41"),
        ]
    )
    func truncatedPath(sent: String, signed: String) throws {
        let expected = "GET&" + PercentEncoding.encode("http://example.org" + signed) + "&oauth_nonce%3Dn"
        #expect(try baseString("GET", sent, rule: .indivo) == expected)
    }

    @Test("Indivo has no base string for a path beyond ASCII or a repeated name")
    func refusals() {
        #expect(throws: SignatureBaseStringError.pathNotASCII) {
            try baseString("GET", "/caf%C3%A9", rule: .indivo)
        }
        #expect(throws: SignatureBaseStringError.repeatedParameter(name: "a")) {
            try baseString("GET", "/?a=1&a=2", rule: .indivo)
        }
        #expect(throws: SignatureBaseStringError.repeatedParameter(name: "oauth_nonce")) {
            try baseString(
                "POST",
                "/",
                contentType: FormParameters.contentType,
                body: "oauth_nonce=n",
                rule: .indivo
            )
        }
    }

    @Test("Indivo signs the query of GET alone")
    func query() throws {
        for method in ["POST", "PUT", "DELETE"] {
            #expect(
                try baseString(method, "/a?b=c", rule: .indivo) == baseString(method, "/a", rule: .indivo)
            )
            #expect(
                try baseString(method, "/a?b=c", rule: .rfc5849) != baseString(method, "/a", rule: .rfc5849)
            )
        }
        #expect(try baseString("GET", "/a?b=c;d", rule: .indivo).hasSuffix("&b%3Dc%26d%3D%26oauth_nonce%3Dn"))
        #expect(try baseString("GET", "/a?b=c;d", rule: .rfc5849).hasSuffix("&b%3Dc%253Bd%26oauth_nonce%3Dn"))
    }

    @Test("a form with a charset is a form for RFC 5849, but not for Indivo")
    func charset() throws {
        let type = "application/x-www-form-urlencoded; charset=utf-8"
        let signed = "POST&http%3A%2F%2Fexample.org%2F&a%3Db%26oauth_nonce%3Dn"
        #expect(try baseString("POST", "/", contentType: type, body: "a=b", rule: .rfc5849) == signed)
        #expect(
            try baseString("POST", "/", contentType: type, body: "a=b", rule: .indivo)
                == "POST&http%3A%2F%2Fexample.org%2F&oauth_nonce%3Dn"
        )
    }

    @Test("Indivo takes the Host header verbatim")
    func host() throws {
        #expect(
            try baseString("GET", "/", host: "EXAMPLE.org:80", rule: .indivo)
                == "GET&http%3A%2F%2FEXAMPLE.org%3A80%2F&oauth_nonce%3Dn"
        )
    }

    @Test("parameters are sorted by encoded bytes, names that repeat by their values")
    func order() throws {
        #expect(
            try baseString("GET", "/?z=1&a=~&a=%7F&a=b&%C3%A9=1&Z=2", rule: .rfc5849).hasSuffix(
                PercentEncoding.encode("%C3%A9=1&Z=2&a=%7F&a=b&a=~&oauth_nonce=n&z=1")
            )
        )
    }
}

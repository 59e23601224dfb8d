import OAuth1
import Testing

@Suite("Token answers")
struct OAuthTokenResponseTests {
    @Test("a token, its secret and what else the server says are read in any order")
    func parse() throws {
        let answer = try OAuthTokenResponse(
            parsing: "oauth_token_secret=s%26&xoauth_indivo_record_id=r1&oauth_token=t\r\n".utf8
        )
        #expect(answer.token == OAuthToken(value: "t", secret: "s&"))
        #expect(answer["xoauth_indivo_record_id"] == "r1")
        #expect(answer.isCallbackConfirmed == nil)
        #expect(answer.additionalParameters.count == 1)
    }

    @Test("the RFC's answer confirms the callback")
    func confirmed() throws {
        let answer = try OAuthTokenResponse(
            parsing: "oauth_token=hh5s93j4hdidpola&oauth_token_secret=s&oauth_callback_confirmed=true".utf8
        )
        #expect(answer.isCallbackConfirmed == true)
    }

    @Test("an answer without a token says what is missing and repeats nothing")
    func missing() {
        for body in ["", "<h4>oauth</h4>", "oauth_token_secret=hush"] {
            #expect(throws: OAuthTokenResponseError.missingParameter(name: "oauth_token")) {
                try OAuthTokenResponse(parsing: body.utf8)
            }
        }
        #expect(throws: OAuthTokenResponseError.missingParameter(name: "oauth_token_secret")) {
            try OAuthTokenResponse(parsing: "oauth_token=t&oauth_token_secret=".utf8)
        }
        #expect(throws: OAuthTokenResponseError.repeatedParameter(name: "oauth_token")) {
            try OAuthTokenResponse(parsing: "oauth_token=t&oauth_token=u&oauth_token_secret=s".utf8)
        }
    }
}

import IndivoBase
import OAuth1
import Testing

/// The worked examples of RFC 5849.
@Suite("RFC 5849 examples")
struct RFC5849ExampleTests {
    private let printer = OAuthConsumer(key: "dpf43f3p2l4k3l03", secret: "kd94hf93k423kf44")

    private func signer(token: OAuthToken?, timestamp: Int, nonce: String) -> OAuthSigner {
        OAuthSigner(
            credentials: OAuthCredentials(consumer: printer, token: token),
            nonce: { nonce },
            clock: { timestamp }
        )
    }

    @Test("1.2: the request for temporary credentials")
    func temporaryCredentials() throws {
        let authorization = try signer(token: nil, timestamp: 137_131_200, nonce: "wIjqoS").authorization(
            for: OAuthRequest(
                method: "POST",
                scheme: "https",
                authority: "photos.example.net",
                path: "/initiate"
            ),
            options: .init(
                callback: "http://printer.example.com/ready",
                realm: "Photos",
                includesVersion: false
            )
        )
        #expect(authorization.signature == "74KNZJeDHnMBp0EMJ9ZHt/XKycU=")
        #expect(
            authorization.headerValue == """
                OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", \
                oauth_signature_method="HMAC-SHA1", \
                oauth_timestamp="137131200", oauth_nonce="wIjqoS", \
                oauth_callback="http%3A%2F%2Fprinter.example.com%2Fready", \
                oauth_signature="74KNZJeDHnMBp0EMJ9ZHt%2FXKycU%3D"
                """
        )
    }

    @Test("1.2: the request for a token")
    func tokenCredentials() throws {
        let token = OAuthToken(value: "hh5s93j4hdidpola", secret: "hdhd0244k9j7ao03")
        let authorization = try signer(token: token, timestamp: 137_131_201, nonce: "walatlh").authorization(
            for: OAuthRequest(
                method: "POST",
                scheme: "https",
                authority: "photos.example.net",
                path: "/token"
            ),
            options: .init(verifier: "hfdp7dh39dks9884", realm: "Photos", includesVersion: false)
        )
        #expect(authorization.signature == "gKgrFCywp7rO0OXSjdot/IHF7IU=")
    }

    @Test("1.2: the request for a photo")
    func protectedResource() throws {
        let token = OAuthToken(value: "nnch734d00sl2jdk", secret: "pfkkdhi9sl3r4s00")
        let authorization = try signer(token: token, timestamp: 137_131_202, nonce: "chapoH").authorization(
            for: OAuthRequest(
                method: "GET",
                scheme: "http",
                authority: "photos.example.net",
                target: "/photos?file=vacation.jpg&size=original"
            ),
            options: .init(realm: "Photos", includesVersion: false)
        )
        #expect(authorization.signature == "MdpQcU8iPSUjWoN/UDMsK2sui9I=")
    }

    /// The request of section 3.4.1.1, whose parameters come from the query, the header and the form.
    private let formRequest = OAuthRequest(
        method: "POST",
        scheme: "http",
        authority: "example.com",
        target: "/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b",
        contentType: "application/x-www-form-urlencoded",
        body: Array("c2&a3=2+q".utf8)
    )

    private func formAuthorization() throws -> OAuthAuthorization {
        try OAuthAuthorization(
            parsing: """
                OAuth realm="Example", oauth_consumer_key="9djdj82h48djs9d2", \
                oauth_token="kkk9d7dh3k39sjv7", \
                oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131201", oauth_nonce="7d8f3e4a", \
                oauth_signature="bYT5CMsGcbgUdFHObYMEfcx6bsw%3D"
                """
        )
    }

    @Test("3.4.1.1: the base string of a request with a query and a form")
    func baseString() throws {
        let baseString = try SignatureBaseString(request: formRequest, authorization: formAuthorization())
        #expect(
            baseString.description == """
                POST&http%3A%2F%2Fexample.com%2Frequest&\
                a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540\
                %3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signatur\
                e_method\
                %3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7
                """
        )
    }

    @Test("3.4.2: the key is both secrets joined, the text is the base string")
    func signatureOfTheForm() throws {
        // The RFC prints no secrets for this request; these and the signature are those of its published
        // erratum.
        let credentials = OAuthCredentials(
            consumer: OAuthConsumer(key: "9djdj82h48djs9d2", secret: "j49sk3j29djd"),
            token: OAuthToken(value: "kkk9d7dh3k39sjv7", secret: "dh893hdasih9")
        )
        let signature = try OAuthSigner.signature(
            request: formRequest,
            authorization: formAuthorization(),
            credentials: credentials
        )
        #expect(signature == "r6/TJjbCOr97/+UU0NsvSne7s5g=")
    }

    @Test("3.4.1.2: host in lower case without the default port, path as sent")
    func baseStringURIs() throws {
        let none = OAuthAuthorization(parameters: FormParameters())
        let spaced = OAuthRequest(
            method: "GET",
            scheme: "http",
            authority: "EXAMPLE.COM:80",
            target: "/r%20v/X?id=123"
        )
        #expect(
            try SignatureBaseString(request: spaced, authorization: none).description
                == "GET&http%3A%2F%2Fexample.com%2Fr%2520v%2FX&id%3D123"
        )
        let otherPort = OAuthRequest(
            method: "GET",
            scheme: "https",
            authority: "www.example.net:8080",
            target: "/?q=1"
        )
        #expect(
            try SignatureBaseString(request: otherPort, authorization: none).description
                == "GET&https%3A%2F%2Fwww.example.net%3A8080%2F&q%3D1"
        )
        let securePort = OAuthRequest(
            method: "get",
            scheme: "HTTPS",
            authority: "www.example.net:443",
            target: ""
        )
        #expect(
            try SignatureBaseString(request: securePort, authorization: none).description
                == "GET&https%3A%2F%2Fwww.example.net%2F&"
        )
        let crossed = OAuthRequest(
            method: "GET",
            scheme: "http",
            authority: "www.example.net:443",
            target: "/:80/"
        )
        #expect(
            try SignatureBaseString(request: crossed, authorization: none).description
                == "GET&http%3A%2F%2Fwww.example.net%3A443%2F%3A80%2F&"
        )
    }

    @Test("3.5.1: the header's parameters are decoded, its realm is kept apart")
    func header() throws {
        let authorization = try formAuthorization()
        #expect(authorization.realm == "Example")
        #expect(authorization.consumerKey == "9djdj82h48djs9d2")
        #expect(authorization.token == "kkk9d7dh3k39sjv7")
        #expect(authorization.signature == "bYT5CMsGcbgUdFHObYMEfcx6bsw=")
        #expect(authorization["realm"] == nil)
    }
}

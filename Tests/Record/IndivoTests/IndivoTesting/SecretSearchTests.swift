import Foundation
import IndivoTesting
import OAuth1
import Testing

@Suite("Searching for secrets")
struct SecretSearchTests {
    private let search = SecretSearch(["the secret": "s3cret & mor"])

    @Test("a value is found in every form, wherever it stands", arguments: [0, 1, 2, 3, 7])
    func forms(before: Int) {
        let text = String(repeating: "x", count: before) + "s3cret & mor" + "yz"
        #expect(search.found(in: text).contains("the secret, plain"))
        #expect(search.found(in: PercentEncoding.encode(text)).contains("the secret, percent-encoded"))
        #expect(
            search.found(in: FormParameters(decoding: text).encoded + "s3cret+%26+mor").contains(
                "the secret, as in a form"
            )
        )
        #expect(!search.found(in: Data(text.utf8).base64EncodedString()).isEmpty)
        #expect(
            search.found(in: text.utf8.map { String(format: "%02x", $0) }.joined()) == [
                "the secret, hexadecimal"
            ]
        )
    }

    @Test("what is not there is not found, and the answer does not repeat the value")
    func absent() {
        #expect(search.found(in: "s3cret &mor, czNjcmV0, s3cret%20%26").isEmpty)
        #expect(search.found(in: "s3cret & mor").allSatisfy { !$0.contains("s3cret") })
        #expect(SecretSearch(["short": "abc"]).found(in: "abc").isEmpty)
    }
}

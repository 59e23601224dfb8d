/// Random letters and digits that nobody guesses, for addresses, forms and credentials.
package enum RandomToken {
    /// A token of `length` characters of the system's generator, of nearly six bits each: 20 have 119 bits.
    package static func make(length: Int = 20) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        var generator = SystemRandomNumberGenerator()
        return String(
            (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
        )
    }

    /// Whether a text has the form of a token of `length` characters.
    package static func isToken(_ text: String, length: Int = 20) -> Bool {
        text.utf8.count == length && text.utf8.allSatisfy(\.isASCIILetterOrDigit)
    }
}

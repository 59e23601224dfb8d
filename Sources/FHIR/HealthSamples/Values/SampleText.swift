/// Texts that FHIR and XML can hold: some characters, and no control characters but tab, line feed and
/// carriage return.
enum SampleText {
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 32 && ![9, 10, 13].contains(scalar.value)
    }

    static func isPlain(_ text: String) -> Bool { !text.unicodeScalars.contains(where: isControl) }

    /// The text without control characters; nil where nothing is left.
    static func plain(_ text: String) -> String? {
        if !text.isEmpty, isPlain(text) { return text }
        let rest = String(String.UnicodeScalarView(text.unicodeScalars.filter { !isControl($0) }))
        return rest.isEmpty ? nil : rest
    }

    /// - Throws: ``SampleError/malformed(name:expected:)``, as Apple's export has no such characters either.
    static func check(_ text: String, _ name: String) throws(SampleError) {
        guard isPlain(text) else {
            throw .malformed(name: plain(name) ?? "", expected: "a text without control characters")
        }
    }
}

import FHIR
import Foundation
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// Signed forms as PDF. scripts/interop consents looks at them with foreign tools.
struct ConsentFormTests {
    private func consent(title: String = "Title", text: String, signature: Data? = nil) throws
        -> SignedConsent
    {
        let document = try ConsentDocument(
            parsing: JSONSerialization.data(withJSONObject: [
                "id": "c", "version": "1", "title": title, "study": "s", "organization": "o",
                "requiresSignatureImage": false,
                "sections": [["title": "Section", "text": text]],
            ])
        )
        var answers = ConsentAnswers()
        answers.participant = UUID(uuidString: "6F1B0F0E-5D0B-4E9C-9A53-0E0B5A7C2D11")
        answers.givenName = "Ada"
        answers.familyName = "Lovelace"
        answers.signedAt = "2026-11-22T09:30:00+01:00"
        answers.agrees = true
        answers.signature = signature
        guard case .signed(let consent) = document.decision(answers) else { throw CancellationError() }
        return consent
    }

    /// A white pixel.
    private let png =
        Data(
            base64Encoded:
                """
                iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4////fwAJ+wP9KobjigAAAABJRU5ErkJgg\
                g==
                """
        ) ?? Data()

    @Test("a form is a PDF, the same for the same consent, with as many pages as it needs")
    func pages() throws {
        let short = try ConsentForm(consent(text: "Short."))
        #expect(
            short.pageCount == 1 && short.missingCharacters == 0 && short.pdf.starts(with: Data("%PDF-".utf8))
        )
        #expect(try ConsentForm(consent(text: "Short.")).pdf == short.pdf)
        let long = try ConsentForm(
            consent(text: String(repeating: "A line of text that goes on.\n", count: 300))
        )
        #expect(long.pageCount > 3)
        #expect(try ConsentForm(consent(text: "Short."), paper: .letter).pdf != short.pdf)
    }

    @Test("hostile texts are set in bounded pieces, also without spaces and with many marks")
    func hostile() throws {
        let word = String(repeating: "W", count: 90_000)
        let form = try ConsentForm(consent(title: String(repeating: "T", count: 590), text: word))
        #expect(form.pageCount > 10)
        let marks = String(repeating: "a" + String(repeating: "\u{301}", count: 31), count: 1_000)
        #expect(try ConsentForm(consent(text: marks)).pageCount >= 1)
        #expect(FormBlock.pieces(word[...]).joined() == word)
        let sentences = String(repeating: "words with spaces ", count: 2_000)
        let pieces = FormBlock.pieces(sentences[...])
        #expect(
            pieces.joined() == sentences
                && pieces.dropLast().allSatisfy { $0.hasSuffix(" ") && $0.utf8.count <= 4_000 }
        )
    }

    @Test("a damaged signature is an error, a PNG is drawn")
    func images() throws {
        #expect(throws: Never.self) { try ConsentForm(consent(text: "x", signature: png)) }
        #expect(throws: StudyError.self) {
            try ConsentForm(consent(text: "x", signature: png.prefix(40)))
        }
        #expect(throws: StudyError.badSignature("the image is not a PNG")) {
            try ConsentForm(consent(text: "x", signature: Data(count: 30)))
        }
        var large = png
        large.replaceSubrange(16..<24, with: [0, 0, 0x40, 0, 0, 0, 0x40, 0])
        #expect(SignatureImage.problem(large) == "the image has more than 4000000 pixels, or none")
    }
}

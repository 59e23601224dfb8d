import Foundation
import StudyFormats

/// The signed form of a consent, as a PDF: the document's text in any script, what is shared, names, date and
/// signature, and page numbers.
///
/// ```swift
/// let form = try ConsentForm(signed)
/// try form.pdf.write(to: file)
/// ```
/// On Linux the system's Pango and Cairo set the text, behind the trait `ConsentForm`; on Apple's systems
/// Core Text does. The same consent gives the same file.
public struct ConsentForm: Sendable {
    /// The file.
    public let pdf: Data
    /// How many pages it has.
    public let pageCount: Int
    /// The number of characters that no installed font has; they are printed as boxes.
    public let missingCharacters: Int

    /// Makes the form of a signed consent.
    ///
    /// - Throws: ``/StudyFormats/StudyError``: ``/StudyFormats/StudyError/formUnavailable(reason:)`` without
    ///   the trait, and where the library that sets text fails; others for texts that are too long and a
    ///   signature that cannot be drawn.
    public init(_ consent: SignedConsent, paper: FormPaper = .a4, labels: FormLabels = FormLabels())
        throws(StudyError)
    {
        let blocks = FormBlock.all(of: consent, labels)
        let size = blocks.reduce(0) { $0 + $1.byteCount }
        guard size <= Self.maximumBytes else {
            throw .tooLarge(what: "the texts have \(size) bytes", limit: Self.maximumBytes)
        }
        #if canImport(CoreText)
        var canvas = try CoreTextCanvas(paper, title: consent.document.title)
        #elseif canImport(CPangoCairo)
        var canvas = try PangoCanvas(
            paper,
            title: consent.document.title,
            date: consent.signedAt.description
        )
        #else
        throw .formUnavailable(reason: "add the trait ConsentForm, which needs Pango and Cairo")
        #endif
        #if canImport(CoreText) || canImport(CPangoCairo)
        var setter = FormSetter(canvas: canvas, paper: paper)
        for block in blocks { try setter.add(block) }
        pageCount = try setter.draw(
            footer: consent.document.title + ", " + labels.version + " " + consent.document.version,
            labels
        )
        canvas = setter.canvas
        missingCharacters = canvas.missingCharacters
        pdf = try canvas.finish()
        #endif
    }

    /// The most bytes of text of a form.
    static let maximumBytes = 600_000
}

/// The size of pages, in points.
public enum FormPaper: Sendable, Hashable {
    /// ISO A4: 595.28 × 841.89 points.
    case a4
    /// US Letter: 612 × 792 points.
    case letter

    var width: Double { self == .a4 ? 595.28 : 612 }
    var height: Double { self == .a4 ? 841.89 : 792 }
    /// Free on all four sides.
    var margin: Double { 56 }
    var textWidth: Double { width - 2 * margin }
    /// Where text ends, above the footer.
    var bottom: Double { height - margin - 14 }
}

/// What the form says beside the document's own texts, in the document's language.
public struct FormLabels: Sendable, Hashable {
    /// Before the version.
    public var version = "version"
    /// Above what is shared.
    public var sharing = "Sharing"
    /// A choice that was made.
    public var yes = "Yes"
    /// A choice that was not.
    public var no = "No"
    /// Above the signature.
    public var signature = "Signature"
    /// Before the names.
    public var name = "Name"
    /// Before the date.
    public var date = "Signed at"
    /// Before the participant's id.
    public var participant = "Participant"
    /// The number of a page: `%1` is the page, `%2` how many there are.
    public var page = "Page %1 of %2"

    /// English labels.
    public init() {}
}

extension StudyError {
    static func badSignature(_ reason: String) -> StudyError {
        .badInput(reason: "the signature cannot be drawn: \(reason)")
    }
}

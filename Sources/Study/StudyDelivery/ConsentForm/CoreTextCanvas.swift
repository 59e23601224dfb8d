#if canImport(CoreText)
import CoreGraphics
import CoreText
import Foundation
import ImageIO
import StudyFormats

/// Core Text sets the text, Core Graphics draws it into a PDF.
struct CoreTextCanvas: FormCanvas {
    struct Line: FormLine {
        fileprivate let line: CTLine
        let x: Double
        fileprivate let ascent: Double
        let height: Double
        let width: Double
    }

    private let paper: FormPaper
    private let data = NSMutableData()
    private let context: CGContext
    private var image: CGImage?
    /// Apple's systems have a font for every character.
    let missingCharacters = 0

    init(_ paper: FormPaper, title: String) throws(StudyError) {
        var box = CGRect(x: 0, y: 0, width: paper.width, height: paper.height)
        let info = [kCGPDFContextTitle: title] as CFDictionary
        guard let consumer = CGDataConsumer(data: data),
            let context = CGContext(consumer: consumer, mediaBox: &box, info)
        else {
            throw .formUnavailable(reason: "there is no PDF context")
        }
        self.paper = paper
        self.context = context
    }

    mutating func lines(_ text: String, _ style: FormStyle, width: Double, isSingle: Bool)
        throws(StudyError) -> [Line]
    {
        let font = CTFontCreateUIFontForLanguage(
            style.isBold ? .emphasizedSystem : .system,
            style.size,
            nil
        )
        let attributes = [kCTFontAttributeName: font as Any] as CFDictionary
        guard let string = CFAttributedStringCreate(nil, text as CFString, attributes) else {
            throw .formUnavailable(reason: "there is no memory")
        }
        if isSingle {
            let line = CTLineCreateWithAttributedString(string)
            let ellipsis = CFAttributedStringCreate(nil, "…" as CFString, attributes).map(
                CTLineCreateWithAttributedString
            )
            return [measured(CTLineCreateTruncatedLine(line, width, .end, ellipsis) ?? line, x: 0)]
        }
        let setter = CTFramesetterCreateWithAttributedString(string)
        let path = CGPath(rect: CGRect(x: 0, y: 0, width: width, height: 1_000_000), transform: nil)
        let frame = CTFramesetterCreateFrame(setter, CFRange(location: 0, length: 0), path, nil)
        let lines = CTFrameGetLines(frame) as? [CTLine] ?? []
        var origins = [CGPoint](repeating: .zero, count: lines.count)
        CTFrameGetLineOrigins(frame, CFRange(location: 0, length: 0), &origins)
        return zip(lines, origins).map { measured($0, x: $1.x) }
    }

    private func measured(_ line: CTLine, x: Double) -> Line {
        var ascent = CGFloat(0)
        var descent = CGFloat(0)
        var leading = CGFloat(0)
        let width = CTLineGetTypographicBounds(line, &ascent, &descent, &leading)
        return Line(line: line, x: x, ascent: ascent, height: ascent + descent + leading, width: width)
    }

    func draw(_ line: Line, x: Double, y: Double) {
        context.textPosition = CGPoint(x: x + line.x, y: paper.height - y - line.ascent)
        CTLineDraw(line.line, context)
    }

    mutating func imageSize(_ png: Data) throws(StudyError) -> (width: Double, height: Double) {
        if let problem = SignatureImage.problem(png) { throw .badSignature(problem) }
        guard let source = CGImageSourceCreateWithData(png as CFData, nil),
            let image = CGImageSourceCreateImageAtIndex(source, 0, nil)
        else { throw .badSignature("the image is damaged") }
        self.image = image
        return (Double(image.width), Double(image.height))
    }

    func drawImage(x: Double, y: Double, width: Double, height: Double) throws(StudyError) {
        guard let image else { return }
        context.draw(image, in: CGRect(x: x, y: paper.height - y - height, width: width, height: height))
    }

    func beginPage() { context.beginPDFPage(nil) }

    func endPage() { context.endPDFPage() }

    func finish() throws(StudyError) -> Data {
        context.closePDF()
        return data as Data
    }
}
#endif

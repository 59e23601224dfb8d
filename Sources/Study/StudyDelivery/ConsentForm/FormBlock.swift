import Foundation
import StudyFormats

/// A paragraph, or an image, of a form.
enum FormBlock {
    case text(String, FormStyle, before: Double)
    case image(Data)

    var byteCount: Int { if case .text(let text, _, _) = self { text.utf8.count } else { 0 } }

    /// The most bytes that are set at once: setting takes more than twice the time for twice the text.
    static let maximumParagraphLength = 4_000

    static func all(of consent: SignedConsent, _ labels: FormLabels) -> [FormBlock] {
        let document = consent.document
        var blocks: [FormBlock] = []
        func add(_ text: String, _ style: FormStyle = .body, before: Double = 4) {
            var before = before
            for paragraph in text.split(whereSeparator: \.isNewline) {
                for piece in pieces(paragraph) {
                    blocks.append(.text(piece, style, before: before))
                    before = 0
                }
                before = 4
            }
        }
        add(document.title, .title, before: 0)
        add(
            [document.organization, "\(labels.version) \(document.version)"].filter { !$0.isEmpty }.joined(
                separator: " · "
            ),
            .small
        )
        for section in document.sections {
            add(section.title, .heading, before: 14)
            if let summary = section.summary { add(summary) }
            add(section.text)
        }
        if !document.sharing.isEmpty { add(labels.sharing, .heading, before: 14) }
        for choice in document.sharing {
            add(choice.text)
            add(
                "\(choice.recipient): \(consent.sharing[choice.id] == true ? labels.yes : labels.no)",
                .strong,
                before: 0
            )
        }
        add(labels.signature, .heading, before: 20)
        add("\(labels.name): \(consent.givenName) \(consent.familyName)")
        add("\(labels.date): \(consent.signedAt)")
        add("\(labels.participant): \(consent.participant.uuidString)", .small)
        if let signature = consent.signature { blocks.append(.image(signature)) }
        return blocks
    }

    /// A paragraph in pieces of bounded length, parted at spaces where there are any.
    static func pieces(_ paragraph: Substring) -> [String] {
        var pieces: [String] = []
        var rest = paragraph
        while rest.utf8.count > maximumParagraphLength {
            // No character has more than 128 bytes (32 scalars), so there is one before this index.
            let limit = rest.utf8.index(rest.startIndex, offsetBy: maximumParagraphLength)
            var end = rest.startIndex
            var space: Substring.Index?
            while end < limit {
                let next = rest.index(after: end)
                guard next <= limit else { break }
                if rest[end] == " " { space = next }
                end = next
            }
            if end == rest.startIndex { end = rest.index(after: end) }
            let cut = space ?? end
            pieces.append(String(rest[..<cut]))
            rest = rest[cut...]
        }
        if !rest.isEmpty { pieces.append(String(rest)) }
        return pieces
    }
}

/// The style of a text.
enum FormStyle {
    case title, heading, body, strong, small

    var size: Double {
        switch self {
        case .title: 18
        case .heading: 13
        case .body, .strong: 10.5
        case .small: 8.5
        }
    }

    var isBold: Bool { self == .title || self == .heading || self == .strong }
}

/// A line of text that was set, for a canvas to draw.
protocol FormLine {
    /// From the left of the width that it was set in, in points.
    var x: Double { get }
    var height: Double { get }
    var width: Double { get }
}

/// Sets and draws text: the door to the system's libraries.
protocol FormCanvas {
    associatedtype Line: FormLine

    /// Breaks a paragraph into lines; with `isSingle` it is one line that ends with an ellipsis where it is
    /// too long.
    mutating func lines(_ text: String, _ style: FormStyle, width: Double, isSingle: Bool)
        throws(StudyError) -> [Line]
    /// Draws a line; `y` is its top, from the top of the page.
    func draw(_ line: Line, x: Double, y: Double)
    /// The size of an image in pixels.
    mutating func imageSize(_ png: Data) throws(StudyError) -> (width: Double, height: Double)
    /// Draws the image that was measured.
    func drawImage(x: Double, y: Double, width: Double, height: Double) throws(StudyError)
    func beginPage()
    func endPage()
}

/// Lays blocks out on pages, then draws the pages.
struct FormSetter<Canvas: FormCanvas> {
    private enum Piece {
        case line(Canvas.Line)
        case image(width: Double, height: Double)
    }

    var canvas: Canvas
    let paper: FormPaper
    private var pages: [[(piece: Piece, y: Double)]] = [[]]
    private var y: Double

    init(canvas: Canvas, paper: FormPaper) {
        self.canvas = canvas
        self.paper = paper
        y = paper.margin
    }

    mutating func add(_ block: FormBlock) throws(StudyError) {
        switch block {
        case .text(let text, let style, let before):
            if !pages[pages.count - 1].isEmpty { y += before }
            // A heading is not the last thing on a page.
            let room = style == .heading ? 40.0 : 0
            for line in try canvas.lines(text, style, width: paper.textWidth, isSingle: false) {
                position(.line(line), height: line.height, room: room)
            }
        case .image(let data):
            let size = try canvas.imageSize(data)
            let scale = min(220 / size.width, 90 / size.height, 1)
            y += 8
            position(
                .image(width: size.width * scale, height: size.height * scale),
                height: size.height * scale,
                room: 0
            )
        }
    }

    private mutating func position(_ piece: Piece, height: Double, room: Double) {
        if y + height + room > paper.bottom, !pages[pages.count - 1].isEmpty {
            pages.append([])
            y = paper.margin
        }
        pages[pages.count - 1].append((piece, y))
        y += height
    }

    /// - Returns: The number of pages.
    mutating func draw(footer: String, _ labels: FormLabels) throws(StudyError) -> Int {
        // Set once, drawn on each page.
        let title = try canvas.lines(footer, .small, width: paper.textWidth * 0.7, isSingle: true).first
        for (index, page) in pages.enumerated() {
            canvas.beginPage()
            for (piece, y) in page {
                switch piece {
                case .line(let line): canvas.draw(line, x: paper.margin, y: y)
                case .image(let width, let height):
                    try canvas.drawImage(x: paper.margin, y: y, width: width, height: height)
                }
            }
            let top = paper.height - paper.margin
            if let title { canvas.draw(title, x: paper.margin, y: top) }
            let number = labels.page.replacing("%1", with: "\(index + 1)").replacing(
                "%2",
                with: "\(pages.count)"
            )
            if let line = try canvas.lines(number, .small, width: paper.textWidth * 0.3, isSingle: true).first
            {
                canvas.draw(line, x: paper.width - paper.margin - line.width - line.x, y: top)
            }
            canvas.endPage()
        }
        return pages.count
    }
}

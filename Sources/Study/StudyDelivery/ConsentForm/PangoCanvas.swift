#if canImport(CPangoCairo) && !canImport(CoreText)
import CPangoCairo
import Foundation
import StudyFormats

/// Pango sets the text, Cairo draws it into a PDF.
struct PangoCanvas: FormCanvas {
    /// A line, with the layout that owns it.
    struct Line: FormLine {
        fileprivate let layout: Layout
        fileprivate let index: Int32
        let x: Double
        fileprivate let baseline: Double
        let height: Double
        let width: Double
    }

    /// Owns a layout of Pango's.
    fileprivate final class Layout {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) { self.pointer = pointer }
        deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }
    }

    /// Owns Cairo's surfaces and what was written.
    private final class Document {
        var bytes = Data()
        var surface: OpaquePointer?
        var context: OpaquePointer?
        var image: OpaquePointer?

        deinit {
            // The surface writes its rest when it is destroyed, while `bytes` is still there.
            cairo_destroy(context)
            cairo_surface_destroy(surface)
            cairo_surface_destroy(image)
        }
    }

    private let document = Document()
    private(set) var missingCharacters = 0

    init(_ paper: FormPaper, title: String, date: String) throws(StudyError) {
        // The document owns the surface, so it outlives every call of this closure.
        let surface = cairo_pdf_surface_create_for_stream(
            { closure, bytes, count in
                guard let closure, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
                Unmanaged<Document>.fromOpaque(closure).takeUnretainedValue().bytes.append(
                    bytes,
                    count: Int(count)
                )
                return CAIRO_STATUS_SUCCESS
            },
            Unmanaged.passUnretained(document).toOpaque(),
            paper.width,
            paper.height
        )
        document.surface = surface
        document.context = cairo_create(surface)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date)
        try check()
    }

    private func check() throws(StudyError) {
        let status = cairo_status(document.context)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw .formUnavailable(reason: String(cString: cairo_status_to_string(status)))
        }
    }

    mutating func lines(_ text: String, _ style: FormStyle, width: Double, isSingle: Bool)
        throws(StudyError) -> [Line]
    {
        guard let pointer = pango_cairo_create_layout(document.context) else {
            throw .formUnavailable(reason: "there is no memory")
        }
        let layout = Layout(pointer)
        let font = pango_font_description_from_string("sans-serif")
        defer { pango_font_description_free(font) }
        pango_font_description_set_absolute_size(font, style.size * Double(PANGO_SCALE))
        if style.isBold { pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD) }
        pango_layout_set_font_description(pointer, font)
        pango_layout_set_width(pointer, Int32(width * Double(PANGO_SCALE)))
        pango_layout_set_wrap(pointer, PANGO_WRAP_WORD_CHAR)
        if isSingle {
            pango_layout_set_single_paragraph_mode(pointer, 1)
            pango_layout_set_ellipsize(pointer, PANGO_ELLIPSIZE_END)
        }
        // With its length, so that a NUL is no end.
        pango_layout_set_text(pointer, text, Int32(text.utf8.count))
        missingCharacters += Int(pango_layout_get_unknown_glyphs_count(pointer))
        var lines: [Line] = []
        let iterator = pango_layout_get_iter(pointer)
        defer { pango_layout_iter_free(iterator) }
        repeat {
            var extents = PangoRectangle()
            pango_layout_iter_get_line_extents(iterator, nil, &extents)
            func points(_ units: Int32) -> Double { Double(units) / Double(PANGO_SCALE) }
            lines.append(
                Line(
                    layout: layout,
                    index: Int32(lines.count),
                    x: points(extents.x),
                    baseline: points(pango_layout_iter_get_baseline(iterator) - extents.y),
                    height: points(extents.height),
                    width: points(extents.width)
                )
            )
        } while pango_layout_iter_next_line(iterator) != 0
        return lines
    }

    func draw(_ line: Line, x: Double, y: Double) {
        cairo_move_to(document.context, x + line.x, y + line.baseline)
        pango_cairo_show_layout_line(
            document.context,
            pango_layout_get_line_readonly(line.layout.pointer, line.index)
        )
    }

    mutating func imageSize(_ png: Data) throws(StudyError) -> (width: Double, height: Double) {
        if let problem = SignatureImage.problem(png) { throw .badSignature(problem) }
        final class Reader {
            var rest: Data
            init(_ data: Data) { rest = data }
        }
        let reader = Reader(png)
        // The reader lives until after the call, which reads everything.
        let image = withExtendedLifetime(reader) {
            cairo_image_surface_create_from_png_stream(
                { closure, bytes, count in
                    guard let closure, let bytes else { return CAIRO_STATUS_READ_ERROR }
                    let reader = Unmanaged<Reader>.fromOpaque(closure).takeUnretainedValue()
                    guard reader.rest.count >= Int(count) else { return CAIRO_STATUS_READ_ERROR }
                    reader.rest.copyBytes(to: bytes, count: Int(count))
                    reader.rest = reader.rest.dropFirst(Int(count))
                    return CAIRO_STATUS_SUCCESS
                },
                Unmanaged.passUnretained(reader).toOpaque()
            )
        }
        cairo_surface_destroy(document.image)
        document.image = image
        let status = cairo_surface_status(image)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw .badSignature(String(cString: cairo_status_to_string(status)))
        }
        return (
            Double(cairo_image_surface_get_width(image)), Double(cairo_image_surface_get_height(image))
        )
    }

    func drawImage(x: Double, y: Double, width: Double, height: Double) throws(StudyError) {
        let context = document.context
        cairo_save(context)
        cairo_translate(context, x, y)
        cairo_scale(
            context,
            width / Double(cairo_image_surface_get_width(document.image)),
            height / Double(cairo_image_surface_get_height(document.image))
        )
        cairo_set_source_surface(context, document.image, 0, 0)
        cairo_paint(context)
        cairo_restore(context)
        try check()
    }

    func beginPage() {}

    func endPage() { cairo_show_page(document.context) }

    /// The file. Nothing can be drawn afterwards.
    func finish() throws(StudyError) -> Data {
        try check()
        cairo_surface_finish(document.surface)
        let status = cairo_surface_status(document.surface)
        guard status == CAIRO_STATUS_SUCCESS else {
            throw .formUnavailable(reason: String(cString: cairo_status_to_string(status)))
        }
        return document.bytes
    }
}
#endif

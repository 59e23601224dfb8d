/// The files that all pages refer to.
package enum PageAssets {
    /// The style sheet or the icon; nil for other names.
    package static func response(_ name: String) -> Response? {
        switch name {
        case "style.css": file(StyleSheet.text, type: "text/css; charset=utf-8")
        case "favicon.ico": file(StyleSheet.icon, type: "image/svg+xml")
        default: nil
        }
    }

    /// A text that browsers may keep for ten minutes.
    package static func file(_ text: String, type: String) -> Response {
        Response(type: type, text: text).adding("Cache-Control", "max-age=600").adding("X-Content-Type-Options", "nosniff")
    }
}

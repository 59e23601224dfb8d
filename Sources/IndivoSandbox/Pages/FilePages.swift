/// The files that pages refer to.
enum FilePages {
    static let pages: [Page] = [
        .get("/style.css", needsLogin: false) { _ in
            Response(type: "text/css; charset=utf-8", text: StyleSheet.text).adding("Cache-Control", "max-age=600")
        },
        .get("/favicon.ico", needsLogin: false) { _ in
            Response(type: "image/svg+xml", text: StyleSheet.icon).adding("Cache-Control", "max-age=600")
        },
    ]
}

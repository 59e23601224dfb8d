/// The files that pages refer to.
enum FilePages {
    static let pages: [Page] = [
        .get("/style.css", needsLogin: false) { _ in try PageAssets.response("style.css").orNotFound() },
        .get("/favicon.ico", needsLogin: false) { _ in try PageAssets.response("favicon.ico").orNotFound() },
    ]
}

import Foundation
import StudyFormats
import WebServing

/// What a study publishes to its phones: its readers check who signed it, and nobody logs in for it.
extension ReceiverService {
    /// The signed list.
    func contentsList(_ request: Request) -> Response {
        published(request, type: "application/jwt", caching: "no-cache") { folder in
            folder.list().map { ($0, StudyContents.digest(of: $0)) }
        }
    }

    /// A file by its digest, which never changes.
    func contentsFile(_ request: Request, _ digest: String) -> Response {
        published(request, type: "application/json", caching: "public, max-age=31536000, immutable") {
            folder in folder.file(digest).map { ($0, digest) }
        }
    }

    private func published(
        _ request: Request,
        type: String,
        caching: String,
        _ content: (StudyContentsFolder) -> (data: Data, digest: String)?
    ) -> Response {
        guard request.method == "GET" || request.method == "HEAD" else {
            return ReceiverResponse.notAllowed("GET, HEAD")
        }
        if let seconds = limiter.take(of: "address \(client(of: request))") {
            return ReceiverResponse.tooMany(seconds)
        }
        guard let folder = configuration.contents, let content = content(StudyContentsFolder(folder)) else {
            return ReceiverResponse.error(404, "not_found", "The study publishes no such thing")
        }
        let tag = "\"\(content.digest)\""
        let isKnown = Self.tags(request.header("If-None-Match") ?? "").contains { $0 == tag || $0 == "*" }
        let response = isKnown ? Response(status: 304) : Response(type: type, body: content.data)
        return response.adding("ETag", tag).adding("Cache-Control", caching)
    }

    /// The tags of `If-None-Match`, compared weakly (RFC 9110, section 13.1.2).
    private static func tags(_ field: String) -> [String] {
        field.split(separator: ",").map { tag in
            let tag = tag.trimmingCharacters(in: .whitespaces)
            return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
        }
    }
}

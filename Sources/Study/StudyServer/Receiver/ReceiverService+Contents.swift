import Foundation
import StudyFormats
import WebServing

/// What a study publishes to its phones: its readers check who signed it, and nobody logs in for it.
extension ReceiverService {
    private static let maximumKeyList = 4 << 20

    /// The signed list of keys.
    func keyList(_ request: Request) -> Response {
        list(request, missing: "The study publishes no list of keys") {
            guard let file = configuration.keyList,
                let data = FileManager.default.contents(atPath: file.filePath),
                data.count <= Self.maximumKeyList
            else { return nil }
            return data
        }
    }

    /// The signed list of contents.
    func contentsList(_ request: Request) -> Response {
        list(request, missing: "The study publishes no such thing") { contentsFolder?.list() }
    }

    /// A file by its digest, which never changes.
    func contentsFile(_ request: Request, _ digest: String) -> Response {
        published(
            request,
            type: "application/json",
            caching: "public, max-age=31536000, immutable",
            missing: "The study publishes no such thing"
        ) { contentsFolder?.file(digest).map { ($0, digest) } }
    }

    /// Until when phones take the list of contents.
    var contentsMetric: String {
        guard let contents = try? contentsFolder?.contents() else { return "" }
        return MetricsText.metric(
            "contents_expires_timestamp_seconds",
            .gauge,
            "Until when phones take the list of contents.",
            contents.expires.seconds
        )
    }

    private var contentsFolder: StudyContentsFolder? { configuration.contents.map(StudyContentsFolder.init) }

    private func list(_ request: Request, missing: String, _ list: () -> Data?) -> Response {
        published(request, type: "application/jwt", caching: "no-cache", missing: missing) {
            list().map { ($0, StudyContents.digest(of: $0)) }
        }
    }

    private func published(
        _ request: Request,
        type: String,
        caching: String,
        missing: String,
        _ content: () -> (data: Data, digest: String)?
    ) -> Response {
        // A phone fetches up to 500 files at once, and many phones may share an address.
        if let seconds = limiter.take(0.1, of: "published \(client(of: request))") {
            return ReceiverResponse.tooMany(seconds)
        }
        guard let content = content() else {
            logger.notice("what phones ask for is not there, or cannot be read")
            return ReceiverResponse.error(404, "not_found", missing)
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

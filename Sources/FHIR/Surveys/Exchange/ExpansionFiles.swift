import FHIR
import Foundation
import IndivoBase
import OrderedJSON

/// Expansions in a folder, one file each, bounded in number and bytes: the oldest are removed first.
///
/// What cannot be read or written is asked for again.
struct ExpansionFiles: Sendable {
    /// Larger expansions are not kept.
    private static let maximumFileBytes = 8 << 20

    let folder: URL
    /// In seconds.
    let maximumAge: Double
    var maximumFiles = 500
    var maximumBytes = 64 << 20

    private func file(_ key: String) -> URL {
        folder.appending(path: SHA256Sum.hex(Array(key.utf8)) + ".json")
    }

    /// What was kept of a key, and when, in seconds since 1970.
    func expansion(_ key: String, now: Double) -> (valueSet: ValueSet, at: Double)? {
        guard let data = try? PrivateFile(file(key).path).read(), let json = try? JSONValue(parsing: data),
            json.member("key")?.isString(equalTo: key) == true, let at = json.member("at")?.double,
            now - at >= 0, now - at <= maximumAge,
            let valueSet = json.member("valueSet").flatMap({ ValueSet(tree: $0) })
        else { return nil }
        return (valueSet, at)
    }

    func keep(_ valueSet: ValueSet, _ key: String, now: Double) {
        let json: JSONValue = [
            "key": JSONValue(key), "at": JSONValue(Int(now)), "valueSet": valueSet.tree,
        ]
        let data = Data(json.utf8())
        guard data.count <= Self.maximumFileBytes else { return }
        try? FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try? PrivateFile(file(key).path).replace(with: data)
        prune(but: file(key).lastPathComponent)
    }

    /// Removes the oldest files of those that are too many.
    private func prune(but newest: String) {
        let keys: Set<URLResourceKey> = [.contentModificationDateKey, .fileSizeKey]
        let found =
            (try? FileManager.default.contentsOfDirectory(
                at: folder,
                includingPropertiesForKeys: Array(keys)
            )) ?? []
        // Nothing else that may be in the folder is touched.
        let files = found.filter { $0.lastPathComponent.utf8.count == 69 && $0.pathExtension == "json" }
            .filter { $0.lastPathComponent != newest }
            .map { (url: $0, values: try? $0.resourceValues(forKeys: keys)) }
            .sorted {
                $0.values?.contentModificationDate ?? .distantPast
                    > $1.values?.contentModificationDate ?? .distantPast
            }
        var bytes = 0
        for (position, file) in files.enumerated() {
            bytes += file.values?.fileSize ?? 0
            guard position >= maximumFiles - 1 || bytes > maximumBytes else { continue }
            try? FileManager.default.removeItem(at: file.url)
        }
    }
}

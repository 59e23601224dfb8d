import Foundation
import OrderedJSON

/// An archive's information about itself: the member `info.json` of ResearchKit's packages.
public struct ArchiveInfo: Sendable, Hashable {
    /// The study, in reverse order of its domain, as in `org.example.sleep`.
    public var study: String?
    /// What was asked or measured, as in `task_001.step_001`.
    public var item: String?
    /// One run of a task: the same in all archives of the run.
    public var taskRun: String?
    /// When the archive was made.
    public var timestamp: StudyTime?
    /// The files, in their order in the archive.
    public var files: [File]
    public var appName: String?
    /// The app's version.
    public var appVersion: String?
    /// The kind of the device.
    public var phoneInfo: String?

    /// A file of an archive.
    public struct File: Sendable, Hashable {
        /// Its name; no path.
        public var name: String
        /// Its MIME type.
        public var contentType: String?
        /// When its data were last changed.
        public var timestamp: StudyTime?

        /// - Parameter name: A plain name.
        public init(name: String, contentType: String? = nil, timestamp: StudyTime? = nil) {
            self.name = name
            self.contentType = contentType
            self.timestamp = timestamp
        }
    }

    public static let fileName = "info.json"
    static let maximumLength = 4 << 20

    /// The information that an app gives when it makes an archive.
    public init(
        study: String,
        item: String,
        taskRun: UUID? = nil,
        timestamp: StudyTime = .now,
        files: [File] = []
    ) {
        self.study = study
        self.item = item
        self.timestamp = timestamp
        self.files = files
        self.taskRun = taskRun?.uuidString
    }

    /// As JSON, without members for properties that are nil.
    public var json: JSONValue {
        func member(_ name: String, _ value: String?) -> JSONMember? {
            value.map { JSONMember(name: name, value: JSONValue($0)) }
        }
        let files = files.map { file in
            JSONValue(
                members: [
                    member("filename", file.name), member("contentType", file.contentType),
                    member("timestamp", file.timestamp?.description),
                ].compactMap { $0 }
            )
        }
        return JSONValue(
            members: [
                member("study", study), member("item", item), member("taskRun", taskRun),
                member("timestamp", timestamp?.description),
                JSONMember(name: "files", value: JSONValue(files)),
                member("appName", appName), member("appVersion", appVersion), member("phoneInfo", phoneInfo),
            ].compactMap { $0 }
        )
    }

    /// Reads `info.json`. The list of files may be named `items`, as in ResearchKit's first header.
    ///
    /// - Throws: ``StudyError``.
    public init(parsing data: Data) throws {
        guard data.count <= Self.maximumLength else {
            throw StudyError.tooLarge(what: "info.json of \(data.count) bytes", limit: Self.maximumLength)
        }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: data)
        } catch {
            throw StudyError.malformed(format: "info.json", offset: error.location.offset, reason: "\(error)")
        }
        try self.init(json)
    }

    init(_ json: JSONValue) throws(StudyError) {
        guard json.kind == .object else {
            throw .malformed(format: "info.json", reason: "it is not an object")
        }
        study = json["study"]?.string
        item = json["item"]?.string
        taskRun = json["taskRun"]?.string
        appName = json["appName"]?.string
        appVersion = json["appVersion"]?.string
        phoneInfo = json["phoneInfo"]?.string
        // An unreadable timestamp counts as missing: the data are worth more.
        timestamp = json["timestamp"]?.string.flatMap { StudyTime(text: $0) }
        files = []
        for file in (json["files"] ?? json["items"])?.elements ?? [] {
            guard let name = file["filename"]?.string else {
                throw .malformed(format: "info.json", reason: "a file without filename")
            }
            files.append(
                File(
                    name: name,
                    contentType: file["contentType"]?.string,
                    timestamp: file["timestamp"]?.string.flatMap { StudyTime(text: $0) }
                )
            )
        }
    }

    /// The MIME type of a file by its extension, as ResearchKit's AppCore chose it, and a few more.
    public static func contentType(of name: String) -> String {
        let types = [
            "json": "application/json", "csv": "text/csv", "m4a": "audio/mp4", "txt": "text/plain",
            "xml": "application/xml",
            "pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
            "mp4": "video/mp4",
            "mov": "video/quicktime", "zip": "application/zip", "ndjson": "application/x-ndjson",
        ]
        return types[(name as NSString).pathExtension.lowercased()] ?? "application/octet-stream"
    }
}

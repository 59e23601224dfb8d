import FHIR
import Foundation
import OrderedJSON

/// What an export gave: its files (Bulk Data Access IG 2.0, "Response - Complete Status").
public struct BulkManifest: Sendable, Hashable {
    /// A file of resources, one a line.
    public struct File: Sendable, Hashable {
        /// The type of its resources.
        public let type: String
        /// Its address.
        public let url: URL
        /// How many resources it has, where the server says.
        public let count: Int?
    }

    /// When the server took the data together.
    public let transactionTime: FHIRInstant?
    /// Whether the files need the client's token.
    public let requiresAccessToken: Bool
    /// The files of resources.
    public let output: [File]
    /// What was deleted since, as Bundles.
    public let deleted: [File]
    /// What went wrong, as OperationOutcomes.
    public let error: [File]

    /// More than any server makes.
    private static let maximumFiles = 100_000

    /// Reads a manifest; `nil` for what is none.
    init?(_ json: JSONValue) {
        func files(_ name: String) -> [File]? {
            guard let elements = json[name]?.elements else { return json[name] == nil ? [] : nil }
            guard elements.prefix(Self.maximumFiles + 1).count <= Self.maximumFiles else { return nil }
            var files: [File] = []
            for element in elements {
                guard let text = element["url"]?.string, let url = URL(string: text), url.host() != nil else {
                    return nil
                }
                files.append(
                    File(type: element["type"]?.string ?? "", url: url, count: element["count"]?.integer)
                )
            }
            return files
        }
        guard let output = files("output"), json["output"] != nil, let deleted = files("deleted"),
            let error = files("error")
        else { return nil }
        transactionTime = json["transactionTime"]?.string.flatMap { FHIRInstant(text: $0) }
        // Without it, the token is not sent elsewhere, and is sent here.
        requiresAccessToken = json["requiresAccessToken"]?.boolean ?? true
        self.output = output
        self.deleted = deleted
        self.error = error
    }
}

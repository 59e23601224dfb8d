import FHIR
import HTTPTypes
import IndivoBase

/// What of a server's data is to be exported (Bulk Data Access IG 2.0, "Kick-off Request").
///
/// ```swift
/// var request = BulkExportRequest(of: .group("diabetes"))
/// request.types = ["Patient", "Observation"]
/// request.typeFilters = ["Observation?category=laboratory"]
/// let export = try await client.export(request)
/// ```
public struct BulkExportRequest: Sendable, Hashable {
    /// Whose data are exported.
    public enum Level: Sendable, Hashable {
        /// Everything on the server.
        case system
        /// Everything about all patients.
        case patients
        /// Everything about the patients of a group, by its id.
        case group(String)
    }

    /// Whose data are exported.
    public var level: Level
    /// The types of resources (`_type`); empty for all.
    public var types: [String] = []
    /// Only what changed since then (`_since`).
    public var since: FHIRInstant?
    /// Searches that the resources match, as in `Observation?category=laboratory` (`_typeFilter`).
    public var typeFilters: [String] = []
    /// The elements to export, as in `Patient.name` (`_elements`); empty for all.
    public var elements: [String] = []

    /// An export of everything at a level.
    public init(of level: Level = .system) { self.level = level }

    /// - Throws: ``FHIRClientError`` for a type or an id that cannot be one.
    var request: FHIRRequest {
        get throws(FHIRClientError) {
            var path: [String] = []
            switch level {
            case .system: break
            case .patients: path = ["Patient"]
            case .group(let id): path = ["Group", try FHIRRequest.checked(id: id, "$export")]
            }
            var query: FormParameters = ["_outputFormat": "application/fhir+ndjson"]
            if !types.isEmpty {
                for type in types { _ = try FHIRRequest.checked(type: type, "$export") }
                query.append(name: "_type", value: types.joined(separator: ","))
            }
            if let since { query.append(name: "_since", value: since.description) }
            for filter in typeFilters { query.append(name: "_typeFilter", value: filter) }
            if !elements.isEmpty { query.append(name: "_elements", value: elements.joined(separator: ",")) }
            // A second one would be another job.
            var request = FHIRRequest("$export", .get, path + ["$export"], query: query, retry: .never)
            request.fields[.prefer] = "respond-async"
            return request
        }
    }
}

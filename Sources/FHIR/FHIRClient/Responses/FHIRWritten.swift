import FHIR
import Foundation
import HTTPTypes

/// What became of a resource that was written.
public struct FHIRWritten<Resource: FHIRResource>: Sendable, CustomStringConvertible {
    /// What a server did.
    public enum Change: Sendable, Hashable {
        /// It stored a new resource (201).
        case created
        /// It stored another version, or found that there is nothing to change (200, after an update or
        /// patch).
        case updated
        /// A stored resource matches the condition of the create; nothing was stored (200, after a create).
        case existing
        /// It accepted the request, and processes it later (202).
        case accepted
    }

    /// What the server did.
    public let change: Change
    /// The logical id.
    public let id: String?
    /// The version that is stored now; what ``FHIRClient/update(_:ifMatch:returning:)`` takes.
    public let versionID: String?
    /// When it was stored, by the server.
    public let lastModified: String?
    /// The resource as it is stored, if the server returned it.
    public let resource: Resource?
    /// What the server says about it, such as warnings, if it returned that.
    public let outcome: OperationOutcome?

    /// What the server did, with type, id and version, never what the resource says: `created Patient/7,
    /// version 1`.
    public var description: String {
        let place = [Resource.typeName, id].compactMap { $0 }.joined(separator: "/")
        return "\(change) \(place)" + (versionID.map { ", version \($0)" } ?? "")
    }

    init(_ reply: FHIRReply) throws(FHIRClientError) {
        let location = ResourceLocation(
            reply.fields[.location] ?? reply.fields[.contentLocation],
            type: reply.request.path.first
        )
        outcome = reply.resource?.as(OperationOutcome.self)
        resource = outcome == nil ? reply.resource?.as(Resource.self) : nil
        guard reply.resource == nil || outcome != nil || resource != nil else {
            throw reply.malformed("it is a resource of another type than \(Resource.typeName)")
        }
        change =
            switch reply.status {
            case 201: .created
            case 202: .accepted
            default: reply.request.method == .post ? .existing : .updated
            }
        id =
            location.id ?? resource?.id
            ?? (reply.request.method == .post ? nil : reply.request.path.dropFirst().first)
        versionID = location.versionID ?? reply.versionID ?? resource?.meta?.versionId
        lastModified = reply.fields[.lastModified]
        if change == .created, id == nil {
            throw reply.malformed("it does not say which id was given: there is no Location")
        }
    }
}

/// A type, id and version at the end of an address, as in `[base]/Patient/7/_history/2`.
struct ResourceLocation: Sendable {
    private(set) var id: String?
    private(set) var versionID: String?

    /// - Parameter type: What the address must be of; else nothing is taken from it.
    init(_ address: String?, type: String?) {
        guard let address else { return }
        var parts = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")[...]
        if parts.count >= 4, parts[parts.endIndex - 2] == "_history" {
            let version = String(parts[parts.endIndex - 1])
            versionID = (try? FHIRRequest.checked(id: version, "")) == nil ? nil : version
            parts = parts.dropLast(2)
        }
        guard parts.count >= 2, let last = parts.last, let kind = parts.dropLast().last,
            kind == type ?? String(kind),
            (try? FHIRRequest.checked(id: String(last), "")) != nil
        else {
            versionID = nil
            return
        }
        id = String(last)
    }
}

import FHIR
import FHIRClient
import RecordCommands

extension FHIRConnectionOptions {
    /// Prints where a resource is stored, and what the server says about it on standard error.
    func report<Resource: FHIRResource>(_ written: FHIRWritten<Resource>, of resource: Resource)
        throws
    {
        for issue in written.outcome?.issue ?? [] { console.note(issue.message) }
        switch written.change {
        case .created: console.note("created")
        case .updated: console.note("updated")
        case .existing: console.note("found, nothing was stored")
        case .accepted: console.note("accepted, to be done later")
        }
        guard let id = written.id else { return }
        let version = written.versionID.map { "/_history/\($0)" } ?? ""
        try StandardStreams.say("\(resource.resourceType ?? "")/\(id)\(version)")
    }
}

extension String {
    /// A query as people type it: a `+` is a plus, and not a space.
    var escapingPlus: String { replacing("+", with: "%2B") }
}

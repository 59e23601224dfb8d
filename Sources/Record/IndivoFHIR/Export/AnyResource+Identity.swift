import FHIR
import OrderedJSON

extension AnyResource {
    /// The same resource with an id, what its document says of it, and an identifier before its own.
    func identified(by address: ResourceAddress, system: FHIRURI?, meta: Meta? = nil) -> AnyResource {
        var members: [JSONMember] = [
            JSONMember(name: "resourceType", value: JSONValue(address.type)),
            JSONMember(name: "id", value: JSONValue(address.id)),
        ]
        if meta != nil || self.meta != nil {
            var both = meta ?? Meta()
            both.profile += self.meta?.profile ?? []
            members.append(JSONMember(name: "meta", value: both.tree))
        }
        if let system {
            let own = Identifier(system: system, value: address.key)
            let others = tree.elements(of: "identifier")
            members.append(JSONMember(name: "identifier", value: JSONValue([own.tree] + others)))
        }
        let rest = (tree.members.map(Array.init) ?? []).filter { member in
            !members.contains { $0.name == member.name }
        }
        return AnyResource(view: JSONValue(members: members + rest))
    }
}

extension FHIRDomainResource {
    /// Puts a resource inside this one.
    /// - Returns: A reference to it.
    mutating func contain(_ inner: some FHIRDomainResource, as id: String) -> String {
        // The id is the first member after the type.
        var members = inner.tree.members.map(Array.init) ?? []
        members.insert(JSONMember(name: "id", value: JSONValue(id)), at: min(1, members.count))
        contained.append(AnyResource(view: JSONValue(members: members)))
        return "#" + id
    }
}

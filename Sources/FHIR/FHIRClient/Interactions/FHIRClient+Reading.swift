import FHIR
import HTTPTypes
import IndivoBase

extension FHIRClient {
    /// The server's capability statement (`capabilities`).
    public func capabilities() async throws -> CapabilityStatement {
        try await send(FHIRRequest("capabilities", .get, ["metadata"], retry: .freely)).the(
            CapabilityStatement.self
        )
    }

    /// A resource as it is stored now (`read`).
    ///
    /// Where its `meta` has no version, the version of the response's `ETag` is set in it.
    /// - Throws: ``FHIRClientError``; `notFound` for an unknown id, `deleted` for a deleted resource.
    public func read<Resource: FHIRResource>(_ type: Resource.Type, id: String) async throws -> Resource {
        try await stored(type, "read", [name(of: type, "read"), FHIRRequest.checked(id: id, "read")])
    }

    /// A resource that a reference refers to (`read`).
    /// - Throws: ``FHIRClientError``; `badArgument` for a reference to another server or to a contained
    ///   resource, or without an address.
    public func read<Resource: FHIRResource>(_ reference: Reference<Resource>) async throws -> Resource {
        guard let target = reference.target, isHere(reference.reference ?? "") else {
            throw FHIRRequest.bad("the reference is not to a resource of this server", "read")
        }
        return try await stored(
            Resource.self,
            "read",
            [FHIRRequest.checked(type: target.type, "read"), FHIRRequest.checked(id: target.id, "read")]
        )
    }

    /// A resource of whatever type (`read`).
    public func read(_ type: String, id: String) async throws -> AnyResource {
        try await stored(
            AnyResource.self,
            "read",
            [FHIRRequest.checked(type: type, "read"), FHIRRequest.checked(id: id, "read")]
        )
    }

    /// A resource, unless it is still the version that is known (`read` with `If-None-Match`).
    /// - Returns: `nil` when it is still that version.
    public func read<Resource: FHIRResource>(
        _ type: Resource.Type,
        id: String,
        ifNot version: String
    ) async throws -> Resource? {
        var request = FHIRRequest(
            "read",
            .get,
            [try name(of: type, "read"), try FHIRRequest.checked(id: id, "read")],
            retry: .freely
        )
        request.fields[.ifNoneMatch] = try tag(version, "read")
        let reply = try await send(request)
        return reply.status == 304 ? nil : try versioned(reply.the(type), reply)
    }

    /// A version of a resource, also one that is not the newest (`vread`).
    public func read<Resource: FHIRResource>(
        _ type: Resource.Type,
        id: String,
        version: String
    ) async throws -> Resource {
        try await stored(
            type,
            "vread",
            [
                name(of: type, "vread"), FHIRRequest.checked(id: id, "vread"), "_history",
                FHIRRequest.checked(id: version, "vread"),
            ]
        )
    }

    /// A version of a resource of whatever type (`vread`).
    public func read(_ type: String, id: String, version: String) async throws -> AnyResource {
        try await stored(
            AnyResource.self,
            "vread",
            [
                FHIRRequest.checked(type: type, "vread"), FHIRRequest.checked(id: id, "vread"), "_history",
                FHIRRequest.checked(id: version, "vread"),
            ]
        )
    }

    private func stored<Resource: FHIRResource>(
        _ type: Resource.Type,
        _ interaction: String,
        _ path: @autoclosure () throws -> [String]
    ) async throws -> Resource {
        let reply = try await send(FHIRRequest(interaction, .get, try path(), retry: .freely))
        guard reply.status != 304 else { throw reply.malformed("it is 304, and no version was asked about") }
        return try versioned(reply.the(type), reply)
    }

    private func versioned<Resource: FHIRResource>(_ resource: Resource, _ reply: FHIRReply) -> Resource {
        guard resource.meta?.versionId == nil, let version = reply.versionID else { return resource }
        var resource = resource
        var meta = resource.meta ?? Meta()
        meta.versionId = version
        resource.meta = meta
        return resource
    }

    /// Whether a reference is relative, or begins with this server's base.
    private func isHere(_ reference: String) -> Bool {
        guard reference.contains("://") else { return true }
        return address.target(ofLink: reference)?.hasPrefix(address.path + "/") == true
    }

    /// A type's name as a segment.
    func name<Resource: FHIRResource>(of type: Resource.Type, _ interaction: String) throws(FHIRClientError)
        -> String
    {
        guard Resource.self != AnyResource.self else {
            throw FHIRRequest.bad("say which type of resource is meant", interaction)
        }
        return try FHIRRequest.checked(type: Resource.typeName, interaction)
    }

    /// The weak entity tag of a version.
    func tag(_ version: String, _ interaction: String) throws(FHIRClientError) -> String {
        "W/\"\(try FHIRRequest.checked(id: version, interaction))\""
    }

    /// What a URL relative to the base gives: a resource, the first page of a search, or the result of an
    /// operation, as `Patient/7`, `Observation?code=8302-2` or `ValueSet/$expand?url=…` (`read`, `search`).
    ///
    /// - Throws: ``FHIRClientError``, also where the path is not a type, an id or an operation.
    public func get(_ relativeURL: String) async throws -> AnyResource {
        let path = relativeURL.prefix { $0 != "?" }
        var segments: [String] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).map(String.init) {
            if segment.hasPrefix("$") {
                segments.append("$" + (try FHIRRequest.checked(id: String(segment.dropFirst()), "get")))
            } else if segments.isEmpty {
                segments.append(try FHIRRequest.checked(type: segment, "get"))
            } else {
                segments.append(try FHIRRequest.checked(id: segment, "get"))
            }
        }
        let query = FormParameters(decoding: String(relativeURL.dropFirst(path.count + 1)))
        return try await send(FHIRRequest("get", .get, segments, query: query, retry: .freely))
            .the(AnyResource.self)
    }
}

import FHIR
import OrderedJSON

/// An interaction with what it needs: from an HTTP request, or from an entry of a Bundle.
struct SandboxRequest: Sendable {
    /// What a body is.
    enum Body: Sendable {
        case resource(JSONValue)
        case patch(JSONValue)
    }

    /// `Prefer: return=…` (RFC 7240).
    enum Return: String, Sendable {
        case minimal, representation
        case operationOutcome = "OperationOutcome"
    }

    var interaction: Interaction
    var query = QueryItems()
    var body: Body?
    var ifMatch: String?
    var ifNoneMatch: String?
    var ifNoneExist: String?
    var ifModifiedSince: String?
    var returns: Return?
    /// `Prefer: handling=lenient`: a parameter that is not known is overlooked, which the response says.
    var isLenient = false

    /// Whether a resource with errors may be refused.
    var isValidated = true

    /// The resource in the body.
    /// - Throws: ``FHIRFailure`` where the body is not a resource, or is one of another type.
    func resource(of type: String?) throws(FHIRFailure) -> JSONValue {
        guard case .resource(let resource)? = body else { throw .invalid("the body is not a resource") }
        guard let name = resource.resourceType else {
            throw FHIRFailure(400, "structure", "the body has no resourceType")
        }
        guard SearchCatalog.r4.isType(name) else {
            throw FHIRFailure(400, "structure", "R4 has no resource of the body's resourceType")
        }
        guard type == nil || name == type else {
            throw FHIRFailure(400, "invalid", "the body is a \(name), and the address is of another type")
        }
        if let meta = resource.member("meta"), meta.kind != .object {
            throw FHIRFailure(422, "structure", "meta is not an object", at: "\(name).meta")
        }
        return resource
    }
}

/// What an interaction gave.
struct FHIRResponse: Sendable {
    var status = 200
    /// The resource: what was asked for, or what was written.
    var resource: JSONValue?
    /// The version that ETag, Last-Modified and Location are of.
    var version: ResourceVersion?
    /// Whether something was made, or found instead, so that its address is new to the client.
    var hasLocation = false
    /// Whether ``resource`` is what was written, which a client may do without.
    var isWritten = false
    /// For people: what was done.
    var outcome: JSONValue?

    /// The bytes of what was read or written.
    var bytes: Int { version?.content?.count ?? resource?.utf8().count ?? 0 }
}

import FHIR
import FHIRTerminology
import WebServing

/// What a request asks for (FHIR R4, RESTful API).
enum Interaction: Sendable, Hashable {
    case capabilities
    case read(type: String, id: String)
    case vread(type: String, id: String, version: Int)
    case create(type: String)
    case update(type: String, id: String)
    case conditionalUpdate(type: String)
    case patch(type: String, id: String)
    case conditionalPatch(type: String)
    case delete(type: String, id: String)
    case conditionalDelete(type: String)
    case history(type: String?, id: String?)
    case search(type: String)
    case bundle
    case validate(type: String?, id: String?)
    case everything(id: String)
    case terminology(TerminologyOperation, id: String?)

    private enum Kind {
        case capabilities, searchAll, bundle, search, create, history, validate, everything, vread, read
        /// At the address of a type with a condition, at that of a resource without one.
        case update, patch, delete
        case terminology(TerminologyOperation)
    }

    private static let routes = RouteTable<Kind>(
        [
            .get("/", .searchAll), .post("/", .bundle),
            .get("/metadata", .capabilities), .get("/_history", .history), .post("/$validate", .validate),
            .get("/{type}", .search), .post("/{type}", .create),
            .put("/{type}", .update), .patch("/{type}", .patch), .delete("/{type}", .delete),
            .get("/{type}/_search", .search), .post("/{type}/_search", .search),
            .get("/{type}/_history", .history), .post("/{type}/$validate", .validate),
            .get("/{type}/{id}", .read), .put("/{type}/{id}", .update),
            .patch("/{type}/{id}", .patch), .delete("/{type}/{id}", .delete),
            .get("/{type}/{id}/_history", .history), .get("/{type}/{id}/_history/{version}", .vread),
            .get("/{type}/{id}/$validate", .validate), .post("/{type}/{id}/$validate", .validate),
            .get("/Patient/{id}/$everything", .everything), .post("/Patient/{id}/$everything", .everything),
        ] + terminologyRoutes
    )

    /// Those of a type are at `ValueSet/$expand`, those of a resource at `ValueSet/7/$expand`.
    private static let terminologyRoutes = TerminologyOperation.allCases.flatMap { operation in
        let parts = operation.rawValue.split(separator: "/")
        return ["/\(parts[0])/\(parts[1])", "/\(parts[0])/{id}/\(parts[1])"].flatMap { path in
            [RouteTable<Kind>.Route.get(path, .terminology(operation)), .post(path, .terminology(operation))]
        }
    }

    /// Reads a method and the segments of a path below the base.
    ///
    /// - Parameter isConditional: Whether the query is a condition.
    /// - Throws: ``FHIRFailure``: 404 for an address, 405 for a method that is not there.
    init(_ method: String, _ path: [String], isConditional: Bool) throws(FHIRFailure) {
        let isOperation = path.last?.hasPrefix("$") == true
        switch Self.routes.match(method, path) {
        case .found(let kind, let captures):
            try Self.check(captures, isOperation: isOperation)
            self = try Self.make(kind, captures, isConditional: isConditional)
        case .otherMethod(let allowed, let captures):
            try Self.check(captures, isOperation: isOperation)
            throw .methodNotAllowed(allowed)
        case .nothing:
            throw isOperation
                ? .unknownOperation : FHIRFailure(404, "not-supported", "there is nothing at this address")
        }
    }

    private static func check(_ captures: [String: String], isOperation: Bool) throws(FHIRFailure) {
        if let type = captures["type"], !SearchCatalog.r4.isType(type) {
            throw isOperation ? .unknownOperation : .unknownType()
        }
        if let id = captures["id"], !LogicalID.isValid(id) {
            throw id.hasPrefix("$")
                ? .unknownOperation : .invalid("an id has 1 to 64 letters, digits, “-” and “.”")
        }
    }

    private static func make(
        _ kind: Kind,
        _ captures: [String: String],
        isConditional: Bool
    ) throws(FHIRFailure) -> Interaction {
        let type = captures["type"] ?? ""
        let id = captures["id"] ?? ""
        let isOfType = captures["id"] == nil
        switch kind {
        case .capabilities: return .capabilities
        case .bundle: return .bundle
        case .search: return .search(type: type)
        case .history: return .history(type: captures["type"], id: captures["id"])
        case .validate: return .validate(type: captures["type"], id: captures["id"])
        case .everything: return .everything(id: id)
        case .terminology(let operation): return .terminology(operation, id: captures["id"])
        case .read: return .read(type: type, id: id)
        case .vread:
            guard let version = Int(captures["version"] ?? ""), version > 0 else {
                throw .notFound("version")
            }
            return .vread(type: type, id: id, version: version)
        case .searchAll:
            throw FHIRFailure(
                400,
                "not-supported",
                "a search over all types is not supported; search one type"
            )
        case .create:
            guard !isConditional else {
                throw .invalid(
                    """
                    a create has no parameters; If-None-Exist has the condition, \
                    and POST to _search searches
                    """
                )
            }
            return .create(type: type)
        case .update, .patch, .delete:
            guard isOfType == isConditional else {
                throw isOfType
                    ? .methodNotAllowed("GET, HEAD, POST")
                    : .invalid("a condition stands in an address without an id, and this one has both")
            }
            switch kind {
            case .update: return isOfType ? .conditionalUpdate(type: type) : .update(type: type, id: id)
            case .patch: return isOfType ? .conditionalPatch(type: type) : .patch(type: type, id: id)
            default: return isOfType ? .conditionalDelete(type: type) : .delete(type: type, id: id)
            }
        }
    }

    /// Whether it may change something.
    var writes: Bool {
        switch self {
        case .create, .update, .conditionalUpdate, .patch, .conditionalPatch, .delete, .conditionalDelete,
            .bundle:
            true
        case .capabilities, .read, .vread, .history, .search, .validate, .everything, .terminology: false
        }
    }
}

extension FHIRFailure {
    fileprivate static let unknownOperation = FHIRFailure(404, "not-supported", "there is no such operation")
}

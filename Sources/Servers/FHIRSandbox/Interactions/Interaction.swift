import FHIR
import FHIRTerminology

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

    /// Reads a method and the segments of a path below the base.
    ///
    /// - Throws: ``FHIRFailure``: 404 for an address, 405 for a method that is not there.
    init(_ method: String, _ path: [String], isConditional: Bool) throws(FHIRFailure) {
        let method = method == "HEAD" ? "GET" : method
        switch path.count {
        case 0:
            guard method == "POST" else {
                throw method == "GET"
                    ? FHIRFailure(
                        400,
                        "not-supported",
                        "a search over all types is not supported; search one type"
                    )
                    : .methodNotAllowed("POST")
            }
            self = .bundle
        case 1 where path[0] == "metadata":
            guard method == "GET" else { throw .methodNotAllowed("GET") }
            self = .capabilities
        case 1 where path[0] == "_history":
            guard method == "GET" else { throw .methodNotAllowed("GET") }
            self = .history(type: nil, id: nil)
        case 1 where path[0] == "$validate":
            guard method == "POST" else { throw .methodNotAllowed("POST") }
            self = .validate(type: nil, id: nil)
        default:
            self = try Self.ofType(method, path, isConditional: isConditional)
        }
    }

    private static func ofType(
        _ method: String,
        _ path: [String],
        isConditional: Bool
    ) throws(FHIRFailure) -> Interaction {
        let type = path[0]
        guard SearchCatalog.r4.isType(type) else {
            throw path.last?.hasPrefix("$") == true
                ? FHIRFailure(404, "not-supported", "there is no such operation") : .unknownType()
        }
        switch (path.count, path.last ?? "") {
        case (1, _):
            switch method {
            case "GET": return .search(type: type)
            case "POST" where isConditional:
                throw .invalid(
                    """
                    a create has no parameters; If-None-Exist has the condition, \
                    and POST to _search searches
                    """
                )
            case "POST": return .create(type: type)
            case "PUT" where isConditional: return .conditionalUpdate(type: type)
            case "PATCH" where isConditional: return .conditionalPatch(type: type)
            case "DELETE" where isConditional: return .conditionalDelete(type: type)
            default: throw .methodNotAllowed("GET, POST, and with a condition PUT, PATCH and DELETE")
            }
        case (2, "_search"):
            guard method == "POST" || method == "GET" else { throw .methodNotAllowed("GET, POST") }
            return .search(type: type)
        case (2, "_history"):
            guard method == "GET" else { throw .methodNotAllowed("GET") }
            return .history(type: type, id: nil)
        case (2, "$validate"):
            guard method == "POST" else { throw .methodNotAllowed("POST") }
            return .validate(type: type, id: nil)
        case (2, let name):
            guard let operation = TerminologyOperation(rawValue: "\(type)/\(name)") else { break }
            guard method == "GET" || method == "POST" else { throw .methodNotAllowed("GET, POST") }
            return .terminology(operation, id: nil)
        default: break
        }
        let id = path[1]
        guard LogicalID.isValid(id) else {
            throw id.hasPrefix("$")
                ? FHIRFailure(404, "not-supported", "there is no such operation")
                : .invalid("an id has 1 to 64 letters, digits, “-” and “.”")
        }
        switch (path.count, path.last ?? "") {
        case (2, _):
            switch method {
            case "GET": return .read(type: type, id: id)
            case "PUT" where isConditional, "PATCH" where isConditional, "DELETE" where isConditional:
                throw .invalid("a condition stands in an address without an id, and this one has both")
            case "PUT": return .update(type: type, id: id)
            case "PATCH": return .patch(type: type, id: id)
            case "DELETE": return .delete(type: type, id: id)
            default: throw .methodNotAllowed("GET, PUT, PATCH, DELETE")
            }
        case (3, "_history"):
            guard method == "GET" else { throw .methodNotAllowed("GET") }
            return .history(type: type, id: id)
        case (3, "$validate"):
            guard method == "POST" || method == "GET" else { throw .methodNotAllowed("GET, POST") }
            return .validate(type: type, id: id)
        case (3, "$everything") where type == "Patient":
            guard method == "GET" || method == "POST" else { throw .methodNotAllowed("GET, POST") }
            return .everything(id: id)
        case (4, _) where path[2] == "_history":
            guard method == "GET" else { throw .methodNotAllowed("GET") }
            guard let version = Int(path[3]), version > 0 else { throw .notFound("version") }
            return .vread(type: type, id: id, version: version)
        default:
            guard path.count == 3, let operation = TerminologyOperation(rawValue: "\(type)/\(path[2])") else {
                throw FHIRFailure(404, "not-supported", "there is nothing at this address")
            }
            guard method == "GET" || method == "POST" else { throw .methodNotAllowed("GET, POST") }
            return .terminology(operation, id: id)
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

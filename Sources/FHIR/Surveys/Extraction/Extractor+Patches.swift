import FHIR
import FHIRTables
import OrderedJSON

/// Extraction of changes: a template that is a Parameters resource is a FHIRPath Patch, since servers do not
/// store Parameters.
extension Extractor {
    /// Adds the patch of a resource, with those of its operations that have what they need.
    ///
    /// - Parameter request: Its `type` and `resourceId`, or `patchUrl`, name the resource that is changed.
    mutating func addPatch(
        _ parameters: JSONValue,
        _ request: ExtractionPlan.Request,
        order: Int,
        _ scope: Scope
    ) throws(ExtractionStop) {
        var target = try text(of: request["patchUrl"], scope)
        if target == nil, let type = request["type"], let id = try text(of: request["resourceId"], scope) {
            target = "\(type)/\(Self.logicalId(id))"
        }
        let parts = target?.split(separator: "/", omittingEmptySubsequences: false).map(String.init) ?? []
        guard let target, parts.count == 2, LogicalID.isValid(parts[1]),
            Definitions.r4.type(named: parts[0])?.kind == .resource
        else {
            return report(
                .error,
                "noPatchTarget",
                """
                The template is a Parameters, and the resource that it changes is not known; \
                it is not extracted.
                """,
                scope.item
            )
        }
        let operations = parameters.elements(of: "parameter").filter(Self.isComplete)
        // Where nothing is left to change, there is no patch.
        guard !operations.isEmpty else { return }
        var patch = parameters
        patch["id"] = nil
        patch["parameter"] = JSONValue(Array(operations))
        add(
            ExtractionEntry(
                fullURL: try text(of: request["fullUrl"], scope) ?? Self.allocatedPrefix + newIdentifier(),
                resource: patch,
                request: ["method": "PATCH", "url": JSONValue(target)],
                item: scope.item,
                order: order
            )
        )
    }

    /// Whether an operation has a path, and a value where its kind needs one (FHIR R4, FHIRPath Patch).
    private static func isComplete(_ operation: JSONValue) -> Bool {
        let parts = operation.elements(of: "part")
        func value(_ name: String) -> JSONValue? {
            parts.first { $0.member("name")?.isString(equalTo: name) == true }
                .flatMap { $0.valueMember?.value ?? $0.member("part") }
        }
        guard let type = value("type")?.string, value("path") != nil else { return false }
        return !["add", "insert", "replace"].contains(type) || value("value") != nil
    }
}

import FHIRTables
import OrderedJSON

/// `_summary` and `_elements`: which parts of a resource a client wants.
struct ElementSelection {
    var summary = SearchQuery.Summary.false
    var elements: [String] = []

    init(summary: SearchQuery.Summary, elements: [String]) {
        self.summary = summary
        self.elements = elements
    }

    /// Of a read.
    init(_ query: QueryItems) throws(FHIRFailure) {
        if let text = query["_summary"] {
            guard let summary = SearchQuery.Summary(rawValue: text), summary != .count else {
                throw .invalid("_summary of one resource is true, false, text or data")
            }
            self.summary = summary
        }
        elements = (query["_elements"] ?? "").split(separator: ",").map(String.init)
    }

    /// The resource with what is wanted, and, where something is left out, the tag that says so.
    ///
    /// Elements that a resource must have stay; they are of the outermost level.
    func apply(to resource: JSONValue) -> JSONValue {
        guard summary != .false || !elements.isEmpty, let members = resource.members,
            let type = resource.resourceType
        else { return resource }
        let definition = Definitions.r4.type(named: type)
        let kept = members.filter { member in
            let name = member.name.hasPrefix("_") ? String(member.name.dropFirst()) : member.name
            if ["resourceType", "id", "meta"].contains(name) { return true }
            let element = definition?.member(named: name).flatMap { definition?.elements[$0.element] }
            if !elements.isEmpty {
                return elements.contains(element?.name ?? name) || (element?.minimum ?? 0) > 0
            }
            switch summary {
            case .text: return name == "text" || (element?.minimum ?? 0) > 0
            case .data: return name != "text"
            default: return element?.isSummary ?? false
            }
        }
        var selected = JSONValue(members: kept)
        var meta = selected["meta"] ?? [:]
        var tags = meta.elements(of: "tag")
        tags.append([
            "system": "http://terminology.hl7.org/CodeSystem/v3-ObservationValue", "code": "SUBSETTED",
        ])
        meta["tag"] = JSONValue(tags)
        selected["meta"] = meta
        return selected
    }
}

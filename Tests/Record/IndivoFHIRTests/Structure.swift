import FHIR
import FHIRValidation
import OrderedJSON
import Testing

/// What holds of every bundle: it is valid, and hangs together.
enum Structure {
    /// Checks that the bundle is valid FHIR, that references lead somewhere, that addresses and ids are
    /// unique, and that contained resources are used.
    static func check(_ bundle: FHIR.Bundle, sourceLocation: SourceLocation = #_sourceLocation) {
        // The record has its own codes of vital signs: their profiles are not asked for.
        var options = ValidationOptions()
        options.appliesProfiles = false
        let errors = bundle.issues(options).filter(\.isError).map(\.description)
        #expect(errors == [], sourceLocation: sourceLocation)
        // Contained resources have no narrative (FHIR R4, "Contained Resources").
        options.includesBestPractice = true
        let bare = bundle.issues(options).filter {
            $0.rule == "dom-6" && !$0.expression.contains("contained")
        }
        #expect(bare.map(\.description) == [], sourceLocation: sourceLocation)
        let entries = bundle.entry
        let urls = entries.compactMap(\.fullUrl?.rawValue)
        #expect(urls.count == entries.count && Set(urls).count == urls.count, sourceLocation: sourceLocation)
        let ids = entries.compactMap { entry in
            entry.resource.map { "\($0.resourceType ?? "")/\($0.id ?? "")" }
        }
        #expect(Set(ids).count == entries.count, sourceLocation: sourceLocation)
        for id in ids.map({ $0.split(separator: "/")[1] }) {
            #expect(id.wholeMatch(of: /[A-Za-z0-9\-.]{1,64}/) != nil, "\(id)", sourceLocation: sourceLocation)
        }
        for resource in entries.compactMap(\.resource) {
            let references = references(in: resource.tree)
            for reference in references where reference.hasPrefix("urn:") {
                #expect(urls.contains(reference), sourceLocation: sourceLocation)
            }
            let contained = resource.contained.compactMap(\.id).map { "#" + $0 }
            #expect(
                Set(contained) == Set(references.filter { $0.hasPrefix("#") }),
                "\(resource.resourceType ?? "")",
                sourceLocation: sourceLocation
            )
        }
        #expect(
            !hasEmpty(bundle.tree),
            "there is an empty object, array or text",
            sourceLocation: sourceLocation
        )
        let first = bundle.type == .document ? "Composition" : "Patient"
        #expect(entries.first?.resource?.resourceType == first, sourceLocation: sourceLocation)
    }

    private static func references(in value: JSONValue) -> [String] {
        (value.elements ?? []).flatMap { references(in: $0) }
            + (value.members ?? []).flatMap { member in
                member.name == "reference"
                    ? member.value.string.map { [$0] } ?? references(in: member.value)
                    : references(in: member.value)
            }
    }

    private static func hasEmpty(_ value: JSONValue) -> Bool {
        if let elements = value.elements { return elements.isEmpty || elements.contains { hasEmpty($0) } }
        if let members = value.members { return members.isEmpty || members.contains { hasEmpty($0.value) } }
        return value.string?.isEmpty ?? false
    }
}

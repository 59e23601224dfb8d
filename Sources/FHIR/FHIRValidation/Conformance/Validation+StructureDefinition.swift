import FHIR
import FHIRTables
import OrderedJSON

extension Validation {
    private static let structures = "http://hl7.org/fhir/StructureDefinition/"

    /// What holds for StructureDefinitions besides their rules: that the base is known, the elements of the
    /// differential are elements of the type, and that types, profiles and expressions are right.
    mutating func structureDefinition(_ json: ParsedNode) {
        type(of: json)
        let differential = json.member("differential")
        let elements = differential?.member("element")?.list ?? []
        if json.member("derivation")?.isString("constraint") == true {
            let profile = ProfileReader.profile(of: json.value, in: options.definitions, depth: 0)
            for problem in profile.problems {
                let child = problem.element.map { "differential.element[\($0)]" }
                let anchor = problem.element.flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                report(problem.severity, .invalid, problem.text, child: child, at: anchor ?? json)
            }
            if let url = json.member("url")?.string, json.member("type")?.isString("Extension") == true {
                extensionURL(url, json, profile)
            }
        }
        for (index, element) in elements.enumerated() where !isStopped { self.element(element, index) }
    }

    /// Types of others than HL7 have a namespace.
    private mutating func type(of json: ParsedNode) {
        guard let value = json.member("type"), let type = value.string else { return }
        let name = type.hasPrefix(Self.structures) ? String(type.dropFirst(Self.structures.count)) : type
        // The type of HL7's own logical models is the last part of their URL.
        let isOwn = json.member("url")?.string == Self.structures + type
        if Definitions.r4.type(named: name) == nil, !type.contains(":"), !isOwn {
            report(
                .error,
                .invalid,
                "R4 has no type \(LogicalURL.last(type)); types of others are URLs",
                child: "type",
                at: value
            )
        }
    }

    private mutating func extensionURL(_ url: String, _ json: ParsedNode, _ profile: Profile) {
        guard let fixed = profile.fixedURL(of: 0), fixed != url else { return }
        report(
            .error,
            .invalid,
            "the extension fixes another url than its own",
            child: "url",
            at: json.member("url")
        )
    }

    private mutating func element(_ element: ParsedNode, _ index: Int) {
        let child = "differential.element[\(index)]"
        let types = element.member("type")?.list ?? []
        let codes = types.compactMap { $0.member("code")?.string }
        for type in types {
            guard let code = type.member("code")?.string else { continue }
            for (position, profile) in (type.member("profile")?.list ?? []).enumerated() {
                guard let url = profile.string, let known = options.definitions.profile(url),
                    let own = Definitions.r4.type(named: code),
                    let other = Definitions.r4.type(named: known.type)
                else { continue }
                let isRight =
                    other.isA(own) && (own.name == other.name || own.isAbstract || own.kind == .resource)
                if !isRight {
                    report(
                        .error,
                        .invalid,
                        "the profile is for the type \(known.type), and the element has \(code)",
                        child: "\(child).type.profile[\(position)]",
                        at: profile
                    )
                }
            }
        }
        let bound: Set = [
            "code", "Coding", "CodeableConcept", "Quantity", "string", "uri", "url", "canonical", "Age",
            "Duration", "Count",
            "Distance", "Money", "Extension", "Expression", "Identifier",
        ]
        if element.member("binding") != nil, !codes.isEmpty, !codes.contains(where: bound.contains) {
            let list = codes.joined(separator: ", ")
            report(.error, .invalid, "a binding is not for the types \(list)", child: child, at: element)
        }
    }
}

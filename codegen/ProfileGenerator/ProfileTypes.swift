import FHIRGenerator
import FHIRTables
import FHIRValidation

/// The types of the module FHIR, by what they are in R4. Their names begin with the module's.
struct ProfileTypes {
    private static let prefix = "http://hl7.org/fhir/StructureDefinition/"
    let definitions: FHIRDefinitions
    /// The views that are generated, by the URLs of their profiles.
    let views: [String: String]

    /// R4's own view on a type: `FHIR.Observation.Component`; nil where the module has none.
    func view(of type: DefinedType) -> String? {
        guard Definitions.viewed.type(named: type.name) != nil, !type.isAbstract else { return nil }
        let parts = type.name.split(separator: ".").map(String.init)
        return (["FHIR." + Names.type(parts[0])] + parts.dropFirst().map(Names.nested)).joined(separator: ".")
    }

    /// Whether a type is one in the view at a path.
    func isOwnView(_ type: String, of path: String) -> Bool { type.hasPrefix(path + ".") }

    /// The protocol of a view on a type.
    func conformance(of type: DefinedType) -> String {
        let names = Set(type.lineage.map { Definitions.r4.types[$0].name })
        if names.contains("DomainResource") { return "FHIRDomainResource" }
        if names.contains("Resource") { return "FHIRResource" }
        return names.contains("BackboneElement") ? "FHIRBackboneElement" : "FHIRElement"
    }

    /// The Swift type of an element's value.
    func swiftType(
        _ type: ElementType,
        _ element: DefinedElement,
        _ shape: ProfileShape? = nil
    ) -> String {
        if type.code == "code", let binding = element.binding, binding.strength == .required,
            ValueSetTable.enumerated[binding.valueSet] != nil
        {
            return "FHIR." + Names.valueSet(binding.valueSet)
        }
        let defined = Definitions.r4.types[type.id]
        switch defined.kind {
        case .primitive:
            let name = Names.primitives[type.code] ?? "String"
            return name.hasPrefix("FHIR") ? "FHIR." + name : name
        case .resource: return "FHIR.AnyResource"
        case .nested, .datatype, .profile:
            if type.code == "Reference" { return "FHIR.Reference<\(target(of: type, shape))>" }
            return view(of: defined) ?? "FHIR." + Names.type(type.code)
        }
    }

    /// Whether a profile names fewer targets of a reference, so that one view is left.
    func narrowsTarget(_ type: ElementType, _ shape: ProfileShape) -> Bool {
        type.code == "Reference" && target(of: type, shape) != target(of: type, nil)
    }

    private func target(of type: ElementType, _ shape: ProfileShape?) -> String {
        let given = shape?.types.first { $0.code == "Reference" }?.targets ?? []
        let urls = given.isEmpty ? type.targets.map { Self.prefix + $0 } : given
        let targets = Set(urls.map(target))
        return targets.count == 1 ? targets.first ?? "FHIR.AnyResource" : "FHIR.AnyResource"
    }

    private func target(_ url: String) -> String {
        let plain = String(url.prefix { $0 != "|" })
        if let view = views[plain] { return view }
        let name = definitions.profile(plain)?.type ?? String(plain.split(separator: "/").last ?? "")
        return Definitions.r4.type(named: name).flatMap(view) ?? "FHIR.AnyResource"
    }
}

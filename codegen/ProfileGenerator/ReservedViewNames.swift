import FHIRGenerator
import FHIRTables
import SwiftGenerator

/// What views and the types in them cannot be called, because generated views, or who extends them, mean
/// something else by it.
enum ReservedViewNames {
    /// What generated views name without a module before it.
    private static let used: Set<String> = [
        "FHIR", "FHIRBackboneElement", "FHIRChoice", "FHIRDomainResource", "FHIRElement", "FHIRProfile",
        "FHIRProfileElement", "FHIRProfileMember", "FHIRResource", "FHIRURI", "JSONValue", "OrderedJSON",
    ]
    /// What Swift and Foundation have.
    private static let common = ReservedNames.commonTypes.union(["Double", "String"])

    /// What nothing can be called, whoever asks for it.
    static let anywhere = used.union(common)
    /// What a type in a view cannot be called: every view has `Base` and `Members` itself.
    static let nested = anywhere.union(["Base", "Members"])
    /// What a view cannot be called unless somebody asks for it: the other types of the module FHIR, too.
    static let views: Set<String> = {
        var names = anywhere.union(["AnyResource", "AnyValue", "Reference"])
        for type in Definitions.r4.types where type.kind != .nested { names.insert(Names.type(type.name)) }
        for name in ValueSetTable.enumerated.names { names.insert(Names.valueSet(name)) }
        return names
    }()
}

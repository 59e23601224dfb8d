import FHIRGenerator
import FHIRTables
import SwiftGenerator

/// The names of the members of one view, chosen so that none clashes: an element keeps its name; a slice has
/// its own, after its element's where another member has that, and with a number where that is taken, too. A
/// type has the name of its property, with `Element` after it where that means something else.
struct MemberNames {
    /// Members of every view, and what means something else after a point.
    private static let reserved: Set<String> = [
        "base", "description", "extensions", "hash", "hashValue", "init", "issues", "json", "parsing",
        "profile", "resourceType", "self", "setExtensions", "tree", "typeName", "view", "xml", "Type",
        "Protocol",
    ]
    private var properties: Set<String>
    private var types = ReservedViewNames.nested

    init(_ type: DefinedType) { properties = Self.reserved.union(type.elements.map(\.name)) }

    /// The property of a slice.
    mutating func property(ofSlice slice: String, of element: String) -> String {
        let plain = SwiftSpelling.lowerCamel(slice, fallback: element)
        if properties.insert(plain).inserted { return plain }
        return numbered(element + SwiftSpelling.upperCamel(slice, fallback: "Slice"), &properties)
    }

    /// The property of a choice's type: `valueQuantity`.
    mutating func property(ofChoice element: String, _ suffix: String) -> String {
        numbered(element + suffix, &properties)
    }

    /// The type in the view that a property has.
    ///
    /// - Parameter views: The names of views, which a type in a view would hide.
    mutating func type(of property: String, beside views: Set<String>) -> String {
        types.formUnion(views)
        let name = Names.capitalized(property)
        return numbered(types.contains(name) && !name.isEmpty ? name + "Element" : name, &types)
    }

    private func numbered(_ name: String, _ taken: inout Set<String>) -> String {
        var number = 1
        var choice = name
        while !taken.insert(choice).inserted {
            number += 1
            choice = "\(name)\(number)"
        }
        return choice
    }
}

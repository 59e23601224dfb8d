#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif

/// The attribute defaults that a document's own DTD declares.
///
/// libxml2 gives an element its defaults before it reports the tag, and compares each with each other attribute and with
/// the namespaces in scope: an empty default costs no byte, but memory and time.
struct AttributeDefaults {
    private struct Count {
        var declared = 0
        var defaults = 0
    }

    /// By the pointer to an element's qualified name in libxml2's dictionary.
    private var counts: [UnsafePointer<UInt8>: Count] = [:]
    /// Whether no element has a default.
    private(set) var isEmpty = true
    /// Whether one of the defaults declares a namespace.
    private(set) var declareNamespaces = false

    /// Counts one more attribute of an element.
    /// - Parameter name: The attribute's name, if it has a default.
    /// - Returns: How many attributes of the element are declared now.
    mutating func declare(element: UnsafePointer<UInt8>, default name: UnsafeBufferPointer<UInt8>?) -> Int {
        counts[element, default: Count()].declared += 1
        if let name {
            counts[element, default: Count()].defaults += 1
            isEmpty = false
            if name.starts(with: "xmlns".utf8), name.count == 5 || name[5] == UInt8(ascii: ":") {
                declareNamespaces = true
            }
        }
        return counts[element]?.declared ?? 0
    }

    func count(of element: UnsafePointer<UInt8>) -> Int { counts[element]?.defaults ?? 0 }
}

extension ParseState {
    /// What a default counts beside its bytes: an attribute's memory.
    private static let defaultCost = 16
    /// How many comparisons count as one byte.
    private static let comparisonsPerByte = 64

    /// Counts an attribute that the DTD declares.
    /// - Returns: Whether parsing may continue.
    mutating func declareAttribute(
        _ name: UnsafePointer<UInt8>, of element: UnsafePointer<UInt8>, hasDefault: Bool
    ) -> Bool {
        let name = UnsafeBufferPointer(start: name, count: length(name))
        // libxml2 takes `a:b:c` or `:`.
        if hasDefault, !NameRules.isQualifiedName(name) {
            fail(.syntax, "the DTD gives a default to \"\(name.string.prefix(40))\", which is not a name")
        }
        if defaults.declare(element: element, default: hasDefault ? name : nil) > limits.attributes {
            fail(
                .limit(.attributes),
                "the DTD declares more than \(limits.attributes) attributes of an element (limits.attributes)")
        }
        return !hasFailed
    }

    /// Counts what the defaults of an element took, whether or not it has attributes of its own in their stead.
    mutating func chargeDefaults(
        local: UnsafePointer<UInt8>, prefix: UnsafePointer<UInt8>?, attributes: Int, namespaces: Int
    ) {
        guard let context, let name = xmlDictQLookup(context.pointee.dict, prefix, local) else { return }
        let count = defaults.count(of: name)
        guard count > 0 else { return }
        let comparisons = count * (count + attributes + namespaces)
        charge(count * ParseState.defaultCost + comparisons / ParseState.comparisonsPerByte)
    }
}

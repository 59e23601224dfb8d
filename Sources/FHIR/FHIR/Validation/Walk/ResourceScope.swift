import Foundation
import OrderedJSON

/// The resource that is being validated, and what references in it can be to.
struct ResourceScope {
    /// The resource itself, or the one that contains it.
    let root: ParsedNode?
    let local: LocalReferences
    /// The Bundle that the resource is an entry of.
    let bundle: BundleScope?
    /// Of a contained resource its index; `nil` for others.
    let containedIndex: Int?
}

/// The contained resources of a resource, and which of them are referred to.
final class LocalReferences {
    private struct Contained {
        let id: String?
        let type: String?
        var isUsed = false
    }

    private var resources: [Contained] = []

    init(_ root: ParsedNode?) {
        for resource in root?.member("contained")?.list ?? [] {
            resources.append(Contained(id: resource.member("id")?.string, type: resource.resourceType))
        }
    }

    /// Marks the resource with an id as referred to.
    ///
    /// - Returns: Its type; `nil` when there is none with the id.
    func use(_ id: some StringProtocol) -> (type: String?, isFound: Bool) {
        var result: (type: String?, isFound: Bool) = (nil, false)
        for index in resources.indices
        where resources[index].id.map({ $0.utf8.elementsEqual(id.utf8) }) == true {
            resources[index].isUsed = true
            result = (resources[index].type, true)
        }
        return result
    }

    /// Marks a contained resource that refers to what contains it.
    func useContainer(from index: Int) {
        if resources.indices.contains(index) { resources[index].isUsed = true }
    }

    /// The indices of contained resources that nothing refers to.
    var unused: [Int] { resources.indices.filter { !resources[$0].isUsed } }
}

/// A Bundle, and the types of its resources by full URL.
final class BundleScope {
    let type: String?
    private let json: ParsedNode
    private lazy var resourcesByURL: [NodeText: ParsedNode] = {
        var resources: [NodeText: ParsedNode] = [:]
        for entry in json.member("entry")?.list ?? [] {
            guard let url = entry.member("fullUrl"), url.kind == .string,
                let resource = entry.member("resource")
            else {
                continue
            }
            resources[NodeText(url)] = resource
        }
        return resources
    }()

    init(_ json: ParsedNode) {
        self.json = json
        type = json.member("type")?.string
    }

    /// The type of the resource with a full URL.
    func resourceType(at url: ParsedNode) -> String? { resourcesByURL[NodeText(url)]?.resourceType }
}

/// A string as a key: compared by its bytes of UTF-8, and not copied.
struct NodeText: Hashable {
    private let node: ParsedNode

    init(_ node: ParsedNode) { self.node = node }

    static func == (a: Self, b: Self) -> Bool {
        a.node.withUTF8 { a in
            b.node.withUTF8 { b in
                guard a.count == b.count, let start = a.baseAddress, let other = b.baseAddress else {
                    return a.isEmpty && b.isEmpty
                }
                return memcmp(start, other, a.count) == 0
            } ?? false
        } ?? false
    }

    func hash(into hasher: inout Hasher) {
        _ = node.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

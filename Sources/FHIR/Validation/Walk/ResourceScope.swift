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
        for index in resources.indices where resources[index].id.map({ $0.utf8.elementsEqual(id.utf8) }) == true {
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
    private lazy var typesByURL: [String: String] = {
        var types: [String: String] = [:]
        for entry in json.member("entry")?.list ?? [] {
            guard let url = entry.member("fullUrl")?.string, let type = entry.member("resource")?.resourceType else {
                continue
            }
            types[url] = type
        }
        return types
    }()

    init(_ json: ParsedNode) {
        self.json = json
        type = json.member("type")?.string
    }

    /// The type of the resource with a full URL.
    func resourceType(at url: String) -> String? { typesByURL[url] }
}

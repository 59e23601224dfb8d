import FHIR
import FHIRTables
import Foundation
import OrderedJSON

/// The resource that is being validated, and what references in it can be to.
struct ResourceScope {
    /// The resource itself, or the one that contains it.
    var root: ParsedNode?
    var local: LocalReferences
    /// The Bundle that the resource is an entry of.
    var bundle: BundleScope?
    /// Of a contained resource its index; `nil` for others.
    var containedIndex: Int?
    /// The type of the resource.
    var name = ""
    /// How many elements are on the way to the resource.
    var depth = 0
    /// The full URL of the entry of the Bundle that the resource is in.
    var entryURL: String?

    /// The scope of another resource of the same Bundle.
    func entering(_ resource: ParsedNode) -> ResourceScope {
        var scope = self
        scope.root = resource
        scope.local = LocalReferences(resource)
        scope.containedIndex = nil
        scope.name = resource.resourceType ?? ""
        scope.entryURL = bundle?.fullURL(of: resource)
        return scope
    }
}

/// The contained resources of a resource, and which of them are referred to.
final class LocalReferences {
    private struct Contained {
        let id: String?
        let type: String?
        var isUsed = false
    }

    private var resources: [Contained] = []
    /// The ids of the elements of the resource that were met.
    var elementIDs: Set<String> = []

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

/// A Bundle, and what references in it are to (FHIR R4, “Resolving references in Bundles”).
final class BundleScope {
    struct Entry {
        let url: String?
        let resource: ParsedNode
        /// `Patient/7`, by the resource itself; nil without an id.
        let name: String?
        let version: String?
    }

    let type: String?
    private let json: ParsedNode
    private var lastRoot: (url: String, root: String?)?
    private(set) lazy var entries: [Entry] = (json.member("entry")?.list ?? []).compactMap { entry in
        guard let resource = entry.member("resource"), let type = resource.resourceType else { return nil }
        let id = resource.member("id")?.string
        return Entry(
            url: entry.member("fullUrl")?.string,
            resource: resource,
            name: id.map { "\(type)/\($0)" },
            version: resource.member("meta")?.member("versionId")?.string
        )
    }
    private lazy var indicesByURL = Dictionary(
        grouping: entries.indices.filter { entries[$0].url != nil },
        by: { entries[$0].url ?? "" }
    )
    private lazy var indicesByVersion = Dictionary(
        grouping: entries.indices.filter { entries[$0].url != nil && entries[$0].version != nil },
        by: { "\(entries[$0].url ?? "") \(entries[$0].version ?? "")" }
    )
    private lazy var indicesByName = Dictionary(
        grouping: entries.indices.filter { entries[$0].name != nil },
        by: { entries[$0].name ?? "" }
    )
    private lazy var indicesByNode = Dictionary(
        entries.indices.map { (entries[$0].resource.identity, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    init(_ json: ParsedNode) {
        self.json = json
        type = json.member("type")?.string
    }

    /// The full URL of the entry that a resource is in.
    func fullURL(of resource: ParsedNode) -> String? {
        indicesByNode[resource.identity].flatMap { entries[$0].url }
    }

    /// The entries with the full URL that a reference means, of several versions the one that it asks for.
    ///
    /// - Parameter base: The full URL of the entry that the reference is in, for relative ones.
    func matches(_ reference: String, from base: String?) -> [Int] {
        let (text, version) = ReferenceText.unversioned(reference)
        var url = text
        if !text.utf8.contains(UInt8(ascii: ":")), let base, let root = knownRoot(of: base) {
            url = root + text
        }
        guard let version else { return indicesByURL[url] ?? [] }
        return indicesByVersion["\(url) \(version)"] ?? []
    }

    /// The entries whose resource has the type and id of a relative reference, whatever their full URLs are.
    func namesakes(_ reference: String) -> [Int] {
        let (text, _) = ReferenceText.unversioned(reference)
        return indicesByName[text] ?? []
    }

    /// The entry whose full URL is `urn:uuid:` and the id of a relative reference.
    func uuid(_ reference: String) -> Int? {
        let bytes = reference.utf8
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        let id = reference[(slash.map { bytes.index(after: $0) } ?? bytes.startIndex)...]
        guard id.utf8.count == 36 else { return nil }
        return indicesByURL["urn:uuid:\(id)"]?.first
    }

    /// The root of the URL that was asked for last, which is that of all references of an entry.
    private func knownRoot(of url: String) -> String? {
        if let last = lastRoot, last.url == url { return last.root }
        let root = Self.root(of: url)
        lastRoot = (url, root)
        return root
    }

    /// `https://server/fhir/` of `https://server/fhir/Patient/7`; nil for another URL.
    static func root(of url: String) -> String? {
        guard url.hasPrefix("http") else { return nil }
        let parts = url.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 5, Definitions.r4.resourceNames.contains(String(parts[parts.count - 2])) else {
            return nil
        }
        return parts.dropLast(2).joined(separator: "/") + "/"
    }

    /// The type of the resource with a full URL.
    func resourceType(at url: ParsedNode) -> String? {
        url.string.flatMap { matches($0, from: nil).first }.flatMap { entries[$0].resource.resourceType }
    }
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

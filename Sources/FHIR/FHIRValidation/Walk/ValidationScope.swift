import FHIR
import FHIRTables
import Foundation
import OrderedJSON

/// The resource that is being validated, and the possible targets of its references.
struct ValidationScope {
    /// The resource itself, or the one that contains it.
    var root: ParsedNode?
    var local: LocalReferences
    /// The Bundle that the resource is an entry of.
    var bundle: BundleScope?
    /// Of a contained resource its index; `nil` for others.
    var containedIndex: Int?
    /// The type of the resource.
    var name = ""
    /// How many elements enclose the resource.
    var depth = 0
    /// The Bundle that ``root`` is an entry of. If the resource is a Bundle, it is the one around it.
    var outerBundle: BundleScope?

    /// The full URL of the entry of the Bundle that the resource is in.
    var entryURL: ParsedNode? { root.flatMap { outerBundle?.fullURL(of: $0) } }

    /// The scope of another resource of the same Bundle.
    func entering(_ resource: ParsedNode) -> ValidationScope {
        var scope = self
        scope.root = resource
        scope.local = LocalReferences(resource)
        scope.containedIndex = nil
        scope.name = resource.resourceType ?? ""
        scope.outerBundle = bundle
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

    var isEmpty: Bool { resources.isEmpty }

    /// The indices of contained resources that nothing refers to.
    var unused: [Int] { resources.indices.filter { !resources[$0].isUsed } }
}

/// A Bundle, and the targets of the references in it (FHIR R4, “Resolving references in Bundles”).
final class BundleScope {
    struct Entry {
        /// The index among all entries.
        let index: Int
        let json: ParsedNode
        let url: ParsedNode?
        let resource: ParsedNode
        let type: ParsedNode

        /// `Patient/7`, by the resource itself; nil without an id.
        var name: String? {
            resource.member("id")?.string.map { "\(type.string ?? "")/\($0)" }
        }
        var version: String? { resource.member("meta")?.member("versionId")?.string }
    }

    let type: String?
    private let json: ParsedNode
    private var lastRoot: (url: Int, root: [UInt8]?)?
    private lazy var content = BundleContent(json)
    /// Those with a resource that names its type.
    var entries: [Entry] { content.entries }
    private lazy var indicesByURL = TextIndex(entries.map(\.url))
    private lazy var indicesByVersion = Dictionary(
        grouping: entries.indices.filter { entries[$0].url != nil && entries[$0].version != nil },
        by: { "\(entries[$0].url?.string ?? "") \(entries[$0].version ?? "")" }
    )
    private lazy var indicesByName = Dictionary(
        grouping: entries.indices.filter { entries[$0].name != nil },
        by: { entries[$0].name ?? "" }
    )

    init(_ json: ParsedNode) {
        self.json = json
        type = json.member("type")?.string
    }

    /// The counts that the rules of Bundles need; `nil` for another object, and if an entry is malformed.
    func counts(of json: ParsedNode) -> BundleContent.Counts? {
        json.identity == self.json.identity && content.isRegular ? content.counts : nil
    }

    /// Whether it is certain that no full URL appears twice.
    var hasDistinctURLs: Bool { content.counts.urls == indicesByURL.count && !indicesByURL.hasRepeats }

    /// The full URL of the entry that a resource is in.
    func fullURL(of resource: ParsedNode) -> ParsedNode? {
        // Nodes are numbered in the order of the text.
        var range = entries.indices
        while let first = range.first {
            let middle = first + range.count / 2
            let identity = entries[middle].resource.identity
            if identity == resource.identity { return entries[middle].url }
            range = identity < resource.identity ? middle + 1..<range.upperBound : first..<middle
        }
        return nil
    }

    /// The entries with the full URL that a reference resolves to; of several versions, the one that it
    /// names.
    ///
    /// - Parameter base: The full URL of the entry that the reference is in, for relative ones.
    func matches(_ reference: ParsedNode, from base: ParsedNode?) -> [Int] {
        reference.withUTF8 { matches($0, from: base) } ?? []
    }

    func matches(_ reference: String, from base: ParsedNode?) -> [Int] {
        var reference = reference
        return reference.withUTF8 { matches($0, from: base) }
    }

    private func matches(_ reference: UnsafeBufferPointer<UInt8>, from base: ParsedNode?) -> [Int] {
        // Few have a version.
        guard ReferenceText.isUnversioned(reference) else {
            let (text, version) = ReferenceText.unversioned(String(decoding: reference, as: UTF8.self))
            let url =
                Array(text.utf8).withUnsafeBufferPointer { absolute($0, from: base) } ?? Array(text.utf8)
            guard let version else { return url.withUnsafeBufferPointer { indicesByURL[$0] } }
            return indicesByVersion["\(String(decoding: url, as: UTF8.self)) \(version)"] ?? []
        }
        guard let url = absolute(reference, from: base) else { return indicesByURL[reference] }
        return url.withUnsafeBufferPointer { indicesByURL[$0] }
    }

    /// The URL that a relative reference means; nil for others, and where that is not known.
    private func absolute(_ text: UnsafeBufferPointer<UInt8>, from base: ParsedNode?) -> [UInt8]? {
        guard let base, !text.contains(UInt8(ascii: ":")), let root = knownRoot(of: base) else { return nil }
        return root + text
    }

    /// The entries whose resource has the type and id of a relative reference, whatever their full URLs are.
    func namesakes(_ reference: String) -> [Int] {
        guard reference.utf8.contains(UInt8(ascii: "/")) else { return [] }
        let (text, _) = ReferenceText.unversioned(reference)
        return indicesByName[text] ?? []
    }

    /// The entry whose full URL is `urn:uuid:` and the id of a relative reference.
    func uuid(_ reference: ParsedNode) -> Int? {
        reference.withUTF8 { text in
            let id = text.suffix(36)
            guard text.count == 36 || text.count > 36 && text[text.count - 37] == UInt8(ascii: "/"),
                !id.contains(UInt8(ascii: "/"))
            else { return nil }
            return (Array("urn:uuid:".utf8) + id).withUnsafeBufferPointer { indicesByURL[$0].first }
        } ?? nil
    }

    /// The root of a URL. The last one is cached, since all references of an entry share it.
    private func knownRoot(of url: ParsedNode) -> [UInt8]? {
        if let last = lastRoot, last.url == url.identity { return last.root }
        let root = url.withUTF8 { url in Self.root(of: url).map { Array(url.prefix($0)) } } ?? nil
        lastRoot = (url.identity, root)
        return root
    }

    /// The length of a URL's root, such as `https://server/fhir/` in `https://server/fhir/Patient/7`; `nil`
    /// for another URL.
    static func root(of url: UnsafeBufferPointer<UInt8>) -> Int? {
        guard url.begins(with: "http"), let parts = ReferenceText.parts(of: url, keepingVersion: true),
            parts.slashCount > 3, parts.isOfResource
        else { return nil }
        return url.count - parts.id.count - 1 - parts.type.count
    }

    /// The type of the resource with a full URL.
    func resourceType(at url: ParsedNode) -> String? {
        matches(url, from: nil).first.flatMap { entries[$0].type.string }
    }
}

/// The entries of a Bundle, read once.
struct BundleContent {
    struct Counts {
        var entries = 0
        var requests = 0
        var responses = 0
        var searches = 0
        var urls = 0
        /// Resources that have a full URL and a version.
        var versions = 0
    }

    private(set) var entries: [BundleScope.Entry] = []
    private(set) var counts = Counts()
    /// Whether all entries are objects, and their members of the types that they should be.
    private(set) var isRegular = true

    init(_ bundle: ParsedNode) {
        guard let list = bundle.member("entry")?.elements else {
            isRegular = false
            return
        }
        for entry in list {
            read(entry)
            counts.entries += 1
        }
    }

    private mutating func read(_ entry: ParsedNode) {
        isRegular = isRegular && entry.kind == .object
        var url: ParsedNode?
        var resource: ParsedNode?
        let before = counts
        for member in entry.members {
            let name = member.nameValue
            let isObject = member.value.kind == .object
            if name.isString("fullUrl") {
                url = member.value
            } else if name.isString("resource") {
                resource = member.value
            } else if name.isString("request") {
                counts.requests += 1
                isRegular = isRegular && isObject
            } else if name.isString("response") {
                counts.responses += 1
                isRegular = isRegular && isObject
            } else if name.isString("search") || name.isString("_search") {
                counts.searches += 1
            }
        }
        // A duplicate member would be counted in place of one that another entry lacks.
        isRegular =
            isRegular && counts.requests - before.requests < 2 && counts.responses - before.responses < 2
        if let url {
            counts.urls += 1
            isRegular = isRegular && url.kind == .string
            if resource?.member("meta")?.member("versionId") != nil { counts.versions += 1 }
        }
        guard let resource, let type = resource.member("resourceType"), type.kind == .string else { return }
        let text = url.flatMap { $0.kind == .string ? $0 : nil }
        let index = counts.entries
        entries.append(.init(index: index, json: entry, url: text, resource: resource, type: type))
    }
}

/// An index of strings, by their UTF-8 bytes.
private struct TextIndex {
    private let nodes: [ParsedNode?]
    /// The first index by hash, and for each index the next one with the same hash.
    private var first: [Int: Int32] = [:]
    private var next: [Int32]
    private(set) var count = 0
    /// Whether a string may be there twice.
    var hasRepeats: Bool { first.count < count }

    init(_ nodes: [ParsedNode?]) {
        self.nodes = nodes
        next = Array(repeating: -1, count: nodes.count)
        first.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated().reversed() {
            guard let hash = node?.withUTF8(Self.hash) else { continue }
            count += 1
            next[index] = first.updateValue(Int32(index), forKey: hash) ?? -1
        }
    }

    subscript(text: UnsafeBufferPointer<UInt8>) -> [Int] {
        var found: [Int] = []
        var index = first[Self.hash(text)] ?? -1
        while index >= 0 {
            if nodes[Int(index)]?.withUTF8({ $0.isSame(as: text) }) == true { found.append(Int(index)) }
            index = next[Int(index)]
        }
        return found
    }

    private static func hash(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(text))
        return hasher.finalize()
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether it has the same bytes.
    fileprivate func isSame(as other: Self) -> Bool {
        guard count == other.count, let start = baseAddress, let otherStart = other.baseAddress else {
            return isEmpty && other.isEmpty
        }
        return memcmp(start, otherStart, count) == 0
    }
}

import FHIR
import FHIRTables
import OrderedJSON
import Synchronization

/// Profiles, extensions, value sets and other definitions by their canonical URLs, for validation.
///
/// ```swift
/// let definitions = FHIRDefinitions()
/// try definitions.add(contentsOf: URL(filePath: "hl7.fhir.us.core-3.1.0.tgz"))
/// var options = ValidationOptions()
/// options.definitions = definitions
/// options.profiles = ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient"]
/// let issues = patient.issues(options)
/// ```
///
/// Those of R4 itself, its extensions and the profiles of vital signs among them, are always there. A
/// resource that is added replaces one with the same URL and version. A definition is read when it is first
/// used.
public final class FHIRDefinitions: Sendable {
    /// A definition: as it was added, or as a line of compiled definitions that nobody has asked for yet.
    enum Source: Sendable {
        case resource(JSONValue)
        case line(CompiledDefinitions, String)

        var json: JSONValue? {
            switch self {
            case .resource(let json): json
            case .line(let compiled, let url): compiled.resource(url)
            }
        }
    }

    private struct State {
        /// By URL; of several versions the greatest is last.
        var sources: [String: [(version: String, source: Source)]] = [:]
        /// What was compiled, with the canonical that it was asked by; nil for what is not known.
        var profiles: [String: Profile?] = [:]
        var codeSystems: [String: KnownCodes?] = [:]
    }

    private let state = Mutex(State())

    /// The definitions of R4 alone.
    public init() {}

    /// Adds a resource with a canonical URL; of a Bundle its entries. What has no URL is left out.
    public func add(_ resource: some FHIRResource) { add(resource.tree) }

    func add(_ json: JSONValue) {
        if json.resourceType == "Bundle" {
            for entry in json.elements(of: "entry") {
                if let resource = entry.member("resource"), resource.resourceType != "Bundle" {
                    add(resource)
                }
            }
        }
        guard let url = json.member("url")?.string, json.resourceType != nil else { return }
        add(.resource(json), url: url, version: json.member("version")?.string ?? "")
    }

    /// The URLs of a resource, or of a Bundle's entries.
    static func urls(in json: JSONValue) -> [String] {
        guard json.resourceType == "Bundle" else {
            return json.member("url")?.string.map { [$0] } ?? []
        }
        return json.elements(of: "entry").compactMap {
            $0.member("resource")?.member("url")?.string
        }
    }

    /// Adds what ``compiled(_:)`` has written.
    ///
    /// - Throws: ``FHIRDefinitionsError/notCompiled(line:)``.
    public func add(compiled text: String) throws(FHIRDefinitionsError) {
        add(try CompiledDefinitions(text))
    }

    func add(_ compiled: CompiledDefinitions) {
        for url in compiled.urls { add(.line(compiled, url), url: url, version: compiled.version(of: url)) }
    }

    private func add(_ source: Source, url: String, version: String) {
        state.withLock { state in
            var all = state.sources[url] ?? []
            all.removeAll { $0.version == version }
            all.append((version, source))
            all.sort { VersionNumber($0.version) < VersionNumber($1.version) }
            state.sources[url] = all
            state.profiles = [:]
            state.codeSystems = [:]
        }
    }

    /// The canonical URLs of what was added, sorted.
    public var urls: [String] { state.withLock { $0.sources.keys.sorted() } }

    /// The profiles of resources that were added: the URL, and the type that each is for.
    public var profiles: [(url: String, type: String)] {
        urls.compactMap { url in
            guard let json = json(canonical: url), json.resourceType == "StructureDefinition",
                json.member("kind")?.isString("resource") ?? true,
                json.member("derivation")?.isString("constraint") == true,
                let type = json.member("type")?.string, Definitions.r4.resourceNames.contains(type)
            else { return nil }
            return (url, type)
        }
    }

    /// The definition with a canonical URL. With `|version` that version, or one that it begins (`4.0` is
    /// `4.0.1`); without, the newest.
    public func resource(canonical: String) -> AnyResource? {
        json(canonical: canonical).map { AnyResource(view: $0) }
    }

    func json(canonical: String) -> JSONValue? {
        let parts = canonical.split(separator: "|", maxSplits: 1)
        guard let url = parts.first.map(String.init) else { return nil }
        let version = parts.count > 1 ? String(parts[1]) : nil
        let source = state.withLock { state -> Source? in
            guard let all = state.sources[url] else { return nil }
            guard let version else { return all.last?.source }
            return (all.last { $0.version == version } ?? all.last { $0.version.hasPrefix(version + ".") })?
                .source
        }
        if let source { return source.json }
        return CompiledDefinitions.r4.resource(url)
    }

    /// Whether a definition was added, and is not only R4's own.
    func isAdded(_ canonical: String) -> Bool {
        let url = String(canonical.prefix { $0 != "|" })
        return state.withLock { $0.sources[url] != nil }
    }

    /// The codes of a code system that was added; nil where it was not.
    func codeSystem(_ url: String) -> KnownCodes? {
        let known = state.withLock { state -> KnownCodes?? in
            if state.sources[url] == nil { return .some(nil) }
            return state.codeSystems[url]
        }
        if let known { return known }
        let codes = json(canonical: url).flatMap(KnownCodes.init)
        state.withLock { $0.codeSystems[url] = .some(codes) }
        return codes
    }

    // MARK: Profiles

    /// The profile with a canonical URL, ready to be applied; nil where it is not known.
    package func profile(_ canonical: String) -> Profile? {
        if let known = state.withLock({ $0.profiles[canonical] }) { return known }
        let profile = ProfileReader.profile(canonical, in: self, depth: 0)
        return state.withLock { state in
            if let known = state.profiles[canonical] { return known }
            state.profiles[canonical] = .some(profile)
            return profile
        }
    }
}

/// The codes of a code system.
struct KnownCodes: Sendable {
    let isSupplement: Bool
    /// Nil unless the definition has all of them.
    let all: Set<String>?

    init?(_ json: JSONValue) {
        guard json.resourceType == "CodeSystem" else { return nil }
        isSupplement = json.member("supplements") != nil
        guard json.member("content")?.isString("complete") == true else {
            all = nil
            return
        }
        let isExact = json.member("caseSensitive")?.boolean != false
        var codes: Set<String> = []
        var queue = json.elements(of: "concept")
        while let concept = queue.popLast() {
            if let code = concept.member("code")?.string { codes.insert(code) }
            queue += concept.elements(of: "concept")
        }
        all = isExact && !codes.isEmpty ? codes : nil
    }
}

/// A version as its numbers: 10.0 is after 9.1. What is not a number is compared as text.
struct VersionNumber: Comparable {
    private let parts: [Substring]

    init(_ text: String) { parts = text.split { $0 == "." || $0 == "-" } }

    static func < (a: Self, b: Self) -> Bool {
        for (left, right) in zip(a.parts, b.parts) where left != right {
            if let left = Int(left), let right = Int(right) { return left < right }
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        }
        return a.parts.count < b.parts.count
    }
}

/// Why definitions are not read.
public enum FHIRDefinitionsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A file or folder cannot be read.
    case unreadable(path: String, reason: String)
    /// A file is not a resource.
    case notAResource(path: String, reason: String)
    /// A file is not a package: no tar, or no gzip.
    case notAPackage(path: String, reason: String)
    /// More than ``FHIRDefinitionsLimits`` allows.
    case tooLarge(path: String, what: String)
    /// A line is not one that ``FHIRDefinitions/compiled(_:)`` writes.
    case notCompiled(line: Int)

    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): cannot be read: \(reason)"
        case .notAResource(let path, let reason): "\(path): not a resource: \(reason)"
        case .notAPackage(let path, let reason): "\(path): not a package of FHIR: \(reason)"
        case .tooLarge(let path, let what): "\(path): \(what)"
        case .notCompiled(let line): "line \(line) is no compiled definition: a URL, a version and JSON"
        }
    }
}

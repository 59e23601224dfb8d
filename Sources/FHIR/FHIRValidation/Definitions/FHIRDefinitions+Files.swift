import FHIR
import FHIRXML
import Foundation
import OrderedJSON

/// The bounds of what definitions are read from.
public struct FHIRDefinitionsLimits: Sendable, Hashable {
    /// The bytes of one file, unpacked.
    public var fileSize = 64 << 20
    /// The bytes of a package, unpacked.
    public var packageSize = 1 << 30
    /// The files of a folder or package.
    public var files = 100_000

    /// The default limits.
    public init() {}
}

extension FHIRDefinitions {
    /// Adds the definitions of a file: JSON or XML of a resource, compiled definitions (`.txt`), or a package
    /// as FHIR registries give it (`.tgz`), and of a folder all of these. Of a package the packages that it
    /// depends on are added, too, where they are beside it or in the cache of FHIR tools, `~/.fhir/packages`.
    ///
    /// - Returns: What was left out, and why.
    /// - Throws: ``FHIRDefinitionsError``.
    @discardableResult
    public func add(
        contentsOf url: URL,
        limits: FHIRDefinitionsLimits = FHIRDefinitionsLimits()
    ) throws(FHIRDefinitionsError) -> [String] {
        try added(contentsOf: url, limits: limits).remarks
    }

    /// The same.
    ///
    /// - Returns: What was left out, and the URLs of what the file, folder or package itself has, without
    ///   the packages that it depends on.
    package func added(
        contentsOf url: URL,
        limits: FHIRDefinitionsLimits = FHIRDefinitionsLimits()
    ) throws(FHIRDefinitionsError) -> (urls: [String], remarks: [String]) {
        var reader = DefinitionsReader(definitions: self, limits: limits)
        try reader.read(url, isNamed: true)
        return (reader.urls, reader.remarks)
    }
}

/// Reads files into definitions.
private struct DefinitionsReader {
    let definitions: FHIRDefinitions
    let limits: FHIRDefinitionsLimits
    var remarks: [String] = []
    /// The URLs of what was named, without what that depends on.
    private(set) var urls: [String] = []
    private var isDependency = false
    private var packages: Set<String> = []
    private var count = 0

    init(definitions: FHIRDefinitions, limits: FHIRDefinitionsLimits) {
        self.definitions = definitions
        self.limits = limits
    }

    /// - Parameter isNamed: Whether somebody named the file, and not only the folder that it is in.
    mutating func read(_ url: URL, isNamed: Bool) throws(FHIRDefinitionsError) {
        guard url.path.fileExists else {
            throw .unreadable(path: url.path, reason: "there is no such file")
        }
        if url.path.isFolder { return try readFolder(url) }
        switch url.pathExtension {
        case "tgz", "gz": try readPackage(url)
        case "json", "xml", "txt": try add(try data(url), path: url.path, isNamed: isNamed)
        default: if isNamed { try add(try data(url), path: url.path, isNamed: true) }
        }
    }

    private mutating func readFolder(_ url: URL) throws(FHIRDefinitionsError) {
        guard let found = FileManager.default.enumerator(atPath: url.path) else {
            throw .unreadable(path: url.path, reason: "the folder cannot be listed")
        }
        let names = found.compactMap { $0 as? String }.sorted()
        for name in names where ["json", "xml", "tgz"].contains((name as NSString).pathExtension) {
            if (name as NSString).lastPathComponent.hasPrefix(".") { continue }
            try read(url.appending(path: name), isNamed: false)
        }
        // A package that is unpacked.
        let manifest = url.appending(path: "package/package.json")
        if let data = try? Data(contentsOf: manifest) { try readDependencies(of: data, beside: url) }
    }

    private func data(_ url: URL) throws(FHIRDefinitionsError) -> Data {
        let data: Data
        do {
            data = try Data(contentsOf: url, options: .mappedIfSafe)
        } catch {
            throw .unreadable(path: url.path, reason: "\((error as NSError).localizedDescription)")
        }
        guard data.count <= limits.fileSize else {
            throw .tooLarge(path: url.path, what: "the file has more than \(limits.fileSize) bytes")
        }
        return data
    }

    private mutating func add(_ data: Data, path: String, isNamed: Bool) throws(FHIRDefinitionsError) {
        count += 1
        guard count <= limits.files else {
            throw .tooLarge(path: path, what: "there are more than \(limits.files) files")
        }
        if path.hasSuffix(".txt") {
            let compiled = try CompiledDefinitions(String(decoding: data, as: UTF8.self))
            if !isDependency { urls += compiled.urls }
            return definitions.add(compiled)
        }
        do {
            let isXML = data.first { $0 > 0x20 && $0 < 0x80 } == UInt8(ascii: "<")
            let resource = try isXML ? AnyResource(parsingXML: data) : AnyResource(parsing: data)
            if resource.tree.member("url") == nil, resource.resourceType != "Bundle", isNamed {
                remarks.append("\(path): left out, the resource has no canonical URL")
            }
            definitions.add(resource)
            if !isDependency { urls += FHIRDefinitions.urls(in: resource.tree) }
        } catch {
            // Of a folder, what is not a resource is nothing special: a package has its own files.
            guard !isNamed else { throw .notAResource(path: path, reason: "\(error)") }
            if error as? FHIRParsingError != .notAResource { remarks.append("\(path): left out, \(error)") }
        }
    }

    // MARK: Packages

    private mutating func readPackage(_ url: URL) throws(FHIRDefinitionsError) {
        guard packages.insert(url.standardizedFileURL.path).inserted else { return }
        let packed = try data(url)
        let tar: [UInt8]
        do {
            tar = try Gzip.unpack(packed, limit: limits.packageSize)
        } catch {
            throw Self.error(error, url)
        }
        var manifest: Data?
        var entries: [TarEntry] = []
        do {
            entries = try TarEntry.entries(of: tar, limit: limits.files)
        } catch {
            throw Self.error(error, url)
        }
        for entry in entries where entry.name.hasSuffix(".json") {
            // Definitions are in `package`, without examples and what tools keep in other folders.
            guard entry.name.hasPrefix("package/"), !entry.name.dropFirst(8).contains("/") else { continue }
            guard entry.range.count <= limits.fileSize else {
                throw .tooLarge(path: url.path, what: "\(entry.name) has more than \(limits.fileSize) bytes")
            }
            let data = Data(tar[entry.range])
            if entry.name == "package/package.json" {
                manifest = data
            } else if entry.name != "package/.index.json" {
                try add(data, path: "\(url.path): \(entry.name)", isNamed: false)
            }
        }
        guard let manifest else {
            throw .notAPackage(path: url.path, reason: "it has no package/package.json")
        }
        try readDependencies(of: manifest, beside: url.deletingLastPathComponent())
    }

    private static func error(_ error: ArchiveError, _ url: URL) -> FHIRDefinitionsError {
        switch error {
        case .malformed(let reason): .notAPackage(path: url.path, reason: reason)
        case .tooLarge(let what): .tooLarge(path: url.path, what: what)
        }
    }

    private mutating func readDependencies(of manifest: Data, beside folder: URL) throws(FHIRDefinitionsError)
    {
        guard let json = try? JSONValue(parsing: manifest) else { return }
        for dependency in json.member("dependencies")?.members ?? [] {
            let name = dependency.name
            let version = dependency.value.string ?? ""
            // R4's own definitions are always there.
            if name == "hl7.fhir.r4.core" || name.contains("/") || version.contains("/") { continue }
            let cache = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".fhir/packages")
            let places = [
                folder.appending(path: "\(name)-\(version).tgz"),
                folder.appending(path: "\(name)#\(version).tgz"),
                folder.appending(path: "\(name)#\(version)"), cache.appending(path: "\(name)#\(version)"),
            ]
            guard let place = places.first(where: { $0.path.fileExists }) else {
                remarks.append("the package \(name) \(version), which another depends on, is not there")
                continue
            }
            if packages.count < 100, packages.insert("\(name)#\(version)").inserted {
                let wasDependency = isDependency
                isDependency = true
                defer { isDependency = wasDependency }
                try read(place, isNamed: false)
            }
        }
    }
}

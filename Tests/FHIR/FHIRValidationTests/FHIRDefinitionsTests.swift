import FHIR
import Foundation
import OrderedJSON
import TestSupport
import Testing

@testable import FHIRValidation

@Suite("Definitions: versions, files, packages, snapshots")
struct FHIRDefinitionsTests {
    private static let usCore = SharedFHIR.folder.appending(path: "packages/hl7.fhir.us.core-3.1.0.tgz")

    private static func valueSet(_ version: String?) throws -> AnyResource {
        let version = version.map { #","version":"\#($0)""# } ?? ""
        return try AnyResource(
            parsing: #"{"resourceType":"ValueSet","url":"http://e.org/v","status":"draft"\#(version)}"#
        )
    }

    @Test("of several versions the newest, or the one that a canonical names")
    func versions() throws {
        let definitions = FHIRDefinitions()
        for version in ["2.0.0", "10.0.0", "9.1.0", "4.0.1"] { definitions.add(try Self.valueSet(version)) }
        func version(_ canonical: String) -> String? {
            definitions.resource(canonical: canonical)?.tree["version"]?.string
        }
        #expect(version("http://e.org/v") == "10.0.0")
        #expect(version("http://e.org/v|4.0.1") == "4.0.1")
        #expect(version("http://e.org/v|4.0") == "4.0.1")
        #expect(version("http://e.org/v|3") == nil)
        #expect(version("http://e.org/other") == nil)
    }

    @Test("R4's own profiles and extensions are there, and each can be read")
    func ownProfiles() throws {
        #expect(CompiledDefinitions.r4.urls.count > 400)
        for url in CompiledDefinitions.r4.urls {
            let profile = try #require(FHIRDefinitions.r4.profile(url), "\(url)")
            #expect(profile.problems.filter { $0.severity == .error }.isEmpty, "\(url): \(profile.problems)")
        }
    }

    @Test("a package, with its dependency beside it; what is broken is refused")
    func package() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "package"),
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        func pack(_ name: String, _ version: String, _ dependencies: String, _ url: String) throws -> URL {
            let manifest = #"{"name":"\#(name)","version":"\#(version)","dependencies":{\#(dependencies)}}"#
            try Data(manifest.utf8).write(to: folder.appending(path: "package/package.json"))
            let resource = #"{"resourceType":"ValueSet","url":"\#(url)","status":"draft"}"#
            try Data(resource.utf8).write(to: folder.appending(path: "package/ValueSet-v.json"))
            let file = folder.appending(path: "\(name)-\(version).tgz")
            let tar = Process()
            tar.executableURL = URL(filePath: "/usr/bin/env")
            tar.arguments = ["tar", "czf", file.path, "-C", folder.path, "package"]
            try tar.run()
            tar.waitUntilExit()
            #expect(tar.terminationStatus == 0)
            return file
        }
        _ = try pack("b", "2.0.0", "", "http://e.org/b")
        let file = try pack(
            "a",
            "1.0.0",
            #""b":"2.0.0","c":"3.0.0","hl7.fhir.r4.core":"4.0.1""#,
            "http://e.org/a"
        )
        let definitions = FHIRDefinitions()
        let remarks = try definitions.add(contentsOf: file)
        #expect(definitions.urls == ["http://e.org/a", "http://e.org/b"])
        #expect(remarks.count == 1 && remarks[0].contains("c 3.0.0"))

        let data = try Data(contentsOf: file)
        for broken in [data.dropLast(20), Data("no package".utf8), Data()] {
            let place = folder.appending(path: "broken.tgz")
            try broken.write(to: place)
            #expect(throws: FHIRDefinitionsError.self) { try FHIRDefinitions().add(contentsOf: place) }
        }
        var limits = FHIRDefinitionsLimits()
        limits.packageSize = 1_000
        #expect(throws: FHIRDefinitionsError.self) {
            try FHIRDefinitions().add(contentsOf: file, limits: limits)
        }
        #expect(throws: FHIRDefinitionsError.self) {
            try FHIRDefinitions().add(contentsOf: folder.appending(path: "nothing"))
        }
    }

    @Test(
        "compiled definitions find the same as the package",
        .enabled(if: SharedFHIR.exists("packages"), "no ../shared/fhir")
    )
    func compiled() throws {
        let package = FHIRDefinitions()
        try package.add(contentsOf: Self.usCore)
        let text = package.compiled(["StructureDefinition"])
        #expect(text.utf8.count < 300_000)
        let compiled = FHIRDefinitions()
        try compiled.add(compiled: text)
        #expect(compiled.compiled(["StructureDefinition"]) == text)
        let patient = try JSONValue(
            parsing: #"{"resourceType":"Patient","name":[{"given":["x"]}],"gender":"male"}"#
        )
        func issues(_ definitions: FHIRDefinitions) -> [ValidationIssue] {
            var options = ValidationOptions()
            options.definitions = definitions
            options.profiles = ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient"]
            options.validateCode = { _, _, _ in .valid(display: nil) }
            return ValidationIssue.all(of: patient, options)
        }
        #expect(issues(package) == issues(compiled))
        #expect(issues(compiled).contains { $0.isError && $0.text.contains("Patient.identifier") })
        #expect(throws: FHIRDefinitionsError.notCompiled(line: 2)) {
            try FHIRDefinitions().add(compiled: "http://a 1 {}\nhttp://b {}\n")
        }
    }

    @Test(
        "snapshots have the elements, cardinalities and slices of the published ones",
        .enabled(if: SharedFHIR.exists("packages"), "no ../shared/fhir")
    )
    func snapshots() throws {
        let definitions = FHIRDefinitions()
        try definitions.add(contentsOf: Self.usCore)
        var compared = 0
        for (url, _) in definitions.profiles {
            let published = try #require(definitions.resource(canonical: url))
            let expected = (published.tree["snapshot"]?["element"]?.elements ?? []).compactMap(Self.summary)
            guard !expected.isEmpty else { continue }
            let made = try definitions.snapshot(of: published)
            #expect(made.problems.isEmpty, "\(url): \(made.problems)")
            let found = (made.definition.tree["snapshot"]?["element"]?.elements ?? []).compactMap(
                Self.summary
            )
            let missing = Set(expected).subtracting(found)
            #expect(missing.isEmpty, "\(url): \(missing.sorted().prefix(5))")
            compared += expected.count
        }
        #expect(compared > 500)
    }

    private static func summary(_ element: JSONValue) -> String? {
        guard let id = element["id"]?.string, let minimum = element["min"]?.integer,
            let maximum = element["max"]?.string
        else { return nil }
        // A value of one type is sliced here, and in what is published it is not.
        return "\(id.replacing(/:value[A-Z]\w*/, with: "")) \(minimum)..\(maximum)"
    }

    // MARK: Hostile definitions

    private static let patient = try? JSONValue(
        parsing: #"{"resourceType":"Patient","name":[{"text":"x"},{"text":"y"}]}"#
    )

    private func issues(_ definitions: FHIRDefinitions, _ url: String = ProfileTests.url) throws
        -> [ValidationIssue]
    {
        var options = ValidationOptions()
        options.definitions = definitions
        options.profiles = [url]
        options.maximumSteps = 500_000
        return ValidationIssue.all(of: try #require(Self.patient), options)
    }

    @Test("profiles that are derived from each other in a circle end")
    func circle() throws {
        let definitions = FHIRDefinitions()
        let other = "http://example.org/StructureDefinition/q"
        definitions.add(
            try ProfileTests.profile("Patient", base: other, #"{"path":"Patient.name","max":"1"}"#)
        )
        definitions.add(try ProfileTests.profile("Patient", url: other, base: ProfileTests.url, ""))
        #expect(try issues(definitions).contains { $0.isError })
        #expect(throws: SnapshotError.tooDeep) {
            try definitions.snapshot(of: #require(definitions.resource(canonical: other)))
        }
    }

    @Test("a profile whose elements are of the profile itself has no snapshot")
    func endlessSnapshot() throws {
        let definitions = FHIRDefinitions()
        let profile = try ProfileTests.profile(
            "Patient",
            """
            {"path":"Patient.contained","type":[{"code":"Patient","profile":["\(ProfileTests.url)"]}]},
            {"path":"Patient.contained.name","max":"1"}
            """
        )
        definitions.add(profile)
        #expect(throws: SnapshotError.tooDeep) { try definitions.snapshot(of: profile) }
    }

    @Test("a profile whose type has the profile itself ends")
    func selfReference() throws {
        let definitions = FHIRDefinitions()
        definitions.add(
            try ProfileTests.profile(
                "Patient",
                """
                {"path":"Patient.contained","type":[{"code":"Patient","profile":["\(ProfileTests.url)"]}]},
                {"path":"Patient.link.other","type":[{"code":"Reference","targetProfile":["\(ProfileTests.url)"]}]}
                """
            )
        )
        _ = try issues(definitions)
    }

    @Test("a profile of a hundred thousand slices ends with an issue that says so")
    func manySlices() throws {
        let slices = (0..<100_000).map {
            #"{"path":"Patient.name","sliceName":"s\#($0)"},{"path":"Patient.name.text","fixedString":"\#($0)"}"#
        }.joined(separator: ",")
        let definitions = FHIRDefinitions()
        let start =
            #"{"path":"Patient.name","slicing":{"discriminator":[{"type":"value","path":"text"}],"rules":"closed"}}"#
        definitions.add(try ProfileTests.profile("Patient", start + "," + slices))
        let profile = try #require(definitions.profile(ProfileTests.url))
        #expect(profile.problems.contains { $0.text.contains("more than") })
        #expect(try issues(definitions).contains { $0.isError })
    }
}

// swift-tools-version: 6.2
import PackageDescription

// Each trait covers the features named beside it, so that one is enough: with several, SwiftPM compiles
// everything again at random, because it gives them to the compiler in the order of a hashed set.
let traits: [(name: String, covers: Substring, description: String)] = [
    ("Outbox", "Outbox", "Changes without a network (fetches swift-crypto)."),
    ("SMART", "SMART", "SMART App Launch, and keys for SMART backend services (fetches swift-crypto)."),
    ("Study", "Outbox Study", "Delivery to a study, and Outbox (fetches swift-certificates, swift-crypto)."),
    ("ConsentForm", "ConsentForm Outbox Study", "Signed consents as PDF, and Study (Linux: Pango, Cairo)."),
    ("Sandbox", "SMART Sandbox", "Servers to try against (fetches FlyingFox, GRDB and swift-crypto)."),
    ("StudyServer", "Outbox SMART Sandbox Study", "A study's server on SQLite, Study and Sandbox."),
    ("PostgreSQL", "Outbox PostgreSQL SMART Sandbox Study", "A study's server on PostgreSQL (Linux: libpq)."),
    ("Everything", "ConsentForm Outbox PostgreSQL SMART Sandbox Study Tool", "All of these, and the tool."),
]

// Folders, and below each its targets: what a target is built on, and what is special; beside a folder
// what holds for all below it. scripts/lib/check-layout compares all this with what the sources import.
//   tests: …      it has tests, which need these as well, and TestSupport
//   fixtures      the folder Fixtures of its tests is not compiled; nor is what it `excludes: …` of its own
//   if: …         `#if` knows the feature where a trait covers it
//   async         its functions that are `async` run on the caller's actor, and its tests are compiled so
//   internal      it is no product: an app does not import it
//   program: …    it has an entry point, and is the product of that name
// `Crypto/Study` is a dependency where a trait covers the feature Study, `CLibCurl/Linux` on Linux alone.
let table = """
    Sources/System
        CBuildCommit; internal
    Sources/Base
        IndivoBase: Security; internal
        OrderedJSON
        UCUM
        ZipArchive: CZlib IndivoBase; internal
        IndivoXML: libxml2/Linux; tests; fixtures
        HTTPCalls: IndivoBase HTTPTypes CLibCurl/Linux; tests; async
        DurableQueue: IndivoBase Crypto/Outbox; tests; async
    Sources/FHIR
        FHIRTables; internal
        FHIR: IndivoBase OrderedJSON; tests: FHIRValidation
        FHIRXML: FHIR FHIRTables IndivoXML OrderedJSON
    Sources/FHIR: FHIR IndivoBase OrderedJSON; async
        FHIRPathEngine: FHIRTables FHIRXML UCUM; tests: FHIRValidation
        FHIRValidation: CZlib FHIRPathEngine FHIRTables FHIRXML IndivoXML; tests: Surveys
        FHIRClient: HTTPCalls Crypto/SMART CryptoExtras/SMART HTTPTypes Logging; tests: FHIRSandbox; if: SMART
        FHIRTerminology: FHIRClient FHIRPathEngine UCUM; tests: FHIRSandbox; fixtures
        Surveys: FHIRClient FHIRPathEngine FHIRTables FHIRValidation UCUM; tests: FHIRSandbox
        HealthSamples: FHIRClient HealthKit IndivoXML UCUM ZipArchive; tests: FHIRSandbox FHIRValidation
    Sources/Record
        OAuth1: IndivoBase CLibOAuth/Linux; tests; fixtures
        IndivoModel: IndivoBase IndivoXML OrderedJSON; tests; fixtures; internal
    Sources/Record: IndivoBase IndivoModel IndivoXML; async
        Indivo: HTTPCalls OAuth1 HTTPTypes Logging; tests: IndivoSandbox IndivoTesting; fixtures
        IndivoOutbox: DurableQueue Indivo Crypto/Outbox; tests: IndivoCommand IndivoTesting
        IndivoFHIR: FHIR Indivo OrderedJSON UCUM; tests: FHIRSandbox IndivoSandbox
        IndivoSamples: FHIR HealthSamples Indivo IndivoOutbox OrderedJSON UCUM; tests: IndivoSandbox
    Sources/Servers
        WebServing: IndivoBase UCUM FlyingSocks/Sandbox CCrypt/Linux GRDB/Sandbox; tests; internal
    Sources/Servers: IndivoBase OrderedJSON WebServing
        SurveyPages: FHIR FHIRClient Surveys; tests: FHIRSandbox IndivoCommand; async
        FHIRSandbox: FHIR FHIRClient FHIRPathEngine FHIRTables FHIRTerminology FHIRValidation FHIRXML \
            IndivoXML SurveyPages Surveys UCUM GRDB/Sandbox GRDBSQLite/Sandbox Logging; tests: IndivoCommand
        IndivoSandbox: IndivoModel IndivoXML OAuth1 SDML GRDB/Sandbox Logging; tests
    Sources/Study: FHIR HTTPCalls IndivoBase OrderedJSON Crypto/Study CryptoExtras/Study; async
        StudyFormats: ZipArchive SwiftASN1/Study X509/Study CBZip2/Study
        StudyDelivery: DurableQueue StudyFormats HTTPTypes CPangoCairo/ConsentForm; tests: FHIRValidation \
            StudyTesting
    Sources/Study: FHIR IndivoBase OrderedJSON WebServing Crypto/Study GRDB/Sandbox
        StudyWarehouse: CZlib FHIRTables HealthSamples IndivoXML UCUM CLibPQ/PostgreSQL; tests: \
            StudyTesting; fixtures
        StudyServer: DurableQueue FHIRValidation HTTPCalls StudyFormats StudyWarehouse Surveys HTTPTypes \
            Logging; tests: IndivoCommand StudyTesting
    Sources/Tool
        IndivoTesting: Indivo IndivoBase IndivoXML OAuth1 OrderedJSON HTTPTypes; async
        RecordTool: RecordCommands ArgumentParser/Tool; program: indivo-record
    Sources/Tool: Indivo IndivoBase IndivoModel OrderedJSON ArgumentParser/Tool Logging; async
        RecordCommands: CBuildCommit DurableQueue IndivoOutbox IndivoSandbox IndivoXML SDML SwiftGenerator; \
            internal
        IndivoCommand: FHIR FHIRClient FHIRPathEngine FHIRSandbox FHIRTables FHIRTerminology FHIRValidation \
            FHIRXML HTTPCalls HealthSamples IndivoFHIR IndivoSamples ProfileGenerator RecordCommands \
            StudyDelivery StudyServer StudyWarehouse SurveyPages Surveys ZipArchive; tests: IndivoTesting \
            RecordTool StudyTesting; program: indivo
    codegen
        SDML: IndivoBase OrderedJSON
        SwiftGenerator: IndivoBase SDML
        FHIRGenerator: FHIRTables SwiftGenerator
        ProfileGenerator: FHIR FHIRGenerator FHIRTables FHIRValidation OrderedJSON SDML SwiftGenerator
        fhir2swift: FHIRGenerator FHIRTables SwiftGenerator; program
        profile2swift: ProfileGenerator; program: profile2swift
        sdml2swift: SwiftGenerator; program: sdml2swift
    Tests/Base
        BaseTests: IndivoBase OrderedJSON UCUM ZipArchive
    Tests/Codegen
        CodegenTests: FHIRGenerator IndivoModel; excludes: SwiftGenerator/Models SwiftGenerator/Snapshots
        ProfileGeneratorTests: ProfileGenerator; excludes: Profiles
    Tests/Support
        TestSupport: HTTPCalls IndivoBase OrderedJSON HTTPTypes; async
        StudyTesting: StudyWarehouse Crypto/Study CryptoExtras/Study SwiftASN1/Study X509/Study
        StudyLoad: StudyDelivery StudyServer; program
        IndivoSoak: IndivoOutbox IndivoSandbox IndivoTesting StudyDelivery; async; program
    """

// The package of each product, and its versions.
let packages: [(source: String, versions: Range<Version>, products: Substring)] = [
    ("apple/swift-http-types", "1.8.0"..<"2.0.0", "HTTPTypes"),
    ("apple/swift-log", "1.16.0"..<"2.0.0", "Logging"),
    ("apple/swift-crypto", "4.5.0"..<"5.0.0", "Crypto CryptoExtras"),
    ("apple/swift-asn1", "1.5.0"..<"2.0.0", "SwiftASN1"),
    ("apple/swift-certificates", "1.18.0"..<"2.0.0", "X509"),
    ("swhitty/FlyingFox", "0.27.1"..<"0.28.0", "FlyingSocks"),
    ("groue/GRDB.swift", "7.10.0"..<"8.0.0", "GRDB GRDBSQLite"),
    ("apple/swift-argument-parser", "1.8.0"..<"2.0.0", "ArgumentParser"),
]

// C libraries by pkg-config's name (or none), and the Debian package that has them.
let libraries = [
    ("libxml2", "libxml-2.0", "libxml2-dev"), ("CLibOAuth", "oauth", "liboauth-dev"),
    ("CLibCurl", "libcurl", "liboauth-dev"), ("CPangoCairo", "pangocairo", "libpango1.0-dev"),
    ("CLibPQ", "libpq", "libpq-dev"), ("CCrypt", "libcrypt", "libcrypt-dev"),
    ("CBZip2", nil, "libbz2-dev"), ("CZlib", nil, "zlib1g-dev"),
]

// Apple's SDKs have libxml2, CryptoKit, URLSession and Security; on Linux libraries of the system do that.
// With a table of stand-ins for Apple's modules in INDIVO_APPLE_LIKE, Linux compiles what Apple's systems
// compile, against swift-crypto and FoundationNetworking: Tests/AppleLike/apple-like.
let appleLike = Context.environment["INDIVO_APPLE_LIKE"]
let absent = appleLike == nil ? ["HealthKit", "Security"] : ["CLibCurl", "CLibPQ"]
let replaced = appleLike == nil ? [:] : ["CLibOAuth": "Crypto", "CCrypt": "CryptoExtras"]

func words(_ text: Substring) -> [String] { text.split(separator: " ").map(String.init) }

/// What a word of the table stands for; nil where the system has it without a target.
func dependency(_ word: String) -> Target.Dependency? {
    let parts = word.split(separator: "/").map(String.init)
    if absent.contains(parts[0]) { return nil }
    let name = replaced[parts[0], default: parts[0]]
    let condition = parts.count > 1 ? when(parts[1]) : nil
    guard let package = packages.first(where: { words($0.products).contains(name) }) else {
        return .target(name: name, condition: condition)
    }
    let folder = package.source.split(separator: "/")[1]
    return .product(name: name, package: String(folder), condition: condition)
}

func names(ofTraitsCovering feature: String) -> Set<String> {
    Set(traits.filter { words($0.covers).contains(feature) }.map(\.name))
}

/// Holds where a trait covers the feature; on Linux alone where Apple's SDKs have what it needs.
func when(_ feature: String) -> TargetDependencyCondition? {
    if feature == "Linux" { return .when(platforms: [.linux]) }
    let covering = names(ofTraitsCovering: feature)
    guard ["ConsentForm", "Outbox", "PostgreSQL"].contains(feature) else { return .when(traits: covering) }
    return .when(platforms: [.linux], traits: covering)
}

// INDIVO_COMMIT is the commit that exports name as theirs; scripts/install-tool gives it.
let commit = Context.environment["INDIVO_COMMIT"]?.filter(\.isHexDigit)

var products: [(target: String, product: Product)] = []
var targets = libraries.map { name, pkgConfig, package -> Target in
    let path = "Sources/System/\(name)"
    return .systemLibrary(name: name, path: path, pkgConfig: pkgConfig, providers: [.apt([package])])
}
var above = (folder: "", facts: [String: [String]]())
for line in "\(table)\n\(appleLike ?? "")".split(separator: "\n") {
    let parts = line.split(separator: ";").map { $0.split(separator: ":", maxSplits: 1) }
    let name = words(parts[0][0])[0]
    var facts = ["on": parts[0].count > 1 ? words(parts[0][1]) : []]
    for part in parts.dropFirst() { facts[words(part[0])[0]] = part.count > 1 ? words(part[1]) : [] }
    guard line.hasPrefix(" ") else {
        above = (name, facts)
        continue
    }
    facts.merge(above.facts, uniquingKeysWith: +)
    let needed = facts["on", default: []].compactMap(dependency)
    let path = "\(above.folder)/\(name)"
    let target: Target =
        if facts["program"] != nil {
            .executableTarget(name: name, dependencies: needed, path: path)
        } else if name.hasSuffix("Tests") {
            .testTarget(name: name, dependencies: needed + [.target(name: "TestSupport")], path: path)
        } else {
            .target(name: name, dependencies: needed, path: path)
        }
    target.exclude = facts["excludes"] ?? []
    target.linkerSettings = name == "IndivoXML" ? [.linkedLibrary("xml2")] : []
    target.cSettings = name == "CBuildCommit" ? commit.map { [.define("INDIVO_COMMIT", to: $0)] } : []
    target.swiftSettings =
        facts["if", default: []].map { .define($0, .when(traits: names(ofTraitsCovering: $0))) }
        + (facts["async"] == nil ? [] : [.enableUpcomingFeature("NonisolatedNonsendingByDefault")])
    targets.append(target)
    if let programs = facts["program"] {
        products += programs.map { (name, .executable(name: $0, targets: [name])) }
    } else if facts["internal"] == nil, above.folder.hasPrefix("Sources/") || name == "SDML" {
        products.append((name, .library(name: name, targets: [name])))
    }
    if let others = facts["tests"]?.compactMap(dependency) {
        let path = "\(path)Tests".replacing("Sources/", with: "Tests/")
        let needed = needed + others + [.target(name: name), .target(name: "TestSupport")]
        let tests = Target.testTarget(name: "\(name)Tests", dependencies: needed, path: path)
        tests.exclude = facts["fixtures"] == nil ? [] : ["Fixtures"]
        tests.swiftSettings = target.swiftSettings
        targets.append(tests)
    }
}

let writing = PluginPermission.writeToPackageDirectory(reason: "The generated classes are checked in.")
let generating = PluginCommandIntent.custom(verb: "generate-documents", description: "Writes classes.")
for (name, capability, program) in [
    ("SDMLBuildPlugin", Target.PluginCapability.buildTool(), "sdml2swift"),
    ("SDMLGeneratePlugin", .command(intent: generating, permissions: [writing]), "sdml2swift"),
    ("FHIRViewsPlugin", .buildTool(), "profile2swift"),
] {
    let plugin = Target.plugin(name: name, capability: capability, path: "codegen/Plugins/\(name)")
    plugin.dependencies = [.target(name: program)]
    targets.append(plugin)
    products.append((name, .plugin(name: name, targets: [name])))
}

// INDIVO_ONLY=SurveysTests,IndivoCommand builds these targets and what they need: a minute instead of four.
var built: Set<String> = []
@MainActor func build(_ name: String) {
    guard built.insert(name).inserted else { return }
    let target = targets.first { $0.name == name }
    for case .targetItem(let name, _) in target?.dependencies ?? [] { build(name) }
}
let only = Context.environment["INDIVO_ONLY"]?.split(separator: ",").map(String.init)
(only ?? targets.map(\.name)).forEach(build)

let package = Package(
    name: "swift-indivo",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: products.filter { built.contains($0.target) }.map(\.product),
    traits: Set(traits.map { .trait(name: $0.name, description: $0.description) })
        .union([.default(enabledTraits: ["Everything"])]),
    dependencies: packages.map { .package(url: "https://github.com/\($0.source)", $0.versions) },
    targets: targets.filter { built.contains($0.name) },
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

// Six areas, a folder of Sources each. What an area may import is in its README, and scripts/lib/check-layout
// compares both with what the sources import.
//
// An app compiles the targets that its products need. What a product fetches beyond that hangs on its trait.
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
    (
        "Everything", "ConsentForm Outbox PostgreSQL SMART Sandbox Study Tool",
        "All of these, and the command-line tool (fetches swift-argument-parser)."
    ),
]

// A folder, and below it its targets by their folders' names: what each is built on, and what is special.
//   tests: …      it has tests, which need these and TestSupport; fixtures: in its tests' folder
//   async         its functions that are `async` run on the caller's actor, and its tests are compiled so
//   internal      it is no product: an app does not import it
//   program: …    it has an entry point, and is the product of that name
//   except: …     what in its folder is not compiled
// `Crypto/Study` is a dependency where a trait covers the feature Study, `CLibCurl/Linux` on Linux alone.
let table = """
    Sources/System:
        CBuildCommit; internal
    Sources/Base:
        IndivoBase: Security; internal
        OrderedJSON
        UCUM
        ZipArchive: CZlib IndivoBase; internal
        IndivoXML: libxml2/Linux; tests: IndivoBase; fixtures
        HTTPCalls: IndivoBase HTTPTypes CLibCurl/Linux; tests; async
        DurableQueue: IndivoBase Crypto/Outbox; tests; async
    Sources/FHIR:
        FHIRTables; internal
        FHIR: IndivoBase OrderedJSON; tests: FHIRTables FHIRValidation FHIRXML IndivoXML
        FHIRXML: FHIR FHIRTables IndivoXML OrderedJSON
        FHIRPathEngine: FHIR FHIRTables FHIRXML IndivoBase OrderedJSON UCUM; tests: FHIRValidation
        FHIRValidation: CZlib FHIR FHIRPathEngine FHIRTables FHIRXML IndivoBase IndivoXML OrderedJSON; \
            tests: Surveys
        FHIRClient: FHIR HTTPCalls IndivoBase OrderedJSON HTTPTypes Logging; tests: FHIRSandbox SMART \
            Crypto/SMART CryptoExtras/SMART; async
        FHIRTerminology: FHIR FHIRClient FHIRPathEngine IndivoBase OrderedJSON UCUM; tests: FHIRSandbox; \
            fixtures; async
        SMART: FHIR FHIRClient HTTPCalls IndivoBase OrderedJSON Crypto/SMART CryptoExtras/SMART HTTPTypes \
            Logging; tests: FHIRSandbox; async
        Surveys: FHIR FHIRClient FHIRPathEngine FHIRTables FHIRValidation IndivoBase OrderedJSON UCUM; \
            tests: FHIRSandbox HTTPCalls HTTPTypes; async
        HealthSamples: FHIR FHIRClient HealthKit IndivoBase IndivoXML OrderedJSON UCUM ZipArchive; tests: \
            FHIRSandbox FHIRValidation HTTPCalls HTTPTypes; async
    Sources/Record:
        OAuth1: IndivoBase CLibOAuth/Linux; tests: OrderedJSON; fixtures
        IndivoModel: IndivoBase IndivoXML OrderedJSON; tests; fixtures; internal
        Indivo: HTTPCalls IndivoBase IndivoModel IndivoXML OAuth1 HTTPTypes Logging; \
            tests: IndivoSandbox IndivoTesting; fixtures; async
        IndivoOutbox: DurableQueue Indivo IndivoBase IndivoModel IndivoXML Crypto/Outbox; tests: \
            IndivoCommand IndivoSandbox IndivoTesting OAuth1 HTTPTypes; async
        IndivoFHIR: FHIR Indivo IndivoBase IndivoModel IndivoXML OrderedJSON UCUM; tests: FHIRSandbox \
            FHIRValidation IndivoSandbox Surveys; async
        IndivoSamples: FHIR HealthSamples Indivo IndivoBase IndivoModel IndivoOutbox IndivoXML OrderedJSON \
            UCUM; tests: IndivoSandbox OAuth1; async
    Sources/Servers:
        WebServing: IndivoBase UCUM FlyingSocks/Sandbox CCrypt/Linux GRDB/Sandbox; tests; internal
        SurveyPages: FHIR FHIRClient IndivoBase OrderedJSON SMART Surveys WebServing; tests: FHIRSandbox \
            HTTPCalls IndivoCommand HTTPTypes; async
        FHIRSandbox: FHIR FHIRPathEngine FHIRTables FHIRTerminology FHIRValidation FHIRXML IndivoBase \
            IndivoXML OrderedJSON SMART SurveyPages Surveys UCUM WebServing GRDB/Sandbox GRDBSQLite/Sandbox \
            Logging; tests: IndivoCommand
        IndivoSandbox: IndivoBase IndivoModel IndivoXML OAuth1 OrderedJSON SDML WebServing GRDB/Sandbox \
            Logging; tests
    Sources/Study:
        StudyFormats: DurableQueue FHIR HTTPCalls IndivoBase OrderedJSON ZipArchive Crypto/Study \
            CryptoExtras/Study SwiftASN1/Study X509/Study CBZip2/Study; async
        StudyDelivery: DurableQueue FHIR HTTPCalls IndivoBase OrderedJSON StudyFormats Crypto/Study \
            CryptoExtras/Study HTTPTypes CPangoCairo/ConsentForm; tests: FHIRValidation StudyTesting \
            ZipArchive CBZip2/Study; async
        StudyWarehouse: CZlib FHIR FHIRTables HealthSamples IndivoBase IndivoXML OrderedJSON UCUM \
            WebServing Crypto/Study GRDB/Sandbox CLibPQ/PostgreSQL; tests: StudyTesting; fixtures
        StudyServer: DurableQueue FHIR FHIRValidation HTTPCalls IndivoBase OrderedJSON StudyFormats \
            StudyWarehouse Surveys WebServing Crypto/Study GRDB/Sandbox HTTPTypes Logging; tests: \
            HealthSamples IndivoCommand RecordCommands StudyDelivery StudyTesting CryptoExtras/Study
    Sources/Tool:
        IndivoTesting: Indivo IndivoBase IndivoXML OAuth1 OrderedJSON HTTPTypes; async
        RecordCommands: CBuildCommit DurableQueue Indivo IndivoBase IndivoModel IndivoOutbox IndivoSandbox \
            IndivoXML OrderedJSON SDML SwiftGenerator ArgumentParser/Tool Logging; async; internal
        RecordTool: RecordCommands ArgumentParser/Tool; program: indivo-record
        IndivoCommand: FHIR FHIRClient FHIRPathEngine FHIRSandbox FHIRTables FHIRTerminology FHIRValidation \
            FHIRXML HTTPCalls HealthSamples Indivo IndivoBase IndivoFHIR IndivoModel IndivoSamples \
            OrderedJSON ProfileGenerator RecordCommands SMART StudyDelivery StudyServer StudyWarehouse \
            SurveyPages Surveys ZipArchive ArgumentParser/Tool Logging; tests: IndivoSandbox IndivoTesting \
            RecordTool StudyTesting; async; program: indivo
    codegen:
        SDML: IndivoBase OrderedJSON
        SwiftGenerator: IndivoBase SDML; internal
        FHIRGenerator: FHIRTables SwiftGenerator; internal
        fhir2swift: FHIRGenerator FHIRTables SwiftGenerator; program
        ProfileGenerator: FHIR FHIRGenerator FHIRTables FHIRValidation OrderedJSON SDML SwiftGenerator; \
            internal
        profile2swift: ProfileGenerator; program: profile2swift
        sdml2swift: SwiftGenerator; program: sdml2swift
    Tests/Base:
        BaseTests: IndivoBase OrderedJSON UCUM ZipArchive
    Tests/Codegen:
        CodegenTests: FHIRGenerator FHIRTables IndivoModel IndivoXML SDML SwiftGenerator; except: \
            SwiftGenerator/Models SwiftGenerator/Snapshots
        ProfileGeneratorTests: FHIR FHIRValidation OrderedJSON ProfileGenerator; except: Profiles
    Tests/Support:
        TestSupport: HTTPCalls IndivoBase OrderedJSON HTTPTypes; async
        StudyTesting: StudyWarehouse Crypto/Study CryptoExtras/Study SwiftASN1/Study X509/Study
        StudyLoad: FHIR StudyFormats StudyServer StudyWarehouse WebServing; program
        IndivoSoak: DurableQueue HTTPCalls Indivo IndivoBase IndivoModel IndivoOutbox IndivoSandbox \
            IndivoTesting OAuth1 OrderedJSON StudyDelivery StudyFormats WebServing; async; program
    """

// What stands for modules of Apple's SDKs on Linux, and the example app, which is type-checked against it.
let appleTable = """
    Tests/AppleLike:
        AuthenticationServices: SwiftUI
        BackgroundTasks
        HealthKit
        Security
        SwiftUI: UIKit
        UIKit
        UserNotifications
    Examples/StudyApp:
        StudyApp: AuthenticationServices BackgroundTasks FHIR HealthKit HealthSamples Indivo IndivoOutbox \
            StudyDelivery Surveys SwiftUI UIKit UserNotifications; except: Info.plist \
            StudyApp.entitlements consent.json questionnaire.json schedule.json
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

// Apple's SDKs have libxml2 (as the module `libxml2`), CryptoKit and URLSession; on Linux they are libraries
// of the system. With INDIVO_APPLE_LIKE=1, Linux compiles what Apple's systems compile, against swift-crypto
// and FoundationNetworking: Tests/AppleLike/apple-like.
let isAppleLike = Context.environment["INDIVO_APPLE_LIKE"] == "1"

func words(_ text: Substring) -> [String] { text.split(separator: " ").map(String.init) }

/// What a word of the table stands for; nil where the system has it without a target.
func dependency(_ word: String) -> Target.Dependency? {
    let parts = word.split(separator: "/").map(String.init)
    var name = parts[0]
    switch (name, isAppleLike) {
    case ("CLibCurl", true), ("CLibPQ", true), ("HealthKit", false), ("Security", false): return nil
    case ("CLibOAuth", true): name = "Crypto"
    case ("CCrypt", true): name = "CryptoExtras"
    default: break
    }
    let condition = parts.count > 1 ? when(parts[1]) : nil
    guard let package = packages.first(where: { words($0.products).contains(name) }) else {
        return .target(name: name, condition: condition)
    }
    let folder = package.source.split(separator: "/")[1]
    return .product(name: name, package: String(folder), condition: condition)
}

/// Holds where a trait that covers the feature is on; on Linux alone where Apple's SDKs have what it needs.
func when(_ feature: String) -> TargetDependencyCondition? {
    if feature == "Linux" { return .when(platforms: [.linux]) }
    let covering = Set(traits.filter { words($0.covers).contains(feature) }.map(\.name))
    guard ["ConsentForm", "Outbox", "PostgreSQL"].contains(feature) else { return .when(traits: covering) }
    return .when(platforms: [.linux], traits: covering)
}

// INDIVO_COMMIT is the commit that exports name as theirs; scripts/install-tool gives it.
let commit = Context.environment["INDIVO_COMMIT"]?.filter(\.isHexDigit)

// The targets and products of the tables.
var products: [(target: String, product: Product)] = []
var targets = libraries.map { name, pkgConfig, package -> Target in
    let path = "Sources/System/\(name)"
    return .systemLibrary(name: name, path: path, pkgConfig: pkgConfig, providers: [.apt([package])])
}
var folder: Substring = ""
for line in (isAppleLike ? "\(table)\n\(appleTable)" : table).split(separator: "\n") {
    guard line.hasPrefix(" ") else {
        folder = line.dropLast()
        continue
    }
    let parts = line.split(separator: ";").map { $0.split(separator: ":", maxSplits: 1) }
    let name = words(parts[0][0])[0]
    var facts: [String: [String]] = [:]
    for part in parts { facts[words(part[0])[0]] = part.count > 1 ? words(part[1]) : [] }
    let needed = facts[name, default: []].compactMap(dependency)
    let path = "\(folder)/\(name)"
    let target: Target =
        if facts["program"] != nil {
            .executableTarget(name: name, dependencies: needed, path: path)
        } else if name.hasSuffix("Tests") {
            .testTarget(name: name, dependencies: needed + [.target(name: "TestSupport")], path: path)
        } else {
            .target(name: name, dependencies: needed, path: path)
        }
    target.exclude = facts["except"] ?? []
    target.linkerSettings = name == "IndivoXML" ? [.linkedLibrary("xml2")] : []
    target.cSettings = name == "CBuildCommit" ? commit.map { [.define("INDIVO_COMMIT", to: $0)] } : []
    targets.append(target)
    if facts["async"] != nil {
        target.swiftSettings = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
    }
    if let programs = facts["program"] {
        products += programs.map { (name, .executable(name: $0, targets: [name])) }
    } else if facts["internal"] == nil, folder.hasPrefix("Sources/") || name == "SDML" {
        products.append((name, .library(name: name, targets: [name])))
    }
    if let others = facts["tests"] {
        let path = "\(folder)/\(name)Tests".replacing("Sources/", with: "Tests/")
        let tests = Target.testTarget(name: "\(name)Tests", dependencies: needed, path: path)
        tests.dependencies +=
            [.target(name: name), .target(name: "TestSupport")] + others.compactMap(dependency)
        tests.exclude = facts["fixtures"] == nil ? [] : ["Fixtures"]
        tests.swiftSettings = target.swiftSettings
        targets.append(tests)
    }
}

func plugin(_ name: String, _ capability: Target.PluginCapability, runs program: String) -> Target {
    let path = "codegen/Plugins/\(name)"
    return .plugin(name: name, capability: capability, dependencies: [.target(name: program)], path: path)
}

let description = "Write Swift document classes for SDML models."
let generating = PluginCommandIntent.custom(verb: "generate-documents", description: description)
let writing = PluginPermission.writeToPackageDirectory(reason: "The generated classes are checked in.")
let plugins = [
    plugin("SDMLBuildPlugin", .buildTool(), runs: "sdml2swift"),
    plugin("FHIRViewsPlugin", .buildTool(), runs: "profile2swift"),
    plugin("SDMLGeneratePlugin", .command(intent: generating, permissions: [writing]), runs: "sdml2swift"),
]
targets += plugins
products += plugins.map { ($0.name, .plugin(name: $0.name, targets: [$0.name])) }

// INDIVO_ONLY=SurveysTests,IndivoCommand builds these targets and what they need: a minute where all takes
// four.
var names = Set(targets.map(\.name))
if let only = Context.environment["INDIVO_ONLY"] {
    names = []
    var open = only.split(separator: ",").map(String.init)
    while let name = open.popLast() {
        guard names.insert(name).inserted else { continue }
        for case .targetItem(let name, _) in targets.first(where: { $0.name == name })?.dependencies ?? [] {
            open.append(name)
        }
    }
}

let package = Package(
    name: "swift-indivo",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: products.filter { names.contains($0.target) }.map(\.product),
    traits: Set(traits.map { .trait(name: $0.name, description: $0.description) })
        .union([.default(enabledTraits: ["Everything"])]),
    dependencies: packages.map { .package(url: "https://github.com/\($0.source)", $0.versions) },
    targets: targets.filter { names.contains($0.name) },
    swiftLanguageModes: [.v6]
)

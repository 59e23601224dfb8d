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
    ("BackendSigning", "BackendSigning", "Keys for SMART backend services (fetches swift-crypto)."),
    (
        "SMARTLaunch", "BackendSigning Keys SMARTLaunch",
        "SMART App Launch, and BackendSigning (fetches swift-crypto)."
    ),
    (
        "Study", "Outbox Study",
        "Delivery to a study, and Outbox (fetches swift-certificates and swift-crypto)."
    ),
    (
        "ConsentForm", "ConsentForm Outbox Study",
        "Signed consents as PDF, and Study (needs Pango and Cairo on Linux)."
    ),
    ("Sandbox", "Keys Sandbox", "Servers to try against (fetches FlyingFox, GRDB and swift-crypto)."),
    ("StudyServer", "Keys Outbox Sandbox Study", "A study's server on SQLite, Study and Sandbox."),
    (
        "PostgreSQL", "Keys Outbox PostgreSQL Sandbox Study",
        "A study's server on PostgreSQL, too (needs libpq on Linux)."
    ),
    (
        "Everything", "BackendSigning ConsentForm Keys Outbox PostgreSQL SMARTLaunch Sandbox Study Tool",
        "All of these, and the command-line tool (fetches swift-argument-parser)."
    ),
]

// A folder, and below it its targets by their folders' names: what each is built on, and behind `tests` what
// its tests need besides. `Crypto/Study` is had where a trait covers the feature Study.
let table = """
    Sources/System:
        SystemXML: CLibXML2
    Sources/Base:
        IndivoBase: Security; tests
        OrderedJSON; tests
        BoundedRegex; tests: IndivoBase
        UCUM; tests
        ZipArchive: CZlib IndivoBase; tests
        IndivoXML: SystemXML; tests: IndivoBase TestSupport
        HTTPCalls: IndivoBase HTTPTypes CLibCurl; tests: TestSupport
        LoginSupport: IndivoBase
        JSONWebKeys: IndivoBase OrderedJSON Crypto/Keys CryptoExtras/Keys
        DurableQueue: IndivoBase Crypto/Outbox; tests
    Sources/FHIR:
        FHIRTables
        FHIR: IndivoBase OrderedJSON; tests: FHIRTables FHIRValidation TestSupport
        FHIRXML: FHIR FHIRTables IndivoXML OrderedJSON; tests: TestSupport
        FHIRPathEngine: BoundedRegex FHIR FHIRTables FHIRXML IndivoBase OrderedJSON UCUM; \
            tests: FHIRValidation TestSupport
        FHIRValidation: CZlib FHIR FHIRPathEngine FHIRTables FHIRXML IndivoXML OrderedJSON; \
            tests: Surveys TestSupport
        FHIRTerminology: BoundedRegex FHIR OrderedJSON UCUM; tests: FHIRPathEngine
        FHIRClient: FHIR HTTPCalls IndivoBase OrderedJSON HTTPTypes Logging; \
            tests: FHIRBackendSigning FHIRSandbox TestSupport Crypto/BackendSigning \
            CryptoExtras/BackendSigning
        TerminologyClient: FHIR FHIRClient FHIRTerminology OrderedJSON; tests: FHIRSandbox
        FHIRBackendSigning: FHIRClient IndivoBase OrderedJSON Crypto/BackendSigning \
            CryptoExtras/BackendSigning
        SMARTScopes: IndivoBase
        SMARTLaunch: FHIR FHIRClient HTTPCalls IndivoBase JSONWebKeys LoginSupport OrderedJSON \
            SMARTScopes Crypto/SMARTLaunch HTTPTypes Logging; \
            tests: FHIRBackendSigning FHIRSandbox LaunchTesting TestSupport Crypto/Keys CryptoExtras/Keys
        Surveys: BoundedRegex FHIR FHIRPathEngine FHIRTables FHIRValidation IndivoBase OrderedJSON UCUM; tests
        SurveyExchange: FHIR FHIRClient FHIRTables IndivoBase OrderedJSON Surveys; \
            tests: FHIRSandbox HTTPCalls HTTPTypes
        HealthSamples: FHIR HealthKit IndivoBase IndivoXML OrderedJSON UCUM ZipArchive; \
            tests: FHIRValidation
        HealthUpload: FHIR FHIRClient HealthSamples IndivoBase OrderedJSON; \
            tests: FHIRSandbox HTTPCalls HTTPTypes
    Sources/Record:
        OAuth1: IndivoBase CLibOAuth; tests: OrderedJSON TestSupport
        IndivoModel: IndivoBase IndivoXML OrderedJSON; tests: TestSupport
        Indivo: HTTPCalls IndivoBase IndivoModel IndivoXML LoginSupport OAuth1 HTTPTypes Logging; \
            tests: IndivoTesting TestSupport
        IndivoOutbox: DurableQueue Indivo IndivoBase IndivoModel IndivoXML Crypto/Outbox; \
            tests: IndivoCommand IndivoSandbox IndivoTesting OAuth1 HTTPTypes
        IndivoFHIR: FHIR Indivo IndivoBase IndivoModel IndivoXML OrderedJSON UCUM; \
            tests: FHIRSandbox FHIRValidation IndivoSandbox
        IndivoSurveys: FHIR IndivoModel OrderedJSON Surveys; tests: FHIRValidation
        IndivoSamples: FHIR HealthSamples Indivo IndivoBase IndivoModel IndivoOutbox IndivoXML \
            OrderedJSON UCUM; \
            tests: IndivoSandbox OAuth1
    Sources/Servers:
        WebServing: IndivoBase UCUM FlyingSocks/Sandbox CCrypt GRDB/Sandbox; tests: TestSupport
        SurveyPages: FHIR IndivoBase OrderedJSON Surveys WebServing; tests: IndivoCommand TestSupport
        SurveyLaunch: FHIR FHIRClient IndivoBase OrderedJSON SMARTLaunch SurveyExchange SurveyPages \
            Surveys WebServing; \
            tests: FHIRSandbox HTTPCalls LaunchTesting HTTPTypes
        FHIRSandbox: FHIR FHIRPathEngine FHIRTables FHIRTerminology FHIRValidation FHIRXML IndivoBase \
            IndivoXML JSONWebKeys OrderedJSON SMARTScopes SurveyPages Surveys UCUM WebServing \
            GRDB/Sandbox GRDBSQLite/Sandbox Logging; \
            tests: IndivoCommand
        IndivoSandbox: IndivoBase IndivoModel IndivoXML OAuth1 OrderedJSON SDML WebServing GRDB/Sandbox \
            Logging; \
            tests: TestSupport
    Sources/Study:
        StudyFormats: DurableQueue FHIR HTTPCalls IndivoBase OrderedJSON ZipArchive Crypto/Study \
            CryptoExtras/Study SwiftASN1/Study X509/Study CBZip2/Study
        StudyDelivery: DurableQueue FHIR HTTPCalls IndivoBase OrderedJSON StudyFormats Crypto/Study \
            CryptoExtras/Study HTTPTypes; \
            tests: AttestationTesting FHIRValidation TestSupport ZipArchive CBZip2/Study
        ConsentForm: StudyDelivery CPangoCairo/ConsentForm; tests: FHIR
        StudyWarehouse: CZlib FHIR FHIRTables HealthSamples IndivoBase IndivoXML OrderedJSON UCUM WebServing \
            Crypto/Study GRDB/Sandbox CLibPQ/PostgreSQL; \
            tests: StudyTesting
        StudyServer: DurableQueue FHIR FHIRValidation HTTPCalls IndivoBase OrderedJSON StudyFormats \
            StudyWarehouse Surveys WebServing Crypto/Study GRDB/Sandbox HTTPTypes Logging; \
            tests: AttestationTesting HealthSamples IndivoCommand RecordCommands StudyDelivery StudyTesting \
            CryptoExtras/Study
    Sources/Tool:
        IndivoTesting: Indivo IndivoBase IndivoXML OAuth1 OrderedJSON HTTPTypes
        RecordCommands: CBuildCommit DurableQueue Indivo IndivoBase IndivoModel IndivoOutbox IndivoSandbox \
            IndivoXML OrderedJSON SDML SwiftGenerator ArgumentParser/Tool Logging
        RecordTool: RecordCommands ArgumentParser/Tool
        IndivoCommand: ConsentForm FHIR FHIRClient FHIRPathEngine FHIRSandbox FHIRTables FHIRTerminology \
            FHIRValidation FHIRXML HTTPCalls HealthSamples HealthUpload Indivo IndivoBase IndivoFHIR \
            IndivoModel IndivoSamples OrderedJSON ProfileGenerator RecordCommands SMARTLaunch \
            StudyDelivery StudyServer StudyWarehouse SurveyExchange SurveyLaunch SurveyPages Surveys \
            ZipArchive ArgumentParser/Tool Logging
    codegen:
        SDML: IndivoBase OrderedJSON
        SwiftGenerator: IndivoBase SDML
        FHIRGenerator: FHIRTables SwiftGenerator
        fhir2swift: FHIRGenerator FHIRTables SwiftGenerator
        ProfileGenerator: FHIR FHIRGenerator FHIRTables FHIRValidation OrderedJSON SDML SwiftGenerator
        profile2swift: ProfileGenerator
        sdml2swift: SwiftGenerator
    Tests/Codegen:
        ProfileGeneratorTests: FHIR FHIRValidation OrderedJSON ProfileGenerator
        SDMLTests: SDML
        SwiftGeneratorTests: FHIRGenerator FHIRTables IndivoModel IndivoXML SDML SwiftGenerator
    Tests/Tool:
        IndivoCommandTests: AttestationTesting FHIRSandbox Indivo IndivoCommand IndivoSandbox \
            IndivoTesting LaunchTesting RecordCommands RecordTool
        EndToEndTests: Indivo IndivoSandbox IndivoTesting IndivoXML OAuth1 HTTPTypes
    Tests/Support:
        TestSupport: OrderedJSON
        StudyTesting: StudyWarehouse
        LaunchTesting: HTTPCalls IndivoBase HTTPTypes
        AttestationTesting: Crypto/Study CryptoExtras/Study SwiftASN1/Study X509/Study
        StudyLoad: FHIR StudyFormats StudyServer StudyWarehouse WebServing
        IndivoSoak: DurableQueue HTTPCalls Indivo IndivoBase IndivoModel IndivoOutbox IndivoSandbox \
            IndivoTesting OAuth1 OrderedJSON StudyDelivery StudyFormats WebServing
    """

/// Targets with functions that are `async` and run on the caller's actor; their tests are compiled so, too.
let onCallersActor = words(
    """
    DurableQueue FHIRClient HTTPCalls HealthUpload Indivo IndivoCommand IndivoFHIR IndivoOutbox \
    IndivoSamples IndivoSoak IndivoTesting LaunchTesting LoginSupport RecordCommands SMARTLaunch \
    StudyDelivery StudyFormats SurveyExchange SurveyLaunch TerminologyClient
    """
)
let programs = words("IndivoCommand IndivoSoak RecordTool StudyLoad fhir2swift profile2swift sdml2swift")
let excluded = [
    "FHIRTerminologyTests": ["Fixtures", "derive-expansions"], "IndivoModelTests": ["Fixtures"],
    "IndivoTests": ["Fixtures"], "IndivoXMLTests": ["Fixtures"], "OAuth1Tests": ["Fixtures"],
    "ProfileGeneratorTests": ["Profiles"], "StudyWarehouseTests": ["Fixtures"],
    "StudyApp": [
        "Info.plist", "StudyApp.entitlements", "consent.json", "questionnaire.json", "schedule.json",
    ],
    "SwiftGeneratorTests": ["Models", "Snapshots"],
]

/// Each is the library of the target of its name.
let products = words(
    """
    BoundedRegex ConsentForm DurableQueue FHIR FHIRBackendSigning FHIRClient FHIRPathEngine FHIRSandbox \
    FHIRTerminology FHIRValidation FHIRXML HTTPCalls HealthSamples HealthUpload Indivo IndivoFHIR \
    IndivoOutbox IndivoSamples IndivoSandbox IndivoSurveys IndivoTesting IndivoXML LoginSupport OAuth1 \
    OrderedJSON SDML SMARTLaunch SMARTScopes StudyDelivery StudyFormats StudyServer StudyWarehouse \
    SurveyExchange SurveyLaunch SurveyPages Surveys TerminologyClient UCUM
    """
)

/// The package that a product is fetched with.
let packages = [
    "ArgumentParser": "swift-argument-parser", "Crypto": "swift-crypto", "CryptoExtras": "swift-crypto",
    "FlyingSocks": "FlyingFox", "GRDB": "GRDB.swift", "GRDBSQLite": "GRDB.swift",
    "HTTPTypes": "swift-http-types", "Logging": "swift-log", "SwiftASN1": "swift-asn1",
    "X509": "swift-certificates",
]

// On Apple's systems the SDK has libxml2 (as the module `libxml2`), CryptoKit and URLSession; on Linux they
// are libraries of the system, found by pkg-config. With INDIVO_APPLE_LIKE=1, Linux compiles what Apple's
// systems compile, against swift-crypto and FoundationNetworking: Tests/AppleLike/apple-like.
let isAppleLike = Context.environment["INDIVO_APPLE_LIKE"] == "1"
let apple: [Platform] = [.macOS, .iOS, .macCatalyst, .tvOS, .watchOS, .visionOS]

/// What a word of the table stands for; nil where the system has it without a target.
func dependency(_ word: String) -> Target.Dependency? {
    let parts = word.split(separator: "/").map(String.init)
    let name = parts[0]
    switch (name, isAppleLike) {
    case ("CLibXML2", true): return "libxml2"
    case ("CLibOAuth", true): return .product(name: "Crypto", package: "swift-crypto")
    case ("CCrypt", true): return .product(name: "CryptoExtras", package: "swift-crypto")
    case ("CLibCurl", true), ("CLibPQ", true), ("HealthKit", false), ("Security", false): return nil
    case ("CLibXML2", _), ("CLibOAuth", _), ("CCrypt", _), ("CLibCurl", _):
        return .target(name: name, condition: .when(platforms: [.linux]))
    default: break
    }
    let condition = parts.count > 1 ? when(parts[1]) : nil
    if let package = packages[name] { return .product(name: name, package: package, condition: condition) }
    return condition.map { .target(name: name, condition: $0) } ?? .byName(name: name)
}

/// Holds where a trait that covers the feature is on; on Linux alone where Apple's SDKs have what it needs.
func when(_ feature: String) -> TargetDependencyCondition? {
    let covering = Set(traits.filter { words($0.covers).contains(feature) }.map(\.name))
    guard ["ConsentForm", "Outbox", "PostgreSQL"].contains(feature) else { return .when(traits: covering) }
    return .when(platforms: [.linux], traits: covering)
}

func words(_ text: Substring) -> [String] { text.split(separator: " ").map(String.init) }

/// The targets of a line of the table: one, or with its tests two.
func targets(_ line: Substring, in folder: Substring) -> [Target] {
    let sides = line.split(separator: ";").map { $0.split(separator: ":", maxSplits: 1) }
    let needed = sides.map { side in side.count > 1 ? words(side[1]).compactMap(dependency) : [] }
    let name = words(sides[0][0])[0]
    let path = "\(folder)/\(name)"
    let settings: [SwiftSetting] =
        onCallersActor.contains(name) ? [.enableUpcomingFeature("NonisolatedNonsendingByDefault")] : []
    if name.hasSuffix("Tests") {
        return [.testTarget(name: name, dependencies: needed[0], path: path, exclude: excluded[name] ?? [])]
    }
    if programs.contains(name) {
        return [.executableTarget(name: name, dependencies: needed[0], path: path, swiftSettings: settings)]
    }
    let target = Target.target(
        name: name,
        dependencies: needed[0],
        path: path,
        exclude: excluded[name] ?? [],
        swiftSettings: settings,
        linkerSettings: name == "IndivoXML" ? [.linkedLibrary("xml2", .when(platforms: apple))] : []
    )
    guard needed.count > 1 else { return [target] }
    let tests = Target.testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name)] + needed[0] + needed[1],
        path: path.replacing("Sources/", with: "Tests/") + "Tests",
        exclude: excluded["\(name)Tests"] ?? [],
        swiftSettings: settings
    )
    return [target, tests]
}

/// The targets of the whole table.
func targets(_ table: String) -> [Target] {
    var folder: Substring = ""
    return table.split(separator: "\n").flatMap { line -> [Target] in
        if line.hasPrefix(" ") { return targets(line, in: folder) }
        folder = line.dropLast()
        return []
    }
}

func system(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let systems: [Target] = [
    system("CLibXML2", pkgConfig: "libxml-2.0", apt: "libxml2-dev"),
    system("CLibOAuth", pkgConfig: "oauth", apt: "liboauth-dev"),
    system("CLibCurl", pkgConfig: "libcurl", apt: "liboauth-dev"),
    system("CPangoCairo", pkgConfig: "pangocairo", apt: "libpango1.0-dev"),
    system("CLibPQ", pkgConfig: "libpq", apt: "libpq-dev"),
    system("CCrypt", pkgConfig: "libcrypt", apt: "libcrypt-dev"),
    system("CBZip2", apt: "libbz2-dev"),
    system("CZlib", apt: "zlib1g-dev"),
    // INDIVO_COMMIT is the commit that exports name as theirs; scripts/install-tool gives it.
    .target(
        name: "CBuildCommit",
        path: "Sources/System/CBuildCommit",
        cSettings: Context.environment["INDIVO_COMMIT"].map { commit in
            [.define("INDIVO_COMMIT", to: commit.filter { $0.isHexDigit })]
        } ?? []
    ),
]

func plugin(_ name: String, _ capability: Target.PluginCapability, runs program: String) -> Target {
    .plugin(
        name: name,
        capability: capability,
        dependencies: [.byName(name: program)],
        path: "codegen/Plugins/\(name)"
    )
}

let generating = PluginCommandIntent.custom(
    verb: "generate-documents",
    description: "Write Swift document classes for SDML models."
)
let writing = PluginPermission.writeToPackageDirectory(reason: "The generated classes are checked in.")
let plugins = [
    plugin("SDMLBuildPlugin", .buildTool(), runs: "sdml2swift"),
    plugin("FHIRViewsPlugin", .buildTool(), runs: "profile2swift"),
    plugin("SDMLGeneratePlugin", .command(intent: generating, permissions: [writing]), runs: "sdml2swift"),
]

let package = Package(
    name: "swift-indivo",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: products.map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "indivo", targets: ["IndivoCommand"]),
        .executable(name: "indivo-record", targets: ["RecordTool"]),
        .executable(name: "profile2swift", targets: ["profile2swift"]),
        .executable(name: "sdml2swift", targets: ["sdml2swift"]),
    ] + plugins.map { .plugin(name: $0.name, targets: [$0.name]) },
    traits: Set(
        traits.map { .trait(name: $0.name, description: $0.description) } + [
            .default(enabledTraits: ["Everything"])
        ]
    ),
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-crypto", "4.5.0"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.18.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", "0.27.1"..<"0.28.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: systems + targets(table) + plugins,
    swiftLanguageModes: [.v6]
)

// Stand for modules of Apple's SDKs: what the package uses, and declarations to type-check the example app.
if isAppleLike {
    package.targets += targets(
        """
        Tests/AppleLike:
            AuthenticationServices: SwiftUI
            BackgroundTasks
            HealthKit
            Security
            SwiftUI: UIKit
            UIKit
            UserNotifications
        Examples/StudyApp:
            StudyApp: AuthenticationServices BackgroundTasks FHIR HealthKit HealthSamples Indivo \
                IndivoOutbox StudyDelivery Surveys SwiftUI UIKit UserNotifications
        """
    )
    package.targets.append(
        .systemLibrary(name: "libxml2", path: "Tests/AppleLike/libxml2", pkgConfig: "libxml-2.0")
    )
}

// INDIVO_ONLY=SurveysTests,IndivoCommand builds these targets and what they need: a minute where all takes
// four.
if let only = Context.environment["INDIVO_ONLY"] {
    var needed: Set<String> = []
    var open = only.split(separator: ",").map(String.init)
    while let name = open.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name })
        else { continue }
        for case .targetItem(let name, _) in target.dependencies { open.append(name) }
        for case .byNameItem(let name, _) in target.dependencies { open.append(name) }
    }
    let tools = ["indivo": "IndivoCommand", "indivo-record": "RecordTool"]
    package.products.removeAll { tools[$0.name].map(needed.contains) != true }
    package.targets.removeAll { !needed.contains($0.name) }
}

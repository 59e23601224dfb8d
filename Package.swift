// swift-tools-version: 6.2
import PackageDescription

// Six areas, a folder of Sources each; `module` below says where a module and its tests stand. What an area
// may import is in its README, and scripts/lib/check-layout compares both with what the sources import.
//
// An app compiles the targets that its products need. What a product fetches beyond that hangs on its trait.
// Each trait covers the features named beside it, so that one is enough: with several, SwiftPM compiles
// everything again at random, because it gives them to the compiler in the order of a hashed set.
let traits: [(name: String, covers: String, description: String)] = [
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

/// True where a trait that covers the feature is on.
func when(_ feature: String, _ platforms: [Platform]? = nil) -> TargetDependencyCondition? {
    let covering = Set(
        traits.filter { $0.covers.split(separator: " ").contains { $0 == feature } }.map(\.name)
    )
    guard let platforms else { return .when(traits: covering) }
    return .when(platforms: platforms, traits: covering)
}

func fetched(_ package: String, _ product: String, for feature: String, _ platforms: [Platform]? = nil)
    -> Target.Dependency
{
    .product(name: product, package: package, condition: when(feature, platforms))
}

// On Apple's systems the SDK has libxml2 (as the module `libxml2`), CryptoKit and URLSession; on Linux they
// are libraries of the system, found by pkg-config. With INDIVO_APPLE_LIKE=1, Linux compiles what Apple's
// systems compile, against swift-crypto and FoundationNetworking: Tests/AppleLike/apple-like.
let isAppleLike = Context.environment["INDIVO_APPLE_LIKE"] == "1"
let apple: [Platform] = [.macOS, .iOS, .macCatalyst, .tvOS, .watchOS, .visionOS]
func linux(_ name: String) -> Target.Dependency { .target(name: name, condition: .when(platforms: [.linux])) }

let libXML2 = isAppleLike ? "libxml2" : linux("CLibXML2")
let digests = isAppleLike ? .product(name: "Crypto", package: "swift-crypto") : linux("CLibOAuth")
let passwordHash = isAppleLike ? .product(name: "CryptoExtras", package: "swift-crypto") : linux("CCrypt")
let curl: [Target.Dependency] = isAppleLike ? [] : [linux("CLibCurl")]
let keychain: [Target.Dependency] = isAppleLike ? ["Security"] : []
let healthKit: [Target.Dependency] = isAppleLike ? ["HealthKit"] : []
let postgreSQL: [Target.Dependency] =
    isAppleLike ? [] : [.target(name: "CLibPQ", condition: when("PostgreSQL", [.linux]))]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = fetched("GRDB.swift", "GRDB", for: "Sandbox")
let outboxCrypto = fetched("swift-crypto", "Crypto", for: "Outbox", [.linux])
let studyCrypto = fetched("swift-crypto", "Crypto", for: "Study")
let studyCryptoExtras = fetched("swift-crypto", "CryptoExtras", for: "Study")
let signingCrypto = fetched("swift-crypto", "Crypto", for: "BackendSigning")
let signingCryptoExtras = fetched("swift-crypto", "CryptoExtras", for: "BackendSigning")
let launchCrypto = fetched("swift-crypto", "Crypto", for: "SMARTLaunch")
let keyCrypto = fetched("swift-crypto", "Crypto", for: "Keys")
let keyCryptoExtras = fetched("swift-crypto", "CryptoExtras", for: "Keys")
let bzip2 = Target.Dependency.target(name: "CBZip2", condition: when("Study"))

enum Area: String {
    case base = "Base", record = "Record", fhir = "FHIR", study = "Study", servers = "Servers", tool = "Tool"
}

/// Functions of a module that are `async` run on the caller's actor.
let onCallersActor: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// Targets of this package by name, with a space between them.
func targets(_ names: String) -> [Target.Dependency] {
    names.split(separator: " ").map { .byName(name: String($0)) }
}

/// The module in Sources/AREA/NAME and, unless `tests` is nil, its tests in Tests/AREA/NAMETests, which have
/// the module's dependencies and those in `tests`.
func module(
    _ name: String,
    in area: Area,
    on names: String = "",
    with others: [Target.Dependency] = [],
    settings: [SwiftSetting] = [],
    linking: [LinkerSetting] = [],
    tests: String? = "",
    testsWith: [Target.Dependency] = [],
    except excluded: [String] = []
) -> [Target] {
    let dependencies = targets(names) + others
    let module = Target.target(
        name: name,
        dependencies: dependencies,
        path: "Sources/\(area.rawValue)/\(name)",
        swiftSettings: settings,
        linkerSettings: linking
    )
    guard let tests else { return [module] }
    let needed = targets(name) + dependencies + targets(tests) + testsWith
    return [module] + [
        .testTarget(
            name: "\(name)Tests",
            dependencies: needed,
            path: "Tests/\(area.rawValue)/\(name)Tests",
            exclude: excluded,
            swiftSettings: settings
        )
    ]
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
    .target(name: "SystemXML", dependencies: [libXML2], path: "Sources/System/SystemXML"),
    // INDIVO_COMMIT is the commit that exports name as theirs; scripts/install-tool gives it.
    .target(
        name: "CBuildCommit",
        path: "Sources/System/CBuildCommit",
        cSettings: Context.environment["INDIVO_COMMIT"].map { commit in
            [.define("INDIVO_COMMIT", to: commit.filter { $0.isHexDigit })]
        } ?? []
    ),
]

let base =
    module("IndivoBase", in: .base, with: keychain)
    + module("OrderedJSON", in: .base)
    + module("BoundedRegex", in: .base, tests: "IndivoBase")
    + module("UCUM", in: .base)
    + module("ZipArchive", in: .base, on: "CZlib IndivoBase")
    + module(
        "IndivoXML",
        in: .base,
        on: "SystemXML",
        linking: [.linkedLibrary("xml2", .when(platforms: apple))],
        tests: "IndivoBase TestSupport",
        except: ["Fixtures"]
    )
    + module(
        "HTTPCalls",
        in: .base,
        on: "IndivoBase",
        with: [httpTypes] + curl,
        settings: onCallersActor,
        tests: "TestSupport"
    )
    + module("LoginSupport", in: .base, on: "IndivoBase", settings: onCallersActor, tests: nil)
    + module(
        "JSONWebKeys",
        in: .base,
        on: "IndivoBase OrderedJSON",
        with: [keyCrypto, keyCryptoExtras],
        tests: nil
    )
    + module("DurableQueue", in: .base, on: "IndivoBase", with: [outboxCrypto], settings: onCallersActor)

let fhir =
    module("FHIRTables", in: .fhir, tests: nil)
    + module(
        "FHIR",
        in: .fhir,
        on: "BoundedRegex FHIRTables IndivoBase IndivoXML OrderedJSON UCUM",
        tests: "FHIRValidation TestSupport"
    )
    + module(
        "FHIRValidation",
        in: .fhir,
        on: "CZlib FHIR FHIRTables IndivoXML OrderedJSON",
        tests: "Surveys TestSupport"
    )
    + module(
        "FHIRTerminology",
        in: .fhir,
        on: "BoundedRegex FHIR OrderedJSON UCUM",
        except: ["Fixtures", "derive-expansions"]
    )
    + module(
        "FHIRClient",
        in: .fhir,
        on: "FHIR HTTPCalls IndivoBase OrderedJSON",
        with: [httpTypes, logging],
        settings: onCallersActor,
        tests: "FHIRBackendSigning FHIRSandbox TestSupport",
        testsWith: [signingCrypto, signingCryptoExtras]
    )
    + module(
        "TerminologyClient",
        in: .fhir,
        on: "FHIR FHIRClient FHIRTerminology OrderedJSON",
        settings: onCallersActor,
        tests: "FHIRSandbox"
    )
    + module(
        "FHIRBackendSigning",
        in: .fhir,
        on: "FHIRClient IndivoBase OrderedJSON",
        with: [signingCrypto, signingCryptoExtras],
        tests: nil
    )
    + module("SMARTScopes", in: .fhir, on: "IndivoBase", tests: nil)
    + module(
        "SMARTLaunch",
        in: .fhir,
        on: "FHIR FHIRClient HTTPCalls IndivoBase JSONWebKeys LoginSupport OrderedJSON SMARTScopes",
        with: [launchCrypto, httpTypes, logging],
        settings: onCallersActor,
        tests: "FHIRBackendSigning FHIRSandbox LaunchTesting TestSupport",
        testsWith: [keyCrypto, keyCryptoExtras]
    )
    + module(
        "Surveys",
        in: .fhir,
        on: "BoundedRegex FHIR FHIRTables FHIRValidation IndivoBase OrderedJSON UCUM"
    )
    + module(
        "SurveyExchange",
        in: .fhir,
        on: "FHIR FHIRClient FHIRTables IndivoBase OrderedJSON Surveys",
        settings: onCallersActor,
        tests: "FHIRSandbox"
    )
    + module(
        "HealthSamples",
        in: .fhir,
        on: "FHIR IndivoBase IndivoXML OrderedJSON UCUM ZipArchive",
        with: healthKit,
        tests: "FHIRValidation"
    )
    + module(
        "HealthUpload",
        in: .fhir,
        on: "FHIR FHIRClient HealthSamples IndivoBase OrderedJSON",
        settings: onCallersActor,
        tests: "FHIRSandbox HTTPCalls",
        testsWith: [httpTypes]
    )

let record =
    module(
        "OAuth1",
        in: .record,
        on: "IndivoBase",
        with: [digests],
        tests: "OrderedJSON TestSupport",
        except: ["Fixtures"]
    )
    + module(
        "IndivoModel",
        in: .record,
        on: "IndivoBase IndivoXML OrderedJSON",
        tests: "TestSupport",
        except: ["Fixtures"]
    )
    + module(
        "Indivo",
        in: .record,
        on: "HTTPCalls IndivoBase IndivoModel IndivoXML LoginSupport OAuth1",
        with: [httpTypes, logging],
        settings: onCallersActor,
        tests: "IndivoTesting TestSupport",
        except: ["Fixtures"]
    )
    + module(
        "IndivoOutbox",
        in: .record,
        on: "DurableQueue Indivo IndivoBase IndivoModel IndivoXML",
        with: [outboxCrypto],
        settings: onCallersActor,
        tests: "IndivoCommand IndivoSandbox IndivoTesting OAuth1",
        testsWith: [httpTypes]
    )
    + module(
        "IndivoFHIR",
        in: .record,
        on: "FHIR Indivo IndivoBase IndivoModel IndivoXML OrderedJSON UCUM",
        settings: onCallersActor,
        tests: "FHIRSandbox FHIRValidation IndivoSandbox"
    )
    + module(
        "IndivoSurveys",
        in: .record,
        on: "FHIR IndivoModel OrderedJSON Surveys",
        tests: "FHIRValidation"
    )
    + module(
        "IndivoSamples",
        in: .record,
        on: "FHIR HealthSamples Indivo IndivoBase IndivoModel IndivoOutbox IndivoXML OrderedJSON UCUM",
        settings: onCallersActor,
        tests: "IndivoSandbox OAuth1"
    )

let servers =
    module(
        "WebServing",
        in: .servers,
        on: "IndivoBase UCUM",
        with: [fetched("FlyingFox", "FlyingSocks", for: "Sandbox"), passwordHash, grdb],
        tests: "TestSupport"
    )
    + module(
        "SurveyPages",
        in: .servers,
        on: "FHIR IndivoBase OrderedJSON Surveys WebServing",
        tests: "IndivoCommand TestSupport"
    )
    + module(
        "SurveyLaunch",
        in: .servers,
        on: """
            FHIR FHIRClient IndivoBase OrderedJSON SMARTLaunch SurveyExchange SurveyPages Surveys WebServing
            """,
        settings: onCallersActor,
        tests: "FHIRSandbox HTTPCalls LaunchTesting",
        testsWith: [httpTypes]
    )
    + module(
        "FHIRSandbox",
        in: .servers,
        on: """
            FHIR FHIRTables FHIRTerminology FHIRValidation IndivoBase IndivoXML JSONWebKeys OrderedJSON \
            SMARTScopes SurveyPages Surveys UCUM WebServing
            """,
        with: [grdb, fetched("GRDB.swift", "GRDBSQLite", for: "Sandbox"), logging],
        tests: "IndivoCommand"
    )
    + module(
        "IndivoSandbox",
        in: .servers,
        on: "IndivoBase IndivoModel IndivoXML OAuth1 OrderedJSON SDML WebServing",
        with: [grdb, logging],
        tests: "TestSupport"
    )

let study =
    module(
        "StudyFormats",
        in: .study,
        on: "DurableQueue FHIR HTTPCalls IndivoBase OrderedJSON ZipArchive",
        with: [
            studyCrypto, studyCryptoExtras, fetched("swift-asn1", "SwiftASN1", for: "Study"),
            fetched("swift-certificates", "X509", for: "Study"), bzip2,
        ],
        settings: onCallersActor,
        tests: nil
    )
    + module(
        "StudyDelivery",
        in: .study,
        on: "DurableQueue FHIR HTTPCalls IndivoBase OrderedJSON StudyFormats",
        with: [studyCrypto, studyCryptoExtras, httpTypes],
        settings: onCallersActor,
        tests: "AttestationTesting FHIRValidation TestSupport ZipArchive",
        testsWith: [bzip2]
    )
    + module(
        "ConsentForm",
        in: .study,
        on: "StudyDelivery",
        with: [.target(name: "CPangoCairo", condition: when("ConsentForm", [.linux]))],
        tests: "FHIR"
    )
    + module(
        "StudyWarehouse",
        in: .study,
        on: "FHIR FHIRTables HealthSamples IndivoBase IndivoXML OrderedJSON UCUM WebServing",
        with: [studyCrypto, grdb] + postgreSQL,
        tests: "StudyTesting",
        except: ["Fixtures"]
    )
    + module(
        "StudyServer",
        in: .study,
        on: """
            DurableQueue FHIR FHIRValidation HTTPCalls IndivoBase OrderedJSON StudyFormats \
            StudyWarehouse Surveys WebServing
            """,
        with: [studyCrypto, grdb, httpTypes, logging],
        tests: "AttestationTesting IndivoCommand StudyDelivery StudyTesting",
        testsWith: [studyCryptoExtras]
    )

let tool =
    module(
        "IndivoTesting",
        in: .tool,
        on: "Indivo IndivoBase IndivoXML OAuth1 OrderedJSON",
        with: [httpTypes],
        settings: onCallersActor,
        tests: nil
    )
    + [
        // Named apart from `Indivo`: on a case-insensitive disk a target `indivo` would collide with it.
        .executableTarget(
            name: "IndivoCommand",
            dependencies: targets(
                """
                CBuildCommit ConsentForm FHIR FHIRClient FHIRSandbox FHIRTables FHIRTerminology \
                FHIRValidation HTTPCalls HealthSamples HealthUpload Indivo IndivoBase IndivoFHIR \
                IndivoModel IndivoOutbox IndivoSamples IndivoSandbox IndivoXML OrderedJSON \
                ProfileGenerator SDML SMARTLaunch StudyDelivery StudyServer StudyWarehouse \
                SurveyExchange SurveyLaunch SurveyPages Surveys SwiftGenerator ZipArchive
                """
            ) + [fetched("swift-argument-parser", "ArgumentParser", for: "Tool"), logging],
            path: "Sources/Tool/IndivoCommand",
            swiftSettings: onCallersActor
        ),
        // Runs the built tool, as a user would.
        .testTarget(
            name: "IndivoCommandTests",
            dependencies: targets(
                """
                AttestationTesting FHIRSandbox Indivo IndivoCommand IndivoSandbox IndivoTesting \
                LaunchTesting
                """
            ),
            path: "Tests/Tool/IndivoCommandTests"
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: targets("Indivo IndivoSandbox IndivoTesting IndivoXML OAuth1") + [httpTypes],
            path: "Tests/Tool/EndToEndTests"
        ),
    ]

// The generators: SDML → model → Swift, and tables of FHIR → Swift.
let codegen: [Target] = [
    .target(name: "SDML", dependencies: targets("IndivoBase OrderedJSON"), path: "codegen/SDML"),
    .target(name: "SwiftGenerator", dependencies: targets("IndivoBase SDML"), path: "codegen/SwiftGenerator"),
    .target(
        name: "FHIRGenerator",
        dependencies: targets("FHIRTables SwiftGenerator"),
        path: "codegen/FHIRGenerator"
    ),
    .executableTarget(
        name: "fhir2swift",
        dependencies: targets("FHIRGenerator FHIRTables SwiftGenerator"),
        path: "codegen/fhir2swift"
    ),
    .target(
        name: "ProfileGenerator",
        dependencies: targets(
            "FHIR FHIRGenerator FHIRTables FHIRValidation OrderedJSON SDML SwiftGenerator"
        ),
        path: "codegen/ProfileGenerator"
    ),
    .executableTarget(
        name: "profile2swift",
        dependencies: ["ProfileGenerator"],
        path: "codegen/profile2swift"
    ),
    .executableTarget(
        name: "sdml2swift",
        dependencies: targets("SwiftGenerator"),
        path: "codegen/sdml2swift"
    ),
    .plugin(
        name: "SDMLBuildPlugin",
        capability: .buildTool(),
        dependencies: ["sdml2swift"],
        path: "codegen/Plugins/SDMLBuildPlugin"
    ),
    .plugin(
        name: "FHIRViewsPlugin",
        capability: .buildTool(),
        dependencies: ["profile2swift"],
        path: "codegen/Plugins/FHIRViewsPlugin"
    ),
    .plugin(
        name: "SDMLGeneratePlugin",
        capability: .command(
            intent: .custom(
                verb: "generate-documents",
                description: "Write Swift document classes for SDML models."
            ),
            permissions: [.writeToPackageDirectory(reason: "The generated classes are checked in.")]
        ),
        dependencies: ["sdml2swift"],
        path: "codegen/Plugins/SDMLGeneratePlugin"
    ),
    .testTarget(
        name: "ProfileGeneratorTests",
        dependencies: targets("FHIR FHIRValidation OrderedJSON ProfileGenerator"),
        path: "Tests/Codegen/ProfileGeneratorTests",
        exclude: ["Profiles"]
    ),
    .testTarget(name: "SDMLTests", dependencies: ["SDML"], path: "Tests/Codegen/SDMLTests"),
    .testTarget(
        name: "SwiftGeneratorTests",
        dependencies: targets("FHIRGenerator FHIRTables IndivoModel IndivoXML SDML SwiftGenerator"),
        path: "Tests/Codegen/SwiftGeneratorTests",
        exclude: ["Models", "Snapshots"]
    ),
]

// What several tests need, and two programs that test under load.
let support: [Target] = [
    .target(name: "TestSupport", dependencies: ["OrderedJSON"], path: "Tests/Support/TestSupport"),
    .target(name: "StudyTesting", dependencies: ["StudyWarehouse"], path: "Tests/Support/StudyTesting"),
    .target(
        name: "LaunchTesting",
        dependencies: targets("HTTPCalls IndivoBase") + [httpTypes],
        path: "Tests/Support/LaunchTesting",
        swiftSettings: onCallersActor
    ),
    .target(
        name: "AttestationTesting",
        dependencies: [
            studyCrypto, studyCryptoExtras, fetched("swift-asn1", "SwiftASN1", for: "Study"),
            fetched("swift-certificates", "X509", for: "Study"),
        ],
        path: "Tests/Support/AttestationTesting"
    ),
    .executableTarget(
        name: "StudyLoad",
        dependencies: targets("FHIR StudyFormats StudyServer StudyWarehouse WebServing"),
        path: "Tests/Support/StudyLoad"
    ),
    .executableTarget(
        name: "IndivoSoak",
        dependencies: targets(
            """
            DurableQueue HTTPCalls Indivo IndivoBase IndivoModel IndivoOutbox IndivoSandbox IndivoTesting \
            OAuth1 OrderedJSON StudyDelivery StudyFormats WebServing
            """
        ),
        path: "Tests/Support/Soak",
        swiftSettings: onCallersActor
    ),
]

// Each is the library of the target of its name.
let products = [
    "BoundedRegex", "ConsentForm", "DurableQueue", "FHIR", "FHIRBackendSigning", "FHIRClient", "FHIRSandbox",
    "FHIRTerminology",
    "FHIRValidation", "HTTPCalls",
    "HealthSamples", "HealthUpload", "Indivo", "IndivoFHIR", "IndivoOutbox", "IndivoSamples", "IndivoSandbox",
    "IndivoSurveys",
    "IndivoTesting", "IndivoXML", "LoginSupport", "OAuth1", "OrderedJSON", "SDML", "SMARTLaunch",
    "SMARTScopes",
    "StudyDelivery", "StudyFormats", "StudyServer", "StudyWarehouse", "SurveyExchange", "SurveyLaunch",
    "SurveyPages", "Surveys",
    "TerminologyClient", "UCUM",
]

let package = Package(
    name: "swift-indivo",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: products.map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "indivo", targets: ["IndivoCommand"]),
        .executable(name: "profile2swift", targets: ["profile2swift"]),
        .executable(name: "sdml2swift", targets: ["sdml2swift"]),
        .plugin(name: "FHIRViewsPlugin", targets: ["FHIRViewsPlugin"]),
        .plugin(name: "SDMLBuildPlugin", targets: ["SDMLBuildPlugin"]),
        .plugin(name: "SDMLGeneratePlugin", targets: ["SDMLGeneratePlugin"]),
    ],
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
    targets: systems + base + fhir + record + servers + study + tool + codegen + support,
    swiftLanguageModes: [.v6]
)

// Stand for modules of Apple's SDKs.
if isAppleLike {
    package.targets += [
        .systemLibrary(name: "libxml2", path: "Tests/AppleLike/libxml2", pkgConfig: "libxml-2.0"),
        .target(name: "Security", path: "Tests/AppleLike/Security"),
        .target(name: "HealthKit", path: "Tests/AppleLike/HealthKit"),
        // What the example app uses: declarations alone, to type-check it.
        .target(name: "UIKit", path: "Tests/AppleLike/UIKit"),
        .target(name: "SwiftUI", dependencies: ["UIKit"], path: "Tests/AppleLike/SwiftUI"),
        .target(
            name: "AuthenticationServices",
            dependencies: ["SwiftUI"],
            path: "Tests/AppleLike/AuthenticationServices"
        ),
        .target(name: "BackgroundTasks", path: "Tests/AppleLike/BackgroundTasks"),
        .target(name: "UserNotifications", path: "Tests/AppleLike/UserNotifications"),
        .target(
            name: "StudyApp",
            dependencies: targets(
                """
                AuthenticationServices BackgroundTasks FHIR HealthKit HealthSamples Indivo IndivoOutbox \
                StudyDelivery Surveys SwiftUI UIKit UserNotifications
                """
            ),
            path: "Examples/StudyApp/StudyApp",
            exclude: [
                "Info.plist", "StudyApp.entitlements", "consent.json", "questionnaire.json", "schedule.json",
            ]
        ),
    ]
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
    package.products.removeAll { $0.name != "indivo" || !needed.contains("IndivoCommand") }
    package.targets.removeAll { !needed.contains($0.name) }
}

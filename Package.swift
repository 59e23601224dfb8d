// swift-tools-version: 6.2
import PackageDescription

// What an app pays for is what it links: `Indivo` and the modules below it build nothing of the sandbox,
// the command-line tool or the generator, and with `traits: []` SwiftPM does not even fetch their packages.
let outboxOnly = TargetDependencyCondition.when(platforms: [.linux], traits: ["Outbox"])
let formOnly = TargetDependencyCondition.when(platforms: [.linux], traits: ["ConsentForm"])
let studyOnly = TargetDependencyCondition.when(traits: ["Study"])
let postgreSQLOnly = TargetDependencyCondition.when(platforms: [.linux], traits: ["PostgreSQL"])
let backendSigningOnly = TargetDependencyCondition.when(traits: ["BackendSigning"])
let sandboxOnly = TargetDependencyCondition.when(traits: ["Sandbox"])
let toolOnly = TargetDependencyCondition.when(traits: ["Tool"])

// On Apple's systems the SDK has libxml2 (as the module `libxml2`), CryptoKit and URLSession; on Linux they are libraries
// of the system, found by pkg-config. With INDIVO_APPLE_LIKE=1, Linux compiles what Apple's systems compile, against
// swift-crypto and FoundationNetworking: scripts/test-apple-like.
let isAppleLike = Context.environment["INDIVO_APPLE_LIKE"] == "1"
let linuxOnly = TargetDependencyCondition.when(platforms: [.linux])
let apple: [Platform] = [.macOS, .iOS, .macCatalyst, .tvOS, .watchOS, .visionOS]

let libXML2: Target.Dependency = isAppleLike ? "libxml2" : .target(name: "CLibXML2", condition: linuxOnly)
let signing: Target.Dependency =
    isAppleLike ? .product(name: "Crypto", package: "swift-crypto") : .target(name: "CLibOAuth", condition: linuxOnly)
let transport: [Target.Dependency] = isAppleLike ? [] : [.target(name: "CLibCurl", condition: linuxOnly)]
let keychain: [Target.Dependency] = isAppleLike ? ["Security"] : []
let healthKit: [Target.Dependency] = isAppleLike ? ["HealthKit"] : []
let passwordHash: Target.Dependency =
    isAppleLike ? .product(name: "CryptoExtras", package: "swift-crypto") : .target(name: "CCrypt", condition: linuxOnly)

// What several targets depend on, and a setting of those with asynchronous functions.
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: sandboxOnly)
let studyCrypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto", condition: studyOnly)
let studyCryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto", condition: studyOnly)
let outboxCrypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto", condition: outboxOnly)
let signingCryptoExtras =
    Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto", condition: backendSigningOnly)
let nonisolated: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

// Each is the library of the target of its name.
let libraries = [
    "Indivo", "IndivoXML", "FHIR", "FHIRClient", "FHIRBackendSigning", "IndivoFHIR", "FHIRSandbox", "OAuth1", "HTTPTransport",
    "HealthSamples", "HealthUpload", "UCUM", "Surveys", "SurveyPages", "IndivoSurveys", "IndivoSamples", "StudyDelivery",
    "StudyWarehouse", "StudyServer", "StudyPages", "ConsentForm", "OrderedJSON", "IndivoOutbox", "DurableQueue", "IndivoSchemas",
    "IndivoTesting", "IndivoSandbox", "SDML",
]

let package = Package(
    name: "swift-indivo",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: libraries.map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "indivo", targets: ["IndivoCommand"]),
        .executable(name: "sdml2swift", targets: ["sdml2swift"]),
        .plugin(name: "SDMLBuildPlugin", targets: ["SDMLBuildPlugin"]),
        .plugin(name: "SDMLGeneratePlugin", targets: ["SDMLGeneratePlugin"]),
    ],
    traits: [
        .trait(name: "Outbox", description: "The outbox for working offline (fetches swift-crypto)."),
        .trait(name: "BackendSigning", description: "Keys for SMART backend services (fetches swift-crypto)."),
        .trait(
            name: "Study", description: "Delivery to a study (fetches swift-certificates and swift-crypto).",
            enabledTraits: ["Outbox"]),
        .trait(name: "PostgreSQL", description: "A study's queue and warehouse on PostgreSQL (needs libpq on Linux)."),
        .trait(name: "ConsentForm", description: "Signed consents as PDF (needs Pango and Cairo on Linux)."),
        .trait(name: "Sandbox", description: "The embedded Indivo server (fetches FlyingFox and GRDB)."),
        .trait(name: "Tool", description: "The command-line tool (fetches swift-argument-parser)."),
        .default(enabledTraits: ["BackendSigning", "ConsentForm", "Outbox", "PostgreSQL", "Sandbox", "Study", "Tool"]),
    ],
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
    targets: [
        // System libraries, of Linux alone.
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CLibOAuth", pkgConfig: "oauth", providers: [.apt(["liboauth-dev"])]),
        .systemLibrary(name: "CLibCurl", pkgConfig: "libcurl", providers: [.apt(["liboauth-dev"])]),
        .systemLibrary(name: "CPangoCairo", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CBZip2", providers: [.apt(["libbz2-dev"])]),
        // Password hashing for the sandbox and a study's pages.
        .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),

        // Deflate, of all systems: Debian's zlib1g-dev, and Apple's SDKs, which have the same header.
        .systemLibrary(name: "CZlib"),

        // The library. Each module may know only the ones above it.
        // libxml2 and the C library under one name.
        .target(name: "SystemXML", dependencies: [libXML2]),
        .target(name: "IndivoXML", dependencies: ["SystemXML"], linkerSettings: [.linkedLibrary("xml2", .when(platforms: apple))]),
        .target(name: "OAuth1", dependencies: ["SecretText", "URLCoding", signing]),
        // Secrets that no log shows; escapes and forms of URLs.
        .target(name: "SecretText"),
        .target(name: "URLCoding"),
        // One request, one response: libcurl on Linux, URLSession on Apple's systems. Its protocol has the module's name; where
        // another module has a name of it too, `HTTPTransport::HTTPLimits` is the module's (Swift 6.3).
        .target(name: "HTTPTransport", dependencies: ["ShownText", httpTypes] + transport, swiftSettings: nonisolated),
        // Texts from strangers as a terminal may show them.
        .target(name: "ShownText"),
        // Units of measure and their conversion; for FHIR's quantities and for sensors.
        .target(name: "UCUM"),
        // Regular expressions of questionnaires and FHIRPath, which come from strangers: matching them ends.
        .target(name: "BoundedRegex"),
        .target(name: "CivilCalendar"),
        // Numbers by hour, day, week or month of a time zone; overlapping sources once.
        .target(name: "TimeTotals", dependencies: ["CivilCalendar"]),
        // Random numbers that a seed determines, and what a misspelt word was meant to be.
        .target(name: "SeededRandom"),
        .target(name: "Suggestions"),
        // Zip archives as streams, read and written.
        .target(name: "ZipArchive", dependencies: ["CZlib", "CivilCalendar"]),
        .target(name: "OrderedJSON"),
        // FHIR R4: what the specification says as data, and resources as documents.
        .target(name: "FHIRTables"),
        .target(
            name: "FHIR",
            dependencies: ["BoundedRegex", "CivilCalendar", "FHIRTables", "IndivoXML", "OrderedJSON", "UCUM", "URLCoding"]),
        // The REST client of FHIR servers.
        .target(
            name: "FHIRClient",
            dependencies: ["FHIR", "HTTPTransport", "OrderedJSON", "SecretText", "ShownText", "URLCoding", httpTypes, logging],
            swiftSettings: nonisolated),
        // Samples to FHIR servers.
        .target(
            name: "HealthUpload", dependencies: ["FHIR", "FHIRClient", "HealthSamples", "IndivoModel", "OrderedJSON"],
            swiftSettings: nonisolated),
        // RSA and P-384 keys for the client's assertions: a target of its own, so that only who signs so compiles BoringSSL.
        .target(
            name: "FHIRBackendSigning",
            dependencies: [
                "FHIRClient", "OrderedJSON", "SecretText",
                .product(name: "Crypto", package: "swift-crypto", condition: backendSigningOnly), signingCryptoExtras,
            ]),
        .target(name: "IndivoModel", dependencies: ["CivilCalendar", "IndivoXML", "OrderedJSON", "URLCoding"]),
        // A record as FHIR.
        .target(
            name: "IndivoFHIR", dependencies: ["FHIR", "Indivo", "IndivoModel", "IndivoXML", "OrderedJSON", "UCUM"],
            swiftSettings: nonisolated),
        // Questionnaires as surveys, without a user interface.
        .target(name: "Surveys", dependencies: ["BoundedRegex", "CivilCalendar", "FHIR", "FHIRTables", "OrderedJSON", "UCUM"]),
        // Answers of surveys as documents of a record.
        .target(name: "IndivoSurveys", dependencies: ["FHIR", "IndivoModel", "OrderedJSON", "Surveys"]),
        // XML Schemas as code, for those who check against them; a target of its own, so that nobody else has them.
        .target(
            name: "IndivoSchemas", dependencies: ["IndivoXML"], path: "schemas", exclude: ["fhir", "health", "models"],
            sources: ["IndivoSchemas.swift"],
            resources: [.embedInCode("xml/answers.xsd"), .embedInCode("xml/documents.xsd"), .embedInCode("xml/report-items.xsd")]),
        // What phones and watches measured: HealthKit's types as data, and their samples as FHIR and as documents.
        .target(
            name: "HealthTables", path: "schemas/health", exclude: ["indivo", "indivo-table.json"],
            sources: ["HealthTables.swift"], resources: [.embedInCode("mapping.json"), .embedInCode("sample.schema.json")]),
        .target(
            name: "HealthSamples",
            dependencies: [
                "CivilCalendar", "FHIR", "HealthTables", "IndivoModel", "IndivoXML", "OrderedJSON", "Suggestions", "TimeTotals",
                "UCUM", "ZipArchive",
            ] + healthKit),
        .target(
            name: "Indivo",
            dependencies: [
                "HTTPTransport", "IndivoModel", "OAuth1", "SecretText", "ShownText", "URLCoding", httpTypes, logging,
            ] + keychain,
            swiftSettings: nonisolated),
        // Items on disk that outlive the process. It knows nothing of Indivo, and needs AES-GCM, which Apple's systems have.
        .target(name: "DurableQueue", dependencies: ["URLCoding", outboxCrypto], swiftSettings: nonisolated),
        // Writing while there is no network.
        .target(
            name: "IndivoOutbox", dependencies: ["Indivo", "DurableQueue", "URLCoding", outboxCrypto], swiftSettings: nonisolated),
        // Samples through the outbox of a record.
        .target(
            name: "IndivoSamples", dependencies: ["FHIR", "HealthSamples", "Indivo", "IndivoOutbox"], swiftSettings: nonisolated),
        // The signed form of a consent, as PDF.
        .target(name: "ConsentForm", dependencies: ["StudyDelivery", .target(name: "CPangoCairo", condition: formOnly)]),
        // What a participant gives, to the study: archives, encryption, endpoints and the queue.
        .target(
            name: "StudyDelivery",
            dependencies: [
                "CivilCalendar", "DurableQueue", "FHIR", "HTTPTransport", "OrderedJSON", "SecretText", "ShownText", "URLCoding",
                "ZipArchive", .target(name: "CBZip2", condition: studyOnly), studyCrypto, studyCryptoExtras, httpTypes,
                .product(name: "SwiftASN1", package: "swift-asn1", condition: studyOnly),
                .product(name: "X509", package: "swift-certificates", condition: studyOnly),
            ],
            swiftSettings: nonisolated),
        .target(
            name: "IndivoTesting", dependencies: ["Indivo", "OAuth1", "OrderedJSON", "SeededRandom", "Suggestions", httpTypes],
            swiftSettings: nonisolated),
        // One listening port: requests, responses, routes, and the markup of pages.
        .target(
            name: "HTTPServing",
            dependencies: [
                "CivilCalendar", "IndivoXML", .product(name: "FlyingSocks", package: "FlyingFox", condition: sandboxOnly),
            ]),
        // Activity, heart, sleep and workouts as web pages, of either sandbox.
        .target(
            name: "HealthPages", dependencies: ["CivilCalendar", "HTTPServing", "Suggestions", "TimeTotals", "UCUM", "URLCoding"]),
        // Surveys as web pages.
        .target(name: "SurveyPages", dependencies: ["FHIR", "HTTPServing", "OrderedJSON", "SecretText", "Surveys", "URLCoding"]),
        // Passwords, hashed so that guessing is slow.
        .target(name: "PasswordHashing", dependencies: ["SecretText", "URLCoding", passwordHash]),
        // A database file that its owner alone can read.
        .target(name: "PrivateSQLite", dependencies: [grdb]),
        .target(
            name: "FHIRSandbox",
            dependencies: [
                "CivilCalendar", "FHIR", "FHIRTables", "HTTPServing", "HealthPages", "IndivoXML", "OrderedJSON", "PrivateSQLite",
                "SurveyPages", "Surveys", "UCUM", "URLCoding", grdb,
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: sandboxOnly), logging,
            ]),
        // Connections to PostgreSQL, and the values and rows of SQL; without libpq, none can be opened.
        .target(
            name: "PostgreSQLConnection", dependencies: isAppleLike ? [] : [.target(name: "CLibPQ", condition: postgreSQLOnly)]),
        // What participants answered, as facts of i2b2.
        .target(
            name: "StudyWarehouse",
            dependencies: [
                "CivilCalendar", "FHIR", "HealthTables", "IndivoXML", "OrderedJSON", "PostgreSQLConnection", "PrivateSQLite",
                "URLCoding", studyCrypto, grdb,
            ]),
        // The other end of a study's delivery: receiver, queue of messages, and the consumer that fills the warehouse.
        .target(
            name: "StudyServer",
            dependencies: [
                "FHIR", "HTTPServing", "HTTPTransport", "OrderedJSON", "PostgreSQLConnection", "PrivateSQLite", "SecretText",
                "StudyDelivery", "StudyWarehouse", "URLCoding", studyCrypto, grdb, httpTypes, logging,
            ]),
        // The study team's pages, behind a login.
        .target(
            name: "StudyPages",
            dependencies: [
                "CivilCalendar", "DurableQueue", "HTTPServing", "PasswordHashing", "SecretText", "StudyServer", "StudyWarehouse",
                "URLCoding", studyCrypto, logging,
            ]),
        .target(
            name: "IndivoSandbox",
            dependencies: [
                "CivilCalendar", "HTTPServing", "HealthPages", "IndivoModel", "IndivoSchemas", "OAuth1", "OrderedJSON",
                "PasswordHashing", "PrivateSQLite", "SDML", "SecretText", "ShownText", "URLCoding", grdb, logging,
            ]),
        // Named apart from `Indivo`: on a case-insensitive disk a target `indivo` would collide with it.
        .executableTarget(
            name: "IndivoCommand",
            dependencies: [
                "CivilCalendar", "ConsentForm", "FHIR", "FHIRClient", "FHIRSandbox", "FHIRTables", "HTTPTransport", "HealthSamples",
                "HealthUpload", "Indivo", "IndivoFHIR", "IndivoOutbox", "IndivoSandbox", "IndivoSchemas", "IndivoTesting",
                "OrderedJSON", "SDML", "SecretText", "ShownText", "StudyDelivery", "StudyPages", "StudyServer", "StudyWarehouse",
                "Suggestions", "SurveyPages", "Surveys", "SwiftGenerator", "TimeTotals",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: toolOnly), logging,
            ],
            swiftSettings: nonisolated),

        // The generator: SDML → model → Swift.
        .target(name: "SDML", dependencies: ["OrderedJSON", "Suggestions"], path: "codegen/SDML"),
        .target(name: "SwiftGenerator", dependencies: ["SDML", "Suggestions"], path: "codegen/SwiftGenerator"),
        // The second front end: tables of FHIR → Swift.
        .target(name: "FHIRGenerator", dependencies: ["FHIRTables", "SwiftGenerator"], path: "codegen/FHIRGenerator"),
        .executableTarget(
            name: "fhir2swift", dependencies: ["FHIRGenerator", "FHIRTables", "SwiftGenerator"], path: "codegen/fhir2swift"),
        .executableTarget(name: "sdml2swift", dependencies: ["SwiftGenerator"], path: "codegen/sdml2swift"),
        .plugin(
            name: "SDMLBuildPlugin", capability: .buildTool(), dependencies: ["sdml2swift"],
            path: "codegen/Plugins/SDMLBuildPlugin"),
        .plugin(
            name: "SDMLGeneratePlugin",
            capability: .command(
                intent: .custom(verb: "generate-documents", description: "Write Swift document classes for SDML models."),
                permissions: [.writeToPackageDirectory(reason: "The generated classes are checked in.")]),
            dependencies: ["sdml2swift"], path: "codegen/Plugins/SDMLGeneratePlugin"),

        // What was recorded with a real server, for tests.
        .target(name: "RecordedTraffic", dependencies: ["OrderedJSON"], path: "Tests/RecordedTraffic"),
        .testTarget(name: "IndivoXMLTests", dependencies: ["IndivoXML", "RecordedTraffic", "SeededRandom"], exclude: ["Fixtures"]),
        // A server on a socket that answers by a script, for tests of several modules.
        .target(name: "LoopbackTesting", path: "Tests/LoopbackTesting"),
        .testTarget(name: "HTTPTransportTests", dependencies: ["HTTPTransport", "LoopbackTesting", httpTypes]),
        .testTarget(name: "HTTPServingTests", dependencies: ["HTTPServing", "LoopbackTesting"]),
        .testTarget(name: "UCUMTests", dependencies: ["UCUM"]),
        .testTarget(name: "TimeTotalsTests", dependencies: ["CivilCalendar", "SeededRandom", "TimeTotals"]),
        .testTarget(name: "HealthPagesTests", dependencies: ["HTTPServing", "HealthPages", "UCUM"]),
        .testTarget(name: "ZipArchiveTests", dependencies: ["SeededRandom", "ZipArchive"]),
        .testTarget(name: "BoundedRegexTests", dependencies: ["BoundedRegex", "SeededRandom"]),
        .testTarget(
            name: "OAuth1Tests", dependencies: ["OAuth1", "OrderedJSON", "RecordedTraffic", "SeededRandom"], exclude: ["Fixtures"]),
        .testTarget(name: "OrderedJSONTests", dependencies: ["OrderedJSON"]),
        .testTarget(name: "FHIRGeneratorTests", dependencies: ["FHIRGenerator", "FHIRTables"]),
        .testTarget(name: "FHIRTablesTests", dependencies: ["FHIRTables"]),
        .testTarget(name: "FHIRTests", dependencies: ["FHIR", "FHIRTables", "OrderedJSON"]),
        .testTarget(
            name: "IndivoFHIRTests", dependencies: ["FHIR", "FHIRSandbox", "Indivo", "IndivoFHIR", "IndivoSandbox", "OrderedJSON"]),
        .testTarget(
            name: "FHIRSandboxTests", dependencies: ["FHIR", "FHIRSandbox", "HTTPServing", "IndivoCommand", "OrderedJSON", grdb]),
        .testTarget(
            name: "FHIRClientTests",
            dependencies: [
                "FHIR", "FHIRBackendSigning", "FHIRClient", "FHIRSandbox", "HTTPTransport", "LoopbackTesting", "OrderedJSON",
                "SecretText", signingCryptoExtras, httpTypes, logging,
            ],
            swiftSettings: nonisolated),
        .testTarget(name: "IndivoModelTests", dependencies: ["IndivoModel", "IndivoSchemas", "RecordedTraffic", "SeededRandom"]),
        .testTarget(
            name: "HealthSamplesTests",
            dependencies: ["FHIR", "HealthSamples", "HealthTables", "OrderedJSON", "SeededRandom", "UCUM", "ZipArchive"]),
        .testTarget(
            name: "HealthUploadTests",
            dependencies: [
                "FHIR", "FHIRClient", "FHIRSandbox", "HTTPTransport", "HealthSamples", "HealthUpload", "OrderedJSON",
                "SeededRandom", httpTypes,
            ],
            swiftSettings: nonisolated),
        .testTarget(name: "SurveysTests", dependencies: ["FHIR", "OrderedJSON", "SeededRandom", "Surveys"]),
        .testTarget(
            name: "SurveyPagesTests",
            dependencies: ["FHIR", "HTTPServing", "IndivoCommand", "OrderedJSON", "SurveyPages", "Surveys"]),
        .testTarget(name: "IndivoSurveysTests", dependencies: ["FHIR", "IndivoModel", "IndivoSurveys", "OrderedJSON", "Surveys"]),
        .testTarget(
            name: "IndivoTests",
            dependencies: [
                "Indivo", "IndivoTesting", "LoopbackTesting", "OAuth1", "RecordedTraffic", httpTypes, logging,
            ] + keychain,
            exclude: ["Fixtures"]),
        .testTarget(name: "ConsentFormTests", dependencies: ["ConsentForm", "FHIR", "StudyDelivery"]),
        .testTarget(
            name: "StudyDeliveryTests",
            dependencies: [
                "DurableQueue", "FHIR", "HTTPTransport", "LoopbackTesting", "OrderedJSON", "SecretText", "SeededRandom",
                "StudyDelivery", "ZipArchive", .target(name: "CBZip2", condition: studyOnly), studyCrypto, httpTypes,
            ]),
        // A database of PostgreSQL, for tests of several modules.
        .target(name: "StudyTesting", dependencies: ["PostgreSQLConnection"], path: "Tests/StudyTesting"),
        .testTarget(
            name: "StudyWarehouseTests",
            dependencies: ["FHIR", "IndivoXML", "OrderedJSON", "PostgreSQLConnection", "StudyTesting", "StudyWarehouse"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "StudyServerTests",
            dependencies: [
                "DurableQueue", "FHIR", "HTTPTransport", "IndivoCommand", "OrderedJSON", "PostgreSQLConnection", "SecretText",
                "StudyDelivery", "StudyServer", "StudyTesting", "StudyWarehouse", studyCrypto, studyCryptoExtras, httpTypes,
            ]),
        .testTarget(
            name: "StudyPagesTests",
            dependencies: ["FHIR", "HTTPServing", "PasswordHashing", "SecretText", "StudyPages", "StudyServer", "StudyWarehouse"]),
        .testTarget(name: "DurableQueueTests", dependencies: ["DurableQueue"]),
        .testTarget(
            name: "IndivoOutboxTests",
            dependencies: ["Indivo", "IndivoCommand", "IndivoOutbox", "IndivoSandbox", "IndivoTesting", "OAuth1", httpTypes]),
        .testTarget(
            name: "IndivoSamplesTests",
            dependencies: ["HealthSamples", "Indivo", "IndivoOutbox", "IndivoSamples", "IndivoSandbox", "OAuth1"]),
        .testTarget(
            name: "IndivoSandboxTests",
            dependencies: ["IndivoSandbox", "IndivoXML", "OAuth1", "OrderedJSON", "RecordedTraffic", grdb, logging]),
        .testTarget(name: "SDMLTests", dependencies: ["SDML"]),
        // The snapshots in Generated are compiled into the tests, which run them.
        .testTarget(
            name: "SwiftGeneratorTests", dependencies: ["SwiftGenerator", "SDML", "IndivoModel", "IndivoXML"],
            exclude: ["Models", "Snapshots"]),
        // Runs the built tool, as a user would.
        .testTarget(
            name: "IndivoCommandTests", dependencies: ["FHIRSandbox", "IndivoCommand", "Indivo", "IndivoSandbox", "IndivoTesting"]),
        .testTarget(name: "EndToEndTests", dependencies: ["Indivo", "IndivoSandbox", "IndivoTesting", "OAuth1", httpTypes]),

        // A study's receiver beside a handler that only appends: scripts/study-load.
        .executableTarget(name: "StudyLoad", dependencies: ["HTTPServing", "StudyServer"], path: "Tests/StudyLoad"),
        // Proves the outbox by fault: scripts/soak.
        .executableTarget(
            name: "IndivoSoak",
            dependencies: [
                "DurableQueue", "HTTPServing", "HTTPTransport", "Indivo", "IndivoModel", "IndivoOutbox", "IndivoSandbox",
                "IndivoTesting", "OAuth1", "OrderedJSON", "SecretText", "StudyDelivery",
            ],
            path: "Tests/Soak", swiftSettings: nonisolated),
    ],
    swiftLanguageModes: [.v6]
)

// Stand for modules of Apple's SDKs.
if isAppleLike {
    package.targets += [
        .systemLibrary(name: "libxml2", path: "Sources/AppleLike/libxml2", pkgConfig: "libxml-2.0"),
        .target(name: "Security", path: "Sources/AppleLike/Security"),
        .target(name: "HealthKit", path: "Sources/AppleLike/HealthKit"),
    ]
}

// INDIVO_ONLY=SurveysTests,IndivoCommand builds these targets and what they need: a minute where all takes four.
if let only = Context.environment["INDIVO_ONLY"] {
    var needed: Set<String> = []
    var open = only.split(separator: ",").map(String.init)
    while let name = open.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
        for case .targetItem(let name, _) in target.dependencies { open.append(name) }
        for case .byNameItem(let name, _) in target.dependencies { open.append(name) }
    }
    package.products = []
    package.targets.removeAll { !needed.contains($0.name) }
}

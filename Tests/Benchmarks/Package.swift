// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the libraries compared with never enter the root's dependency graph.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-indivo", path: "../..", traits: ["Study"]),
        .package(url: "https://github.com/CoreOffice/XMLCoder", from: "0.17.1"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibXML2Tree",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]
        ),
        // How everything is measured.
        .target(name: "Measuring"),
        .executableTarget(
            name: "XMLBenchmarks",
            dependencies: [
                "Measuring", .product(name: "IndivoXML", package: "swift-indivo"), "XMLCoder", "CLibXML2Tree",
            ]
        ),
        .executableTarget(
            name: "JSONBenchmarks",
            dependencies: [
                "Measuring", .product(name: "FHIR", package: "swift-indivo"),
                .product(name: "FHIRPathEngine", package: "swift-indivo"),
                .product(name: "FHIRXML", package: "swift-indivo"),
                .product(name: "FHIRValidation", package: "swift-indivo"),
                .product(name: "OrderedJSON", package: "swift-indivo"),
            ]
        ),
        .executableTarget(
            name: "SurveyBenchmarks",
            dependencies: [
                "Measuring", .product(name: "FHIR", package: "swift-indivo"),
                .product(name: "OrderedJSON", package: "swift-indivo"),
                .product(name: "Surveys", package: "swift-indivo"),
            ]
        ),
        // Apple Health's export beside libxml2's SAX pass.
        .executableTarget(
            name: "SampleBenchmarks",
            dependencies: [
                "CLibXML2Tree", "Measuring", .product(name: "HealthSamples", package: "swift-indivo"),
            ]
        ),
        // Encryption beside openssl's, and the memory that a delivery of gigabytes takes.
        .executableTarget(
            name: "DeliveryBenchmarks",
            dependencies: [
                .product(name: "DurableQueue", package: "swift-indivo"),
                .product(name: "StudyDelivery", package: "swift-indivo"),
            ]
        ),
        .executableTarget(
            name: "DocumentBenchmarks",
            dependencies: ["Measuring", .product(name: "Indivo", package: "swift-indivo"), "XMLCoder"]
        ),
        // What an app calls, from the bytes of a response to documents.
        .executableTarget(
            name: "ReportBenchmarks",
            dependencies: ["Measuring", .product(name: "Indivo", package: "swift-indivo"), "XMLCoder"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Study",
    platforms: [.macOS(.v15), .iOS(.v18)],
    // The trait Study fetches swift-crypto and swift-certificates, and nothing of the sandbox or the tool.
    dependencies: [.package(name: "swift-indivo", path: "../..", traits: ["Study"])],
    targets: [
        // The program of StudyDelivery's tutorial, as it stands there.
        .executableTarget(
            name: "Study",
            dependencies: [
                .product(name: "HealthSamples", package: "swift-indivo"),
                .product(name: "StudyDelivery", package: "swift-indivo"),
                .product(name: "Surveys", package: "swift-indivo"),
            ]
        ),
        // The program of Indivo's tutorial. It needs the trait Outbox alone, but stands here so that
        // swift-crypto is compiled once.
        .executableTarget(
            name: "Record",
            dependencies: [
                .product(name: "Indivo", package: "swift-indivo"),
                .product(name: "IndivoOutbox", package: "swift-indivo"),
            ]
        ),
        // Views of FHIR profiles, generated when the program is built.
        .executableTarget(
            name: "ProfileViews",
            dependencies: [
                .product(name: "FHIR", package: "swift-indivo"),
                .product(name: "FHIRValidation", package: "swift-indivo"),
            ],
            plugins: [.plugin(name: "FHIRViewsPlugin", package: "swift-indivo")]
        ),
        // The README's snippets, as they stand there.
        .executableTarget(
            name: "Snippets",
            dependencies: [
                .product(name: "FHIR", package: "swift-indivo"),
                .product(name: "FHIRPathEngine", package: "swift-indivo"),
                .product(name: "FHIRValidation", package: "swift-indivo"),
                .product(name: "IndivoXML", package: "swift-indivo"),
                .product(name: "Surveys", package: "swift-indivo"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

// Two apps that do the same, one on this package's views and one on Apple's FHIRModels, for
// `scripts/benchmark --apps`. FHIR_MODELS is a copy of FHIRModels; without it there is only the first.
let models = Context.environment["FHIR_MODELS"]

let package = Package(
    name: "Apps",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-indivo", path: "../../..", traits: [])],
    targets: [
        // How both are measured.
        .target(name: "ShortestTime"),
        .executableTarget(
            name: "ViewsApp",
            dependencies: ["ShortestTime", .product(name: "FHIR", package: "swift-indivo")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
if let models {
    package.dependencies.append(.package(name: "FHIRModels", path: models))
    package.targets.append(
        .executableTarget(
            name: "ModelsApp",
            dependencies: ["ShortestTime", .product(name: "ModelsR4", package: "FHIRModels")],
            swiftSettings: [.swiftLanguageMode(.v5)]
        )
    )
}

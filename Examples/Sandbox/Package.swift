// swift-tools-version: 6.2
import PackageDescription

// Programs that run an Indivo server in process. One trait is enough for that, and fetches no cryptography.
let package = Package(
    name: "Sandbox",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-indivo", path: "../..", traits: ["Sandbox"])],
    targets: [
        // The main job, step by step: scripts/demo.
        .executableTarget(
            name: "Demo",
            dependencies: [
                .product(name: "Indivo", package: "swift-indivo"),
                .product(name: "IndivoSandbox", package: "swift-indivo"),
                .product(name: "IndivoTesting", package: "swift-indivo"),
            ]
        ),
        // A document type of one's own, generated from SDML when the program is built.
        .executableTarget(
            name: "CustomSchema",
            dependencies: [
                .product(name: "Indivo", package: "swift-indivo"),
                .product(name: "IndivoSandbox", package: "swift-indivo"),
            ],
            plugins: [.plugin(name: "SDMLBuildPlugin", package: "swift-indivo")]
        ),
    ],
    swiftLanguageModes: [.v6]
)

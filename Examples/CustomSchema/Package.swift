// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "CustomSchema",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-indivo", path: "../..")],
    targets: [
        .executableTarget(
            name: "CustomSchema",
            dependencies: [
                .product(name: "Indivo", package: "swift-indivo"),
                .product(name: "IndivoSandbox", package: "swift-indivo"),
            ],
            plugins: [.plugin(name: "SDMLBuildPlugin", package: "swift-indivo")])
    ],
    swiftLanguageModes: [.v6]
)

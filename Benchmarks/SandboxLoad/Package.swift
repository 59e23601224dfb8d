// swift-tools-version: 6.2
import PackageDescription

// Apart from the other benchmarks: this one needs the sandbox, which they are built without.
let package = Package(
    name: "SandboxLoad",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-indivo", path: "../..")],
    targets: [
        .executableTarget(
            name: "SandboxLoad",
            dependencies: [
                .product(name: "IndivoSandbox", package: "swift-indivo"), .product(name: "OAuth1", package: "swift-indivo"),
            ])
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

// Apart from the other benchmarks: this one needs the sandbox, which they are built without.
let package = Package(
    name: "SandboxLoad",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-indivo", path: "../../..", traits: ["Sandbox"]),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "SandboxLoad",
            dependencies: [
                .product(name: "IndivoSandbox", package: "swift-indivo"),
                .product(name: "OAuth1", package: "swift-indivo"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)

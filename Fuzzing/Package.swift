// swift-tools-version: 6.2
import PackageDescription

// Targets for libFuzzer, in a package of their own: they build only with its flags. `scripts/fuzz` runs them.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-indivo", path: "..", traits: [])],
    targets: ["FuzzParser", "FuzzSelector", "FuzzWriter"].map { name in
        .executableTarget(name: name, dependencies: [.product(name: "IndivoXML", package: "swift-indivo")])
    },
    swiftLanguageModes: [.v6]
)

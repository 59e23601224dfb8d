// swift-tools-version: 6.2
import PackageDescription

// `traits: []`: an app needs neither the sandbox nor the tool, and SwiftPM then fetches nothing for them.
let package = Package(
    name: "Medications",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "swift-indivo", path: "../..", traits: [])],
    targets: [
        // The README's example, as it stands there.
        .executableTarget(
            name: "Medications",
            dependencies: [.product(name: "Indivo", package: "swift-indivo")]
        ),
        // Documents on the main actor, as an app with a user interface has them.
        .target(name: "MedicationList", dependencies: [.product(name: "Indivo", package: "swift-indivo")]),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

// Targets for libFuzzer, in a package of their own: they build only with its flags. `scripts/fuzz` runs all
// that are here.
let targets: [(name: String, products: [String])] = [
    ("FuzzAnswers", ["Indivo"]),
    ("FuzzCallback", ["HTTPCalls", "Indivo", "OAuth1"]),
    ("FuzzDocument", ["Indivo"]),
    ("FuzzFHIR", ["FHIR", "FHIRXML", "OrderedJSON"]),
    ("FuzzFHIRPath", ["FHIR", "FHIRPathEngine"]),
    ("FuzzFHIRSearch", ["FHIRSandbox"]),
    ("FuzzFHIRDefinitions", ["FHIR", "FHIRValidation", "OrderedJSON"]),
    ("FuzzFHIRValidation", ["FHIR", "FHIRValidation"]),
    ("FuzzFHIRXML", ["FHIR", "FHIRXML", "OrderedJSON"]),
    ("FuzzForm", ["IndivoSandbox"]),
    ("FuzzHAR", ["IndivoTesting"]),
    ("FuzzJSON", ["OrderedJSON"]),
    ("FuzzOAuth", ["OAuth1"]),
    ("FuzzOutbox", ["IndivoOutbox", "DurableQueue"]),
    ("FuzzParser", ["IndivoXML"]),
    ("FuzzReader", ["IndivoXML"]),
    ("FuzzSDMJ", ["Indivo"]),
    ("FuzzSDML", ["SDML"]),
    ("FuzzSelector", ["IndivoXML"]),
    ("FuzzSignature", ["OAuth1"]),
    ("FuzzStudyArchive", ["HTTPCalls", "StudyDelivery"]),
    ("FuzzStudyEnvelope", ["StudyDelivery"]),
    ("FuzzStudyMessage", ["HTTPCalls", "StudyDelivery"]),
    ("FuzzWriter", ["IndivoXML"]),
]

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-indivo", path: "../..", traits: ["StudyServer"])],
    targets: targets.map { target in
        .executableTarget(
            name: target.name,
            dependencies: target.products.map { .product(name: $0, package: "swift-indivo") }
        )
    },
    swiftLanguageModes: [.v6]
)

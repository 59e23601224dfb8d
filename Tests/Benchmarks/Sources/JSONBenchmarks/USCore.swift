import FHIRValidation
import Foundation

/// The profiles of US Core, which the bundles claim, where the package is beside this one.
enum USCore {
    /// - Throws: `FHIRDefinitionsError`.
    static var options: ValidationOptions? {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../../../shared/fhir/packages/hl7.fhir.us.core-3.1.0.tgz")
                .standardizedFileURL
            guard FileManager.default.fileExists(atPath: file.path) else { return nil }
            let definitions = FHIRDefinitions()
            try definitions.add(contentsOf: file)
            var options = ValidationOptions()
            options.definitions = definitions
            return options
        }
    }
}

import SwiftGenerator

/// Data files as Swift: an enumeration with a text for each, so that no file is looked for at run time.
package enum EmbeddedFiles {
    /// - Parameters:
    ///   - name: The enumeration, and the generated file.
    ///   - files: The files' paths and texts. `schemas/xml/report-items.xsd` becomes the property
    ///     `reportItems`.
    package static func render(_ name: String, _ files: [(path: String, text: String)]) -> GeneratedFile {
        let properties = files.map { path, text in
            """
                /// `\(path)`.
                static let \(property(for: path)) = ##\"\"\"
            \(text)
            \"\"\"##
            """
        }
        return ViewRenderer.file(
            "\(name).swift",
            imports: [],
            ["enum \(name) {\n\(properties.joined(separator: "\n\n"))\n}"]
        )
    }

    private static func property(for path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        let words = file.prefix { $0 != "." }.split(separator: "-")
        return String(words[0]) + words.dropFirst().map { Names.capitalized(String($0)) }.joined()
    }
}

import FHIR
import FHIRGenerator
import FHIRTables
import FHIRValidation
import OrderedJSON
import SwiftGenerator

/// A compiler from profiles to Swift: `StructureDefinition` → `ProfileShape` → `ProfileView` → text.
package struct ProfileGenerator {
    /// What the views should be like.
    package struct Options: Sendable {
        /// Who may use the views: `public`, `package` or `internal`.
        package var access = GeneratorOptions.Access.public
        /// The name of the one file, without `.swift`, that takes all views; nil for a file a view.
        package var singleFile: String?
        /// Names of views, by the URLs of their profiles.
        package var names: [String: String] = [:]
        /// The command that generates again, named in the head of every file.
        package var command: String?

        package init() {}
    }

    /// What generating gives.
    package struct Result: Sendable {
        /// The files; empty when there are errors.
        package var files: [GeneratedFile] = []
        /// Why there are no views.
        package var errors: [String] = []
        /// What the views do not have, and why.
        package var remarks: [String] = []
    }

    /// How every generated file begins.
    package static let marker = ProfileViewRenderer.marker
    private static let prefix = "http://hl7.org/fhir/StructureDefinition/"

    private let definitions: FHIRDefinitions
    private let options: Options
    var names: ProfileNames
    private var result = Result()
    private var views: [String: ProfileView] = [:]
    /// Extensions whose views are being made, or have been.
    private var forms: [String: ExtensionForm?] = [:]
    private var reader: ProfileShapeReader

    private init(_ definitions: FHIRDefinitions, _ options: Options) {
        self.definitions = definitions
        self.options = options
        names = ProfileNames(asked: options.names)
        reader = ProfileShapeReader(definitions: definitions)
    }

    /// Views of profiles, and of the extensions that they need.
    ///
    /// - Parameter urls: The canonical URLs. What is no profile of a resource or datatype is left out, unless
    ///   it is in `asked`.
    package static func generate(
        _ urls: [String],
        asked: Set<String>,
        from definitions: FHIRDefinitions,
        options: Options = Options()
    ) -> Result {
        var generator = ProfileGenerator(definitions, options)
        return generator.run(urls, asked)
    }

    private mutating func run(_ urls: [String], _ asked: Set<String>) -> Result {
        var wanted: [(url: String, profile: Profile, json: JSONValue)] = []
        for url in Set(urls).sorted() {
            guard let json = definitions.resource(canonical: url)?.tree else {
                result.errors.append("\(url): is not known: add its definition, or the package that has it")
                continue
            }
            if let reason = reasonAgainst(json) {
                if asked.contains(url) { result.errors.append("\(url): \(reason)") }
                continue
            }
            guard let profile = definitions.profile(url) else { continue }
            // The property of an extension with a value has the value.
            if profile.type == "Extension", !asked.contains(url), !hasParts(profile) { continue }
            wanted.append((url, profile, json))
        }
        for (url, _, json) in wanted { name(url, json) }
        for (url, profile, json) in wanted {
            if profile.type == "Extension" {
                _ = form(url)
            } else {
                makeView(url, profile, json)
            }
        }
        result.remarks += names.remarks
        if !result.errors.isEmpty { return result }
        if views.isEmpty { result.errors.append("there is no profile among the definitions") }
        result.files = files()
        return result
    }

    private func files() -> [GeneratedFile] {
        let all = views.values.sorted { $0.name < $1.name }
        let renderer = ProfileViewRenderer(
            access: options.access.modifier,
            hidden: Set(all.flatMap(Self.names))
        )
        if let name = options.singleFile {
            return [renderer.file(name, all, command: options.command)]
        }
        return all.map { renderer.file($0.name, [$0], command: options.command) }
    }

    private static func names(_ view: ProfileView) -> [String] {
        [view.name] + view.choices.map(\.name) + view.nested.flatMap(names)
    }

    // MARK: Profiles

    private func reasonAgainst(_ json: JSONValue) -> String? {
        guard json["resourceType"]?.string == "StructureDefinition" else {
            return "is no StructureDefinition"
        }
        guard json["derivation"]?.string == "constraint" else {
            return "is no profile, but a type of its own"
        }
        guard let name = json["type"]?.string, let type = Definitions.r4.type(named: name), !type.isAbstract
        else { return "is a profile of \(json["type"]?.string ?? "nothing"), which R4 does not have" }
        let hasView = (type.kind == .resource || type.kind == .datatype) && type.name != "Reference"
        return hasView
            ? nil : "is a profile of \(type.name), and has no view: resources and datatypes have one"
    }

    private mutating func name(_ url: String, _ json: JSONValue) {
        let fallback = String(url.split(separator: "/").last ?? "Profile")
        names.choose(url, json["name"]?.string ?? fallback)
    }

    private func hasParts(_ profile: Profile) -> Bool {
        var reader = reader
        return reader.shape(of: profile).map(ProfileTranslator.hasParts) ?? false
    }

    private mutating func makeView(_ url: String, _ profile: Profile, _ json: JSONValue) {
        for problem in profile.problems {
            let text = "\(url): \(problem.text)"
            if problem.severity == .warning {
                result.errors.append(text)
            } else {
                result.remarks.append(text)
            }
        }
        guard let type = Definitions.r4.type(named: profile.type) else { return }
        guard let shape = reader.shape(of: profile) else {
            let maximum = ProfileShapeReader.maximumCount
            result.errors.append("\(url): has more than \(maximum) elements with those of its slices")
            return
        }
        var translator = ProfileTranslator(
            types: ProfileTypes(definitions: definitions, views: names.views),
            texts: texts(of: json),
            forms: self
        )
        let id = url.split(separator: "/").last ?? "?"
        let title = json["title"]?.string ?? json["name"]?.string ?? "The profile `\(id)`"
        let view = translator.view(
            of: shape,
            type,
            name: names.views[url] ?? "Profile",
            url: url,
            documentation: [
                "\(title.split(whereSeparator: \.isWhitespace).joined(separator: " ")). (FHIR "
                    + "`\(profile.type)`, `\(url)`.)"
            ]
        )
        self = translator.forms
        result.remarks += translator.remarks.map { "\(names.views[url] ?? url): \($0)" }
        views[url] = view
    }

    /// How the property of an extension is represented; nil where its definition is not known.
    mutating func form(_ url: String) -> ExtensionForm? {
        if let known = forms[url] { return known }
        guard let json = definitions.resource(canonical: url)?.tree, let profile = definitions.profile(url),
            profile.type == "Extension", let shape = reader.shape(of: profile)
        else { return nil }
        guard ProfileTranslator.hasParts(shape) else {
            let types = ProfileTypes(definitions: definitions, views: names.views)
            let form = ProfileTranslator.valueForm(of: shape, types)
            forms[url] = .some(form)
            if names.views[url] != nil { makeView(url, profile, json) }
            return form
        }
        if names.views[url] == nil { name(url, json) }
        let form = ExtensionForm.view(names.views[url] ?? "Extension")
        // An extension may have itself as a part.
        forms[url] = .some(form)
        makeView(url, profile, json)
        return form
    }

    /// The short descriptions of elements, by their ids; a later definition's before those of its base.
    private func texts(of json: JSONValue) -> [String: String] {
        var texts: [String: String] = [:]
        for part in ["snapshot", "differential"] {
            for element in json[part]?.elements(of: "element") ?? [] {
                guard let id = element["id"]?.string, let text = element["short"]?.string else { continue }
                let plain = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                texts[id] = plain.hasSuffix(".") ? plain : plain + "."
            }
        }
        return texts
    }
}

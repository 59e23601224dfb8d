import ArgumentParser
import FHIR
import FHIRValidation
import Foundation
import OrderedJSON
import RecordCommands

/// The definitions that a command knows besides those of R4.
struct DefinitionOptions: ParsableArguments {
    @Option(
        name: .customLong("definitions"),
        help: .value(
            "file",
            "A profile, extension or value set (JSON or XML), a folder of them, a package (.tgz) or compiled "
                + "definitions (.txt); may be repeated."
        ),
        completion: .file()
    )
    var files: [String] = []

    /// The definitions, with remarks on what was left out on standard error.
    ///
    /// - Throws: ``CommandFailure``.
    func definitions() throws -> FHIRDefinitions {
        guard !files.isEmpty else { return .r4 }
        let definitions = FHIRDefinitions()
        for file in files {
            do throws(FHIRDefinitionsError) {
                for remark in try definitions.add(contentsOf: URL(filePath: file)) {
                    StandardStreams.printError("remark: \(remark)")
                }
            } catch {
                throw CommandFailure("\(error)")
            }
        }
        return definitions
    }
}

struct FHIRSnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract:
            "Print a profile with its snapshot: every element of its type, with what the profile says of it.",
        discussion: """
            indivo fhir snapshot profile.json
            indivo fhir snapshot --definitions hl7.fhir.r4.core-4.0.1.tgz profile.xml

            With the package of R4 among the definitions, the elements have the texts of the specification.

            The exit status is 0 when the snapshot was printed, 1 when the differential has elements that \
            the type does not have (named on standard error), 2 when there is no snapshot.
            """
    )

    @Argument(help: "The StructureDefinition; standard input when left out or -.", completion: .file())
    var file: String = "-"

    @OptionGroup var known: DefinitionOptions

    func run() throws {
        let resource = try ResourceFile.resource(InputFile(path: file))
        let result: (definition: AnyResource, problems: [String])
        let definitions = try known.definitions()
        do throws(SnapshotError) {
            result = try definitions.snapshot(of: resource)
        } catch {
            throw CommandFailure("\(error)")
        }
        try StandardStreams.say(result.definition.tree.text(.pretty))
        for problem in result.problems { StandardStreams.printError(problem) }
        if !result.problems.isEmpty { throw ExitCode.nothingFound }
    }
}

struct FHIRPackageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "package",
        abstract: "Look into packages of FHIR definitions, and compile them.",
        discussion: """
            indivo fhir package list hl7.fhir.us.core-3.1.0.tgz
            indivo fhir package compile hl7.fhir.us.core-3.1.0.tgz > us-core.txt
            """,
        subcommands: [List.self, Compile.self]
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the definitions of files, folders and packages: type, URL, version and name.",
            discussion: """
                The exit status is 0 when there are definitions, 1 when there are none, \
                2 when a file cannot be read.
                """
        )

        @Argument(help: "Files, folders and packages.", completion: .file())
        var files: [String]

        @Flag(help: "Print a JSON array with an object for each definition.")
        var json = false

        func run() throws {
            var options = DefinitionOptions()
            options.files = files
            let definitions = try options.definitions()
            var rows: [JSONValue] = []
            for url in definitions.urls {
                guard let tree = definitions.resource(canonical: url)?.tree else { continue }
                let names = ["version", "name"].map { tree[$0]?.string ?? "" }
                let type = tree["resourceType"]?.string ?? ""
                if json {
                    rows.append([
                        "resourceType": JSONValue(type), "url": JSONValue(url),
                        "version": JSONValue(names[0]),
                        "name": JSONValue(names[1]),
                    ])
                } else {
                    try StandardStreams.say(([type, url] + names).joined(separator: "\t"))
                }
            }
            if json { try StandardStreams.say(JSONValue(rows).text(.pretty)) }
            if definitions.urls.isEmpty { throw ExitCode.nothingFound }
        }
    }

    struct Compile: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what validation needs of definitions, as a text that an app can carry.",
            discussion: """
                The text is read by FHIRDefinitions.add(compiled:), and by --definitions from a .txt file. A \
                definition in it is parsed when it is first used.
                """
        )

        @Argument(help: "Files, folders and packages.", completion: .file())
        var files: [String]

        @Option(
            help: .value(
                "type",
                "Which types of resources are written; may be repeated. By default StructureDefinition, "
                    + "ValueSet and "
                    + "CodeSystem."
            )
        )
        var type: [String] = []

        func run() throws {
            var options = DefinitionOptions()
            options.files = files
            let definitions = try options.definitions()
            let text = type.isEmpty ? definitions.compiled() : definitions.compiled(Set(type))
            try StandardStreams.write(Data(text.utf8))
        }
    }
}

import SDML
import SwiftGenerator

/// The arguments of `profile2swift`.
struct ProfileArguments: ToolArguments {
    typealias Failure = ArgumentReader.Failure

    var options = ProfileGenerator.Options()
    /// Files, folders and packages whose profiles become views.
    var inputs: [String] = []
    /// Those that only have what the others need.
    var definitions: [String] = []
    /// The only profiles that become views; empty for all of the inputs.
    var profiles: [String] = []
    var output: String?
    var isCheck = false
    var isQuiet = false
    var wantsHelp = false
    var optionsFile: String?
    var singleFile: String? { options.singleFile }
    var command: String? { options.command }

    static let help = """
        USAGE: profile2swift [options] FILE-or-FOLDER-or-PACKAGE … --output FOLDER

        Writes a Swift view for every profile of a resource or datatype among FHIR definitions:
        StructureDefinitions in JSON or XML, folders of them, packages (.tgz), compiled definitions (.txt).
        R4's own definitions are always known.

          --output FOLDER     Where the views go. Files there that are no longer generated are removed,
                              files that were not generated are never touched.
          --profile URL       Only this profile, and the extensions that it needs; may be repeated. R4's own
                              can be named too, also without any file.
          --definitions FILE  What the profiles need, and shall have no views; may be repeated.
          --name URL=NAME     What the view of a profile is called; may be repeated. By default the name of
                              the profile, without Profile at its end.
          --check             Write nothing; exit with 1 and name the files that are not up to date.
          --access LEVEL      public (the default), package or internal.
          --single-file NAME  One file NAME.swift for all views, instead of one for each.
          --command TEXT      The command to generate again, named in the head of every file.
          --options FILE      Read further options from a file: words between blanks, '#' begins a comment.
          --quiet             Say nothing when all is well.
          --help              Show this.

        Exit status: 0 when all is well, 1 when definitions have errors or --check finds differences,
        2 when the arguments make no sense or a file cannot be read or written.
        """

    init(_ arguments: [String]) throws(Failure) { try read(arguments) }

    /// Adds arguments.
    mutating func read(_ words: [String]) throws(Failure) {
        var reader = ArgumentReader(words)
        while let word = try reader.next() {
            guard case .option(let name) = word else {
                if case .input(let input) = word { inputs.append(input) }
                continue
            }
            switch name {
            case "--output", "-o": output = try reader.value("a folder")
            case "--profile": profiles.append(try reader.value("a URL"))
            case "--definitions": definitions.append(try reader.value("a file"))
            case "--name": try addName(reader.value("URL=NAME"))
            case "--check": isCheck = true
            case "--access": options.access = try reader.access()
            case "--single-file": options.singleFile = try swiftName(reader.value("a name"), after: name)
            case "--command": options.command = try reader.value("a command")
            case "--options": optionsFile = try reader.value("a file")
            case "--quiet", "-q": isQuiet = true
            case "--help", "-h": wantsHelp = true
            default: throw ArgumentReader.unknown(name, help: Self.help)
            }
        }
    }

    private func swiftName(_ text: String, after option: String) throws(Failure) -> String {
        if text.isASCIIIdentifier { return text }
        throw Failure("'\(text)' after \(option) is no name that Swift takes.")
    }

    private mutating func addName(_ text: String) throws(Failure) {
        guard let sign = text.lastIndex(of: "=") else {
            throw Failure("'\(text)' after --name is not URL=NAME.")
        }
        let name = try swiftName(String(text[text.index(after: sign)...]), after: "--name")
        if SwiftGrammar.keywords.contains(name) || ReservedViewNames.anywhere.contains(name) {
            throw Failure("'\(name)' after --name has another meaning in Swift, or in views.")
        }
        if options.names.values.contains(where: { $0.lowercased() == name.lowercased() }) {
            throw Failure("--name gives the name \(name) to two profiles.")
        }
        options.names[String(text[..<sign])] = name
    }
}

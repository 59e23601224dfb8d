import Foundation
import IndivoBase
import SDML
import SwiftGenerator

/// The arguments of `profile2swift`.
struct ProfileArguments {
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

    struct Failure: Error {
        let message: String
    }

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
    mutating func read(_ arguments: [String]) throws(Failure) {
        var remaining = arguments[...]
        while let argument = remaining.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                inputs.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            var inlineValue = parts.count > 1 ? String(parts[1]) : nil
            func value(_ what: String) throws(Failure) -> String {
                defer { inlineValue = nil }
                if let value = inlineValue ?? remaining.popFirst() { return value }
                throw Failure(message: "\(name) needs \(what) after it.")
            }
            switch name {
            case "--output", "-o": output = try value("a folder")
            case "--profile": profiles.append(try value("a URL"))
            case "--definitions": definitions.append(try value("a file"))
            case "--name": try addName(value("URL=NAME"))
            case "--check": isCheck = true
            case "--access": options.access = try access(value("public, package or internal"))
            case "--single-file": options.singleFile = try swiftName(value("a name"), after: name)
            case "--command": options.command = try value("a command")
            case "--options": optionsFile = try value("a file")
            case "--quiet", "-q": isQuiet = true
            case "--help", "-h": wantsHelp = true
            default:
                throw Failure(
                    message: "There is no option \(name).\(Spelling.hint(for: name, among: Self.names))"
                )
            }
            if inlineValue != nil { throw Failure(message: "\(name) takes no value.") }
        }
    }

    private static let names = help.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }

    private func access(_ text: String) throws(Failure) -> GeneratorOptions.Access {
        if let access = GeneratorOptions.Access(rawValue: text) { return access }
        throw Failure(message: "'\(text)' is no access level: it is public, package or internal.")
    }

    private func swiftName(_ text: String, after option: String) throws(Failure) -> String {
        if text.isASCIIIdentifier { return text }
        throw Failure(message: "'\(text)' after \(option) is no name that Swift takes.")
    }

    private mutating func addName(_ text: String) throws(Failure) {
        guard let sign = text.lastIndex(of: "=") else {
            throw Failure(message: "'\(text)' after --name is not URL=NAME.")
        }
        let name = try swiftName(String(text[text.index(after: sign)...]), after: "--name")
        if SwiftGrammar.keywords.contains(name) || ReservedViewNames.anywhere.contains(name) {
            throw Failure(message: "'\(name)' after --name has another meaning in Swift, or in views.")
        }
        if options.names.values.contains(where: { $0.lowercased() == name.lowercased() }) {
            throw Failure(message: "--name gives the name \(name) to two profiles.")
        }
        options.names[String(text[..<sign])] = name
    }

    /// Reads the file of options, where one is named.
    mutating func readOptions() throws(Failure) {
        guard let file = optionsFile else { return }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw Failure(message: "\(file) cannot be read.")
        }
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        // A URL may have a fragment: a comment begins a line or stands after a blank.
        let words = lines.flatMap { line in
            line.split(whereSeparator: \.isWhitespace).prefix { !$0.hasPrefix("#") }.map(String.init)
        }
        let given = self
        do throws(Failure) {
            try read(words)
            if inputs != given.inputs {
                throw Failure(message: "it names files, and may hold options only.")
            }
            if output != given.output || optionsFile != given.optionsFile {
                throw Failure(message: "--output and --options stand on the command line only.")
            }
        } catch {
            throw Failure(message: "\(file): \(error.message)")
        }
    }
}

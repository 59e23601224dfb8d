import SDML

/// The arguments of `sdml2swift`.
struct GeneratorArguments: ToolArguments {
    typealias Failure = ArgumentReader.Failure

    var options = GeneratorOptions()
    /// The files and folders to read, and the folder to write to.
    var inputs: [String] = []
    var output: String?
    var isCheck = false
    var isQuiet = false
    var wantsHelp = false
    var optionsFile: String?
    var singleFile: String? { options.singleFile }
    var command: String? { options.command }

    static let help = """
        USAGE: sdml2swift [options] FILE-or-FOLDER … --output FOLDER

        Writes a Swift document class for every model in SDML files (all *.sdml in and below a folder).
        Notes on x.sdml are read from x.notes.json beside it.

          --output FOLDER     Where the classes go. Files there that are no longer generated are removed,
                              files that were not generated are never touched.
          --check             Write nothing; exit with 1 and name the files that are not up to date.
          --access LEVEL      public (the default), package or internal.
          --prefix TEXT       What stands before the name of every class.
          --suffix TEXT       What stands after it.
          --single-file NAME  One file NAME.swift for all classes, instead of one for each.
          --import MODULE     A module to import; may be repeated. The default is Indivo.
          --no-import         Import nothing.
          --list NAME         Add a list of the classes, IndivoDocument.NAME.
          --list-access LEVEL Who may use it; by default who may use the classes.
          --external MODEL    A model whose class exists elsewhere, so that others may refer to it; may be \
        repeated.
          --command TEXT      The command to generate again, named in the head of every file.
          --options FILE      Read further options from a file: words between blanks, '#' begins a comment.
          --quiet             Say nothing when all is well.
          --help              Show this.

        Exit status: 0 when all is well, 1 when models have errors or --check finds differences,
        2 when the arguments make no sense or a file cannot be read or written.
        """

    init(_ arguments: [String]) throws(Failure) { try read(arguments) }

    /// Adds arguments.
    mutating func read(_ words: [String]) throws(Failure) {
        var reader = ArgumentReader(words)
        var givenImports: [String] = []
        while let word = try reader.next() {
            guard case .option(let name) = word else {
                if case .input(let input) = word { inputs.append(input) }
                continue
            }
            let noName = "after \(name) is no name that Swift takes."
            let noPart = "after \(name) cannot be part of a name in Swift."
            switch name {
            case "--output", "-o": output = try folder(reader.value("a folder"))
            case "--check": isCheck = true
            case "--access": options.access = try reader.access()
            case "--prefix":
                let text = try reader.value("a text")
                options.prefix = try checked(text, noPart) { $0.isEmpty || $0.isASCIIIdentifier }
            case "--suffix":
                options.suffix = try checked(reader.value("a text"), noPart) { "_\($0)".isASCIIIdentifier }
            case "--single-file": options.singleFile = try fileName(reader.value("a name"))
            case "--import":
                givenImports.append(try checked(reader.value("a module"), noName, \.isASCIIIdentifier))
            case "--no-import": options.imports = []
            case "--list": options.listName = try listName(reader.value("a name"))
            case "--list-access": options.listAccess = try reader.access()
            case "--external":
                let model = try reader.value("a model")
                options.externalModels.insert(try checked(model, noName, \.isASCIIIdentifier))
            case "--command": options.command = try reader.value("a command")
            case "--options": optionsFile = try reader.value("a file")
            case "--quiet", "-q": isQuiet = true
            case "--help", "-h": wantsHelp = true
            default: throw ArgumentReader.unknown(name, help: Self.help)
            }
        }
        if !givenImports.isEmpty { options.imports = givenImports }
    }

    /// A name that no static member of every document has.
    private func listName(_ text: String) throws(Failure) -> String {
        let name = try checked(text, "after --list is no name that Swift takes.", \.isASCIIIdentifier)
        let taken = SwiftGrammar.unusableMembers.union(["format", "modelName", "read", "register"])
        return try checked(name, "after --list is taken: choose another name.") { !taken.contains($0) }
    }

    /// A path without slashes at its end.
    private func folder(_ text: String) throws(Failure) -> String {
        if text.isEmpty { throw Failure("--output needs a folder after it.") }
        let path = text.replacing(/\/+$/, with: "")
        return path.isEmpty ? "/" : path
    }

    private func fileName(_ text: String) throws(Failure) -> String {
        let name = text.hasSuffix(".swift") ? String(text.dropLast(6)) : text
        if !name.isEmpty && !name.contains("/") && !name.hasPrefix(".") { return name }
        throw Failure("'\(text)' after --single-file is no name of a file.")
    }

    private func checked(_ text: String, _ fault: String, _ isGood: (String) -> Bool) throws(Failure)
        -> String
    {
        if isGood(text) { return text }
        throw Failure("'\(text)' \(fault)")
    }
}

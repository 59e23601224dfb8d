import Foundation

/// The arguments of a generator, some of which may stand in a file.
package protocol ToolArguments {
    /// The files and folders to read.
    var inputs: [String] { get }
    /// The folder to write to.
    var output: String? { get }
    /// Whether nothing is written, and a difference is a failure.
    var isCheck: Bool { get }
    /// Whether nothing is said when all is well.
    var isQuiet: Bool { get }
    /// The command that generates again.
    var command: String? { get }
    /// The name of the one file that takes everything; nil for several files.
    var singleFile: String? { get }
    /// The file with further options.
    var optionsFile: String? { get }

    /// Adds arguments.
    mutating func read(_ words: [String]) throws(ArgumentReader.Failure)
}

extension ToolArguments {
    /// Reads the file of options, where one is named. What a plugin has told the build already, where the
    /// output goes, is not for the file to say.
    package mutating func readOptions() throws(ArgumentReader.Failure) {
        guard let file = optionsFile else { return }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ArgumentReader.Failure("\(file) cannot be read.")
        }
        let given = self
        do throws(ArgumentReader.Failure) {
            try read(Self.words(of: String(decoding: data, as: UTF8.self)))
            if inputs != given.inputs {
                throw ArgumentReader.Failure("it names files, and may hold options only.")
            }
            if output != given.output || optionsFile != given.optionsFile {
                throw ArgumentReader.Failure("--output and --options stand on the command line only.")
            }
            if let name = given.singleFile, singleFile != name {
                throw ArgumentReader.Failure("--single-file was given on the command line, as \(name).")
            }
        } catch {
            throw ArgumentReader.Failure("\(file): \(error.message)")
        }
    }

    /// The words of a file of options. A comment begins a line or stands after a blank: a URL may have a
    /// fragment.
    private static func words(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).flatMap { line in
            line.split(whereSeparator: \.isWhitespace).prefix { !$0.hasPrefix("#") }.map(String.init)
        }
    }
}

import ArgumentParser
import Foundation
import IndivoXML

struct FormatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        abstract: "Print XML one element a line, indented.",
        discussion: """
            Only white space between elements changes: an element that holds text is printed as it is, \
            and so is everything below xml:space="preserve".

            The exit status is 0 when the document was printed, 2 when it cannot be read.
            """
    )

    @Argument(help: "The file; standard input when left out or -.", completion: .file()) var file: String =
        "-"

    @Flag(
        help:
            """
            Print the canonical form (W3C Canonical XML 1.0), in which documents that mean the same are equal.
            """
    )
    var canonical = false

    @Flag(help: "Print without white space between elements.") var compact = false

    @Flag(help: "Keep comments in the canonical form.") var comments = false

    func validate() throws {
        if canonical && compact { throw ValidationError("--canonical and --compact exclude each other.") }
        if comments && !canonical {
            throw ValidationError("--comments goes with --canonical; other forms keep comments anyway.")
        }
    }

    func run() throws {
        let input = InputFile(path: file)
        let document = try input.parse().document
        let text = try input.locating {
            // Byte for byte: the form exists to be compared and hashed.
            if canonical { return try document.canonical(withComments: comments) }
            if compact { document.removeIndentation() }
            let text = try document.data(compact ? .compact : .pretty)
            return text.last == UInt8(ascii: "\n") ? text : text + [UInt8(ascii: "\n")]
        }
        try StandardStreams.write(text)
    }
}

extension XMLNode {
    /// Removes white space from elements that hold nothing else but elements.
    fileprivate func removeIndentation() {
        if attr("xml:space") == "preserve" { return }
        let children = contents()
        let elements = children.filter { $0.kind == .element }
        let blanks = children.filter {
            $0.kind == .text && $0.text().utf8.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        }
        if !elements.isEmpty, blanks.count == children.count(where: { $0.kind == .text || $0.kind == .cdata })
        {
            for blank in blanks { blank.remove() }
        }
        for element in elements { element.removeIndentation() }
    }
}

import ArgumentParser
import FHIR
import Foundation
import OrderedJSON
import RecordCommands
import StudyDelivery

struct StudyConsentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent",
        abstract: "Make the signed form of a consent, and its resources.",
        discussion: """
            indivo study consent consent.json --answers answers.json --output signed

            Writes form.pdf, Contract.json and Consent.json (FHIR R4), Contract-c3pro.json as C3-PRO's \
            phones send it (STU3), and Contract-dstu2.json as its published consumer stores it, with mode \
            0600 into a folder with mode 0700 that must not have them yet. \
            The formats of the two files are in the documentation of StudyDelivery.

            The exit status is 0 when it was signed, 1 when it was not (what is missing or against it is \
            printed), 2 when a file is not what it should be.
            """
    )

    @Argument(help: "The consent document; - for standard input.", completion: .json)
    var document: String

    @Option(
        help: .value("file", "What was answered."),
        completion: .json
    )
    var answers: String

    @Option(help: .value("folder", "The folder to write to."), completion: .directory)
    var output: String

    @Option(
        help: .value("file", "The drawn signature, a PNG, when the answers have none."),
        completion: .file(extensions: ["png"])
    )
    var signature: String?

    func run() throws {
        let document = try InputFile(path: document).studyFile { try ConsentDocument(parsing: $0) }
        var answers = try InputFile(path: answers).studyFile {
            try ConsentAnswers(parsing: $0, for: document)
        }
        for warning in document.warnings { StandardStreams.printError("\(self.document): \(warning)") }
        for warning in answers.warnings { StandardStreams.printError("\(self.answers): \(warning)") }
        if let signature {
            guard answers.signature == nil else {
                throw CommandFailure(
                    "there is a signature in \(self.answers) and another in \(signature); leave one out"
                )
            }
            let image = try InputFile(path: signature).read()
            if let problem = SignatureImage.problem(image) {
                throw CommandFailure("\(signature): \(problem)")
            }
            answers.signature = image
        }
        switch document.decision(answers) {
        case .signed(let consent): try write(consent)
        case .incomplete(let elements):
            try refuse("missing from the answers: \(elements.joined(separator: ", "))")
        case .ineligible(let criterion): try refuse("not eligible: \(criterion)")
        case .notUnderstood(let questions):
            try refuse("not answered correctly: \(questions.joined(separator: ", "))")
        case .declined: try refuse("the participant does not agree")
        }
    }

    private func refuse(_ reason: String) throws {
        StandardStreams.printError("not signed: \(reason)")
        throw ExitCode.nothingFound
    }

    private func write(_ consent: SignedConsent) throws {
        let form: ConsentForm
        do { form = try ConsentForm(consent) } catch { throw CommandFailure("\(error)") }
        if form.missingCharacters > 0 {
            StandardStreams.printError(
                "warning: no installed font has \(form.missingCharacters) of the form's characters"
            )
        }
        let files = [
            ("form.pdf", form.pdf), ("Contract.json", consent.contract().json(.pretty)),
            ("Contract-c3pro.json", Data(consent.c3ProContract().utf8(.pretty))),
            ("Contract-dstu2.json", Data(consent.dstu2Contract().utf8(.pretty))),
            ("Consent.json", consent.consent().json(.pretty)),
        ]
        try NewFile.write(files, in: URL(filePath: output, directoryHint: .isDirectory))
        for (name, _) in files { try StandardStreams.say("\(output)/\(name)") }
    }
}

extension InputFile {
    /// Reads a file of a study.
    /// - Throws: ``CommandFailure`` with all its problems.
    func studyFile<Value>(_ read: (Data) throws -> Value) throws -> Value {
        do {
            return try read(try self.read())
        } catch let error as JSONError {
            throw CommandFailure("\(error.reason)", at: place(error.location.line, error.location.column))
        } catch let error as StudyFormatError {
            let lines = error.problems.map { problem in
                let text = (problem.path.isEmpty ? "" : problem.path + ": ") + problem.text
                return place(
                    problem.location?.line,
                    problem.location?.column
                ) + " \(problem.isError ? "error" : "warning"): \(text)"
            }
            throw CommandFailure(description: lines.joined(separator: "\n"), status: .wrongUse)
        }
    }
}

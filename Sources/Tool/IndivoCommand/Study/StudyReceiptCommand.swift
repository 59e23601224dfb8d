import ArgumentParser
import Foundation
import OrderedJSON
import RecordCommands
import StudyDelivery

struct StudyReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Verify a receipt of Apple's App Store, and show what it says.",
        discussion: """
            What a receiver with "registration": "appReceipt" does with what an app shows: signature, chain \
            of certificates, bundle identifier. Nobody is asked. Apple's root certificate is at \
            https://www.apple.com/certificateauthority/ (Apple Root CA).

            The exit status is 0 when it is genuine, 1 when it is not or is of another app, with the reason \
            on standard error, and 2 when a file is not what it should be.
            """
    )

    @Argument(
        help: "The receipt: the file of the app, or its base64 as in receipt-data.",
        completion: .file()
    )
    var file: String

    @Option(help: "Apple's root certificate, PEM or DER.", completion: .file())
    var root: String

    @Option(help: .value("id", "The app that it has to be of; may be repeated."))
    var bundle: [String] = []

    @Flag(help: "Take a signature over SHA-1, as devices before iOS 16.6 have it.")
    var allowSha1 = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let roots = try TrustAnchors(StudyFile.read(root, limit: 1 << 20))
        let receipt: AppReceipt
        do {
            receipt = try await AppReceipt(content(), trusting: roots, allowsSHA1: allowSha1)
            if !bundle.isEmpty { try receipt.check(bundles: Set(bundle)) }
        } catch let error as StudyError {
            StandardStreams.printError("\(file): \(error)")
            if case .notGenuine = error { throw ExitCode.nothingFound }
            throw ExitCode.wrongUse
        }
        let facts: [(String, JSONValue)] = [
            ("bundle", JSONValue(receipt.bundleID)), ("version", JSONValue(receipt.appVersion)),
            ("originalVersion", JSONValue(receipt.originalAppVersion)),
            ("created", JSONValue(receipt.created.description)),
            ("expires", JSONValue(receipt.expires?.description)),
            ("environment", JSONValue(receipt.environment)), ("purchases", JSONValue(receipt.purchases)),
            ("signer", JSONValue(receipt.signer)),
        ]
        if json {
            let object = JSONValue(members: facts.map { JSONMember(name: $0.0, value: $0.1) })
            return try StandardStreams.say(object.text(.pretty))
        }
        for (name, value) in facts where !value.isNull {
            try StandardStreams.say("\(name): \(value.string ?? value.text())")
        }
    }

    private func content() throws -> Data {
        let data = try StudyFile.read(file, limit: 2 << 20)
        guard data.first != 0x30 else { return data }
        let text = String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }
        guard let decoded = Data(base64Encoded: text) else {
            throw CommandFailure("\(file): this is neither a receipt nor its base64")
        }
        return decoded
    }
}

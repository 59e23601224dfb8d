import ArgumentParser
import Foundation
import Indivo
import OrderedJSON
import ShownText

/// The settings of a command: from its options, else the environment, else the file of credentials.
struct Settings {
    private let options: [Setting: String]
    private let environment: [Setting: String]
    private let file: [Setting: String]

    /// - Throws: ``CommandFailure`` for a file of credentials that cannot be used.
    init(options: [Setting: String], environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        self.options = options
        self.environment = environment.settings
        if let path = options[.credentials] ?? environment.settings[.credentials] {
            file = try CredentialsFile.read(path)
        } else {
            let path = CredentialsFile.standardPath(environment)
            file = FileManager.default.fileExists(atPath: path) ? try CredentialsFile.read(path) : [:]
        }
        try checkCharacters()
    }

    /// No setting has a control character: one that came in by mistake would hide another, or go out in a request.
    private func checkCharacters() throws {
        for (values, isOption) in [(options, true), (environment, false)] {
            for setting in Setting.allCases where values[setting]?.hasControlCharacters == true {
                let name = isOption ? setting.option ?? setting.rawValue : setting.rawValue
                throw CommandFailure("\(setting.meaning) (\(name)) holds a control character; give it without")
            }
        }
    }

    /// The setting's value; an empty one counts as none.
    subscript(setting: Setting) -> String? { find(setting)?.value }

    /// Where the setting's value is from, in words.
    func source(of setting: Setting) -> String? { find(setting)?.source }

    private func find(_ setting: Setting) -> (value: String, source: String)? {
        let sources = [(options, setting.option ?? "option"), (environment, "environment"), (file, "credentials file"),]
        for (values, source) in sources {
            if let value = values[setting], !value.isEmpty { return (value, source) }
        }
        return nil
    }

    /// - Throws: ``CommandFailure`` that says how to give the setting.
    func require(_ setting: Setting) throws -> String {
        if let value = self[setting] { return value }
        let example = setting.example.map { ", such as \($0)" } ?? ""
        let ways =
            setting.option.map { "set \(setting.rawValue), or give \($0)" } ?? """
                set \(setting.rawValue), or write it into a file of mode 0600 that INDIVO_CREDENTIALS names
                """
        throw CommandFailure("\(setting.meaning) is not known; \(ways)\(example)")
    }

    /// An address of a server.
    /// - Throws: ``CommandFailure``.
    func address(_ setting: Setting) throws -> URL {
        let text = try require(setting)
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            let host = url.host(), !host.isEmpty, url.user == nil, url.query == nil, url.fragment == nil
        else {
            throw CommandFailure(
                "\(setting.meaning) is “\(text)”, which is none; "
                    + "give \(setting.rawValue) as \(setting.example ?? "a URL")"
            )
        }
        return url
    }
}

extension [String: String] {
    /// The settings of an environment; an empty variable counts as none.
    fileprivate var settings: [Setting: String] {
        var settings: [Setting: String] = [:]
        for setting in Setting.allCases {
            if let value = self[setting.rawValue], !value.isEmpty { settings[setting] = value }
        }
        return settings
    }
}

/// What a command needs to know of the server and the app, by the name it has in the environment.
enum Setting: String, CaseIterable {
    case api = "INDIVO_API"
    case ui = "INDIVO_UI"
    case appID = "INDIVO_APP_ID"
    case consumerKey = "INDIVO_CONSUMER_KEY"
    case consumerSecret = "INDIVO_CONSUMER_SECRET"
    case token = "INDIVO_TOKEN"
    case tokenSecret = "INDIVO_TOKEN_SECRET"
    case record = "INDIVO_RECORD"
    case credentials = "INDIVO_CREDENTIALS"
    case sessions = "INDIVO_SESSIONS"
    case allowHTTP = "INDIVO_ALLOW_HTTP"

    /// The option that says the same. There is none for secrets: everyone on the machine can see a process's arguments.
    var option: String? {
        isSecret ? nil : "--" + rawValue.dropFirst("INDIVO_".count).lowercased().replacing("_", with: "-")
    }

    /// Whether it is never shown.
    var isSecret: Bool { [.consumerSecret, .token, .tokenSecret].contains(self) }

    /// What it is, for messages.
    var meaning: String {
        switch self {
        case .api: "the address of the API"
        case .ui: "the address of the server's pages"
        case .appID: "the app's id"
        case .consumerKey: "the consumer key"
        case .consumerSecret: "the consumer secret"
        case .token: "the access token"
        case .tokenSecret: "the access token's secret"
        case .record: "the record's id"
        case .credentials: "the file of settings"
        case .sessions: "the file of sessions"
        case .allowHTTP: "the hosts to which plain HTTP is allowed"
        }
    }

    /// What it looks like.
    var example: String? {
        switch self {
        case .api: "https://indivo.example.org:8000, or http://127.0.0.1:8000 for “indivo sandbox”"
        case .ui: "https://indivo.example.org, or http://127.0.0.1:8001 for “indivo sandbox”"
        case .appID, .consumerKey: "meds@apps.example.org"
        default: nil
        }
    }
}

/// Settings in a file that only its owner can read: lines such as `INDIVO_CONSUMER_SECRET=…`, as in the environment.
enum CredentialsFile {
    /// Where it is looked for when nothing else is named: `$XDG_CONFIG_HOME/indivo/credentials`, or in `~/.config`.
    static func standardPath(_ environment: [String: String]) -> String {
        BaseFolder.configuration.indivo(in: environment).appending(path: "credentials").path
    }

    /// Reads a file.
    /// - Throws: ``CommandFailure`` where it cannot be read, others can read it too, a line is no setting, or a value
    ///   holds a control character.
    static func read(_ path: String) throws -> [Setting: String] {
        let content: Data?
        do {
            content = try PrivateFile(path).read()
        } catch {
            throw failure(error, path)
        }
        guard let content else { throw CommandFailure("\(path): there is no such file") }
        var settings: [Setting: String] = [:]
        for (index, bytes) in lines(of: content).enumerated() {
            // What stands there may be a secret: it is not shown.
            func wrong(_ why: String) -> CommandFailure { CommandFailure(why, at: "\(path):\(index + 1):") }
            guard let text = String(validating: bytes, as: UTF8.self) else { throw wrong("this is no text in UTF-8") }
            let line = text.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
            guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")), let setting = Setting(name: line[..<equals])
            else {
                throw wrong("this is no setting; write NAME=value, with one of the names that indivo settings --help lists")
            }
            let value = unquoted(line[line.utf8.index(after: equals)...].trimmingCharacters(in: .whitespaces))
            guard !value.hasControlCharacters else {
                throw wrong("the value of \(setting.rawValue) holds a control character; write it without")
            }
            settings[setting] = value
        }
        return settings
    }

    /// The lines of a file, which end in LF or CRLF. To Swift, CRLF is one `Character`, and none that `"\n"` equals: the
    /// bytes are looked at.
    private static func lines(of content: Data) -> [Data] {
        let mark = Data([0xEF, 0xBB, 0xBF])
        return (content.starts(with: mark) ? content.dropFirst(mark.count) : content)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    }

    private static func failure(_ failure: PrivateFile.Failure, _ path: String) -> CommandFailure {
        switch failure {
        case .readableByOthers(let mode):
            CommandFailure(
                "\(path): others can read this file, or it is theirs (mode \(mode)), and it holds secrets; "
                    + "run chmod 600 \(path)")
        case .notAPlainFile:
            CommandFailure("\(path): this is a link or no plain file, from which no secrets are read; name the file itself")
        case .cannotRead(let reason), .cannotWrite(let reason):
            CommandFailure("\(path): it cannot be read (\(reason)); look at it with ls -l")
        }
    }

    private static func unquoted(_ text: String) -> String {
        for quote in ["\"", "'"] where text.count >= 2 && text.hasPrefix(quote) && text.hasSuffix(quote) {
            return String(text.dropFirst().dropLast())
        }
        return text
    }
}

extension Setting {
    /// - Parameter name: As a shell has it, perhaps behind `export`.
    fileprivate init?(name: Substring) {
        let words = name.split(whereSeparator: \.isWhitespace)
        guard let last = words.last, words.count == 1 || words.dropLast() == ["export"] else { return nil }
        self.init(rawValue: String(last))
    }
}

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Show which server, app and record the commands would use, and where that is set.",
        discussion: """
            Each setting comes from its option, else from the environment, else from the file of credentials, which \
            has lines such as INDIVO_CONSUMER_SECRET=… and mode 0600:

            INDIVO_API              --api              the address of the API
            INDIVO_UI               --ui               the address of the server's pages, for indivo login
            INDIVO_APP_ID           --app-id           the app's id; the consumer key unless given
            INDIVO_CONSUMER_KEY     --consumer-key     the consumer key; the app's id unless given
            INDIVO_CONSUMER_SECRET                     the consumer secret
            INDIVO_TOKEN                               the access token, instead of a kept session's
            INDIVO_TOKEN_SECRET                        its secret
            INDIVO_RECORD           --record           the record's id
            INDIVO_CREDENTIALS      --credentials      the file of credentials; ~/.config/indivo/credentials
            INDIVO_SESSIONS         --sessions         the file in which indivo login keeps sessions
            INDIVO_ALLOW_HTTP       --allow-http       hosts that may be asked without TLS, with commas between them

            There are no options for secrets, since everyone on a machine can see a process's arguments; nor are \
            secrets shown here.
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let settings = try connection.settings()
        let rows = Setting.allCases.map { setting in
            let value = settings[setting]
            let shown = setting.isSecret ? value.map { _ in "(set)" } : value
            return [setting.rawValue, shown ?? "", settings.source(of: setting) ?? "", setting.meaning]
        }
        try output.print(
            Listing(
                columns: [.init("name", "setting"), .init("value", "value"), .init("source", "from"), .init("meaning", "meaning"),],
                rows: rows,
                json: {
                    JSONValue(
                        rows.map { row in
                            [
                                "name": JSONValue(row[0]), "value": row[1].isEmpty ? .null : JSONValue(row[1]),
                                "source": row[2].isEmpty ? .null : JSONValue(row[2]), "meaning": JSONValue(row[3]),
                            ]
                        }
                    ).fileData
                },
                xml: {
                    let elements = rows.map { row in
                        XMLNode("Setting", attributes: ["name": row[0], "value": row[1], "source": row[2]])
                    }
                    return try RecordListings.list("Settings", elements).file()
                }), none: "")
    }
}

import ArgumentParser
import Foundation
import Indivo
import IndivoBase
import OrderedJSON

/// The settings of a command: from its options, else the environment, else the file of credentials.
struct Settings {
    private var found: [Setting: (value: String, source: String)] = [:]

    /// - Throws: ``CommandFailure`` for a file of credentials that cannot be used, and for a value with a
    ///   control character: one that came in by mistake would hide another, or go out in a request.
    init(options: [Setting: String], environment: [String: String] = ProcessInfo.processInfo.environment)
        throws
    {
        let variable = environment[Setting.credentials.rawValue].flatMap { $0.isEmpty ? nil : $0 }
        let path = options[.credentials] ?? variable
        // `$XDG_CONFIG_HOME/indivo/credentials`, or in `~/.config`.
        let standard = BaseFolder.configuration.indivo(in: environment).appending(path: "credentials").path
        let isThere = path != nil || FileManager.default.fileExists(atPath: standard)
        let file = isThere ? try CredentialsFile.read(path ?? standard) : [:]
        for setting in Setting.allCases {
            let sources = [
                (options[setting], setting.option ?? "option"),
                (environment[setting.rawValue], "environment"),
                (file[setting], "credentials file"),
            ]
            for case (let value?, let source) in sources where !value.isEmpty {
                if value.hasControlCharacters {
                    let name = source == setting.option ? source : setting.rawValue
                    throw CommandFailure(
                        "\(setting.meaning) (\(name)) holds a control character; give it without"
                    )
                }
                found[setting] = found[setting] ?? (value, source)
            }
        }
    }

    /// The setting's value; an empty one counts as none.
    subscript(setting: Setting) -> String? { found[setting]?.value }

    /// Where the setting's value is from, in words.
    func source(of setting: Setting) -> String? { found[setting]?.source }

    /// The app's id, or its consumer key, which is the same unless both are given.
    var app: String? { self[.appID] ?? self[.consumerKey] }

    /// Whether a session is for the server, app and record that are named, as far as they are.
    func fit(_ session: IndivoSession) -> Bool {
        (self[.api].map { $0.trimmingSlash == session.api.absoluteString.trimmingSlash } ?? true)
            && (app ?? session.app) == session.app && (self[.record] ?? session.record) == session.record
    }

    func require(_ setting: Setting) throws -> String {
        if let value = self[setting] { return value }
        let example = setting.example.map { ", such as \($0)" } ?? ""
        let way =
            setting.option.map { "give \($0)" }
            ?? "write it into a file of mode 0600 that INDIVO_CREDENTIALS names"
        throw CommandFailure("\(setting.meaning) is not known; set \(setting.rawValue), or \(way)\(example)")
    }

    func address(_ setting: Setting) throws -> URL {
        let text = try require(setting)
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host()?.isEmpty == false,
            url.user == nil, url.query == nil, url.fragment == nil
        else {
            let example = setting.example ?? "a URL"
            throw CommandFailure(
                "\(setting.meaning) is “\(text)”, which is none; give \(setting.rawValue) as \(example)"
            )
        }
        return url
    }
}

extension String { fileprivate var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self } }

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

    /// By its name as a shell has it, perhaps behind `export`.
    fileprivate init?(name: Substring) {
        let words = name.split(whereSeparator: \.isWhitespace)
        guard let last = words.last, words.count == 1 || words.dropLast() == ["export"] else { return nil }
        self.init(rawValue: String(last))
    }

    /// The option that says the same. There is none for secrets: everyone on the machine can see a process's
    /// arguments.
    var option: String? {
        isSecret ? nil : "--" + rawValue.dropFirst("INDIVO_".count).lowercased().replacing("_", with: "-")
    }

    /// Whether it is never shown.
    var isSecret: Bool { [.consumerSecret, .token, .tokenSecret].contains(self) }

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

    var example: String? {
        switch self {
        case .api: "https://indivo.example.org:8000, or http://127.0.0.1:8000 for “indivo sandbox”"
        case .ui: "https://indivo.example.org, or http://127.0.0.1:8001 for “indivo sandbox”"
        case .appID, .consumerKey: "meds@apps.example.org"
        default: nil
        }
    }
}

/// Settings in a file that only its owner can read: lines such as `INDIVO_CONSUMER_SECRET=…`, as in the
/// environment.
enum CredentialsFile {
    static func read(_ path: String) throws -> [Setting: String] {
        guard let content = try content(of: path) else {
            throw CommandFailure("\(path): there is no such file")
        }
        var settings: [Setting: String] = [:]
        // To Swift, CRLF is one `Character`, and none that `"\n"` equals: the bytes are looked at.
        let unmarked = content.trimmingPrefix([0xEF, 0xBB, 0xBF])
        for (index, bytes) in unmarked.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            // What stands there may be a secret: it is not shown.
            func wrong(_ why: String) -> CommandFailure { CommandFailure(why, at: "\(path):\(index + 1):") }
            let bytes = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw wrong("this is no text in UTF-8")
            }
            let line = text.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
            guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")),
                let setting = Setting(name: line[..<equals])
            else {
                throw wrong(
                    """
                    this is no setting; write NAME=value, with one of the names that indivo \
                    settings --help lists
                    """
                )
            }
            var value = line[line.utf8.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            let isQuoted = ["\"", "'"].contains {
                value.count >= 2 && value.hasPrefix($0) && value.hasSuffix($0)
            }
            if isQuoted { value = String(value.dropFirst().dropLast()) }
            guard !value.hasControlCharacters else {
                throw wrong("the value of \(setting.rawValue) holds a control character; write it without")
            }
            settings[setting] = value
        }
        return settings
    }

    private static func content(of path: String) throws -> Data? {
        do {
            return try PrivateFile(path).read()
        } catch .readableByOthers(let mode) {
            throw CommandFailure(
                """
                \(path): others can read this file, or it is theirs (mode \(mode)), and it holds secrets; \
                run chmod 600 \(path)
                """
            )
        } catch .notAPlainFile {
            throw CommandFailure(
                """
                \(path): this is a link or no plain file, from which no secrets are read; \
                name the file itself
                """
            )
        } catch .cannotRead(let reason), .cannotWrite(let reason) {
            throw CommandFailure("\(path): it cannot be read (\(reason)); look at it with ls -l")
        }
    }
}

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Show the server, app and record that the commands use, and where they are set.",
        discussion: """
            Each setting comes from its option, else from the environment, else from the file of \
            credentials, which has lines such as INDIVO_CONSUMER_SECRET=… and mode 0600:

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
            INDIVO_ALLOW_HTTP       --allow-http       hosts that may be asked without TLS, with commas \
            between them

            There are no options for secrets, since everyone on a machine can see a process's arguments; \
            nor are secrets shown here.
            """
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let settings = try connection.settings()
        let rows = Setting.allCases.map { setting in
            let value = settings[setting].map { setting.isSecret ? "(set)" : $0 }
            return [setting.rawValue, value, settings.source(of: setting), setting.meaning].map {
                JSONValue($0)
            }
        }
        try output.print(
            Listing(
                ["name": "setting", "value": "value", "source": "from", "meaning": "meaning"],
                rows,
                list: "Settings",
                element: "Setting",
                attributes: ["name", "value", "source"]
            )
        )
    }
}

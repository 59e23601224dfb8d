import Foundation
import Indivo
import IndivoBase

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
        let isThere = path != nil || standard.fileExists
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

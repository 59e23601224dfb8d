import Foundation
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
        let sources = [
            (options, setting.option ?? "option"), (environment, "environment"), (file, "credentials file"),
        ]
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

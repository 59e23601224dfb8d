import Foundation

/// A folder for a person's files by the XDG Base Directory Specification, where a system has no way of its
/// own.
package enum BaseFolder: String, Sendable {
    /// For what configures an app.
    case configuration = "XDG_CONFIG_HOME"
    /// For data that an app made.
    case data = "XDG_DATA_HOME"
    /// For what an app keeps from run to run.
    case state = "XDG_STATE_HOME"

    /// Where this system has such files: on Apple's, a folder in Application Support.
    package static func standard(_ base: BaseFolder, onApple name: String = "indivo") -> URL {
        #if canImport(Darwin)
        URL.applicationSupportDirectory.appending(path: name)
        #else
        base.indivo()
        #endif
    }

    /// The part of the folder that is this library's.
    package func indivo(in environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        let standardPath =
            switch self {
            case .configuration: ".config"
            case .data: ".local/share"
            case .state: ".local/state"
            }
        // The specification: a relative path in a variable is to be ignored.
        func folder(_ variable: String) -> URL? {
            environment[variable].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        }
        let base = folder(rawValue) ?? (folder("HOME") ?? URL.homeDirectory).appending(path: standardPath)
        return base.appending(path: "indivo")
    }
}

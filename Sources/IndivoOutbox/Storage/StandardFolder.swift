#if Outbox
import Foundation

/// Where a person's files belong on this system.
enum StandardFolder {
    /// For data that an app made.
    static var data: URL { folder("XDG_DATA_HOME", ".local/share") }

    /// For what configures an app.
    static var configuration: URL { folder("XDG_CONFIG_HOME", ".config") }

    private static func folder(_ variable: String, _ path: String) -> URL {
        #if canImport(Darwin)
        URL.applicationSupportDirectory.appending(path: "indivo")
        #else
        // The XDG specification: a relative path in a variable is to be ignored.
        if let given = ProcessInfo.processInfo.environment[variable], given.hasPrefix("/") {
            URL(filePath: given).appending(path: "indivo")
        } else {
            URL.homeDirectory.appending(path: path).appending(path: "indivo")
        }
        #endif
    }
}
#endif

import DurableQueue
import Foundation
import Indivo

/// Where a person's files belong on this system.
enum StandardFolder {
    /// For data that an app made.
    static var data: URL { folder(.data) }

    /// For what configures an app.
    static var configuration: URL { folder(.configuration) }

    private static func folder(_ base: BaseFolder) -> URL {
        #if canImport(Darwin)
        URL.applicationSupportDirectory.appending(path: "indivo")
        #else
        base.indivo()
        #endif
    }
}

extension FileKeyStore {
    /// The key in `outbox.key` of the person's own configuration folder: `$XDG_CONFIG_HOME/indivo`, or
    /// `~/.config/indivo`; on Apple's systems `indivo` in Application Support.
    public static var standard: FileKeyStore {
        FileKeyStore(StandardFolder.configuration.appending(path: "outbox.key"))
    }
}

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

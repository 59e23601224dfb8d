import Foundation
import Indivo
import StudyDelivery

/// What the app knows of its study and its record server: replace all of it.
enum Study {
    static let id = "org.example.sleep"
    static let antispam: Secret = "the app's anti-spam token"
    static let callbackScheme = "indivo-study"
    // Literals of URLs, which are valid.
    static let receiver = URL(string: "https://study.example.org/c3pro")!
    private static let recordAPI = URL(string: "https://record.example.org")!
    private static let recordPages = URL(string: "https://pages.record.example.org")!

    static let server = IndivoServer(
        api: recordAPI,
        ui: recordPages,
        app: AppCredentials(id: "sleep@apps.example.org", consumerKey: "sleep", consumerSecret: "secret"),
        options: IndivoServer.Options(
            sessions: ItemSessionStore(Keychain(service: "org.example.sleep.sessions"))
        )
    )

    /// A file of the app.
    static func file(_ name: String, _ type: String = "json") throws -> Data {
        guard let url = Bundle.main.url(forResource: name, withExtension: type) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try Data(contentsOf: url)
    }

    /// Where everything is kept. The system's own protection of files is on until the first unlock after a
    /// restart, as the keychain's is: a delivery in the background reads both while the phone is locked.
    static func folder() throws -> URL {
        let support = try FileManager.default.url(
            for: .applicationSupportDirectory,
            in: .userDomainMask,
            appropriateFor: nil,
            create: true
        )
        var folder = support.appending(path: "study", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The key does not leave this phone, so a backup could not be read.
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try folder.setResourceValues(values)
        return folder
    }
}

import Foundation
import IndivoBase
import RecordCommands

extension StudyPlace {
    /// What two ways to one place have in common: a file's path without links, or the numbers that the system
    /// knows it by; a database's host, port, name and search path, whoever asks.
    ///
    /// Two names of one host are not known to be one.
    var identity: String {
        switch self {
        case .file(let url): Self.identity(of: url)
        case .postgreSQL(let url): Self.identity(ofDatabase: url)
        case .sqs(let url): "sqs:" + url.prefix { $0 != "?" }.trimmingSuffix("/").lowercased()
        }
    }

    private static func identity(of url: URL) -> String {
        let file = url.withLinksFollowed
        let path = file.filePath
        if let number = number(of: path) { return number }
        // It is made later, in a folder that may have two names.
        let folder = file.deletingLastPathComponent().filePath
        return number(of: folder).map { "\($0)/\(file.lastPathComponent)" } ?? path
    }

    /// The numbers that the system knows a file or folder by; `nil` where there is none.
    private static func number(of path: String) -> String? {
        guard let known = try? FileManager.default.attributesOfItem(atPath: path),
            let disk = known[.systemNumber], let number = known[.systemFileNumber]
        else { return nil }
        return "/\(disk)/\(number)"
    }

    private static func identity(ofDatabase text: String) -> String {
        guard let url = URLComponents(string: text) else { return text }
        func item(_ names: String...) -> String? {
            url.queryItems?.last { names.contains($0.name) }?.value
        }
        let host = (item("hostaddr", "host") ?? url.host ?? "").lowercased()
        let isLocal = ["", "localhost", "127.0.0.1", "::1", "[::1]"].contains(host) || host.hasPrefix("/")
        let port = item("port") ?? url.port.map(String.init) ?? "5432"
        let name = item("dbname") ?? String(url.path.dropFirst())
        let path = item("options").map { " " + $0 } ?? ""
        return "postgresql:\(isLocal ? "local" : host):\(port)/\(name)\(path)"
    }
}

extension StringProtocol {
    /// Without one character at the end.
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        last == character ? String(dropLast()) : String(self)
    }
}

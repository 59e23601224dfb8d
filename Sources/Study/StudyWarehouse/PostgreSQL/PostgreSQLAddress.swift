import Foundation

/// A database of PostgreSQL, as in `postgresql://user@host:5432/database`.
///
/// A password is not part of it: libpq takes it from `PGPASSWORD`, or from the file `~/.pgpass` or
/// `PGPASSFILE`. To another machine the connection has TLS, and the server's name is verified, unless
/// `sslmode` says otherwise. A service's server may be another machine: libpq's file of services is not read.
package struct PostgreSQLAddress: Sendable, Hashable {
    /// What libpq is given. It is shown to nobody.
    let url: String
    /// Whether every server of it is on this machine.
    let isLocal: Bool

    /// - Throws: ``PostgreSQLError/badAddress(_:)``, ``PostgreSQLError/notBuilt``.
    package init(_ url: String, environment: [String: String] = ProcessInfo.processInfo.environment)
        throws(PostgreSQLError)
    {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://"), url.utf8.count <= 4096,
            !url.contains("\0"),
            let options = try PostgreSQLSession.options(of: url)
        else {
            throw .badAddress(
                "this is no URL of PostgreSQL; it looks like postgresql://user@host:5432/database"
            )
        }
        guard options["password"] == nil else {
            throw .badAddress(
                """
                a password in a URL is seen by everybody who lists the processes; \
                put it into PGPASSWORD or ~/.pgpass
                """
            )
        }
        guard options["sslpassword"] == nil else {
            throw .badAddress(
                """
                a pass phrase in a URL is seen by everybody who lists the processes; \
                take an sslkey without one, with mode 0600
                """
            )
        }
        self.url = url
        // As libpq does it: what the URL has, though empty, goes before the environment, and an address
        // before a name.
        func value(_ option: String, _ variable: String) -> String? {
            options[option] ?? environment[variable]
        }
        let addresses = value("hostaddr", "PGHOSTADDR") ?? ""
        let names = addresses.isEmpty ? value("host", "PGHOST") ?? "" : addresses
        isLocal = value("service", "PGSERVICE") == nil && names.split(separator: ",").allSatisfy(Self.isLocal)
    }

    private static func isLocal(_ name: Substring) -> Bool {
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return name.hasPrefix("/") || name.hasPrefix("@") || name == "localhost" || name == "::1"
            || numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}

import Crypto
import Foundation
import GRDB
import PrivateSQLite
import URLCoding

/// The apps that registered, their tokens, and how many participants each state has. Secrets and tokens are there as
/// digests alone.
final class ClientRegistry: Sendable {
    private let database: any DatabaseWriter
    private let now: @Sendable () -> Int

    init(_ file: URL?, now: @escaping @Sendable () -> Int) throws {
        database = try PrivateSQLite.open(file)
        self.now = now
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE client (id TEXT PRIMARY KEY, secret TEXT NOT NULL, created INTEGER NOT NULL);
                    CREATE TABLE token (
                        digest TEXT PRIMARY KEY, client TEXT NOT NULL REFERENCES client (id), expires INTEGER NOT NULL);
                    CREATE INDEX tokenByTime ON token (expires);
                    CREATE TABLE participant (digest TEXT PRIMARY KEY, state TEXT NOT NULL);
                    """)
        }
        try migrator.migrate(database)
    }

    static func digest(_ text: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Data(text.utf8)))
    }

    /// Random bytes of the system's generator.
    private static func random(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Registers an app. The secret is known to it alone from now on.
    func register() async throws -> (id: String, secret: String) {
        let id = UUID().uuidString.lowercased()
        let secret = Self.random(64).base64EncodedString()
        let time = now()
        try await database.write { db in
            try db.execute(sql: "INSERT INTO client VALUES (?, ?, ?)", arguments: [id, Self.digest(secret), time])
        }
        return (id, secret)
    }

    /// Whether this is a client's secret.
    func isClient(_ id: String, secret: String) async throws -> Bool {
        let stored = try await database.read {
            try String.fetchOne($0, sql: "SELECT secret FROM client WHERE id = ?", arguments: [id])
        }
        // Digests are compared: the time that takes says nothing about the secret.
        return stored == Self.digest(secret)
    }

    /// A new token for a client.
    func issueToken(to client: String, lifetime: Int) async throws -> String {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._")
        let token = String(Self.random(64).map { alphabet[Int($0) % 64] })
        let time = now()
        try await database.write { db in
            try db.execute(sql: "DELETE FROM token WHERE expires <= ?", arguments: [time])
            // A client needs one; those of requests that crossed are left, and no more.
            try db.execute(
                sql: """
                    DELETE FROM token WHERE client = ? AND digest NOT IN
                        (SELECT digest FROM token WHERE client = ? ORDER BY expires DESC LIMIT 9)
                    """, arguments: [client, client])
            try db.execute(sql: "INSERT INTO token VALUES (?, ?, ?)", arguments: [Self.digest(token), client, time + lifetime])
        }
        return token
    }

    /// The client whom a token was given to; `nil` for another text, or one whose time is over.
    func client(ofToken token: String) async throws -> String? {
        let (digest, time) = (Self.digest(token), now())
        return try await database.read { db in
            try String.fetchOne(db, sql: "SELECT client FROM token WHERE digest = ? AND expires > ?", arguments: [digest, time])
        }
    }

    /// Counts a participant for a state; the same one again for the newest.
    func count(participant: String, state: String) async throws {
        try await database.write { db in
            try db.execute(
                sql: "INSERT INTO participant VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state",
                arguments: [Self.digest(participant.lowercased()), state])
        }
    }

    /// How many participants each state has.
    func states() async throws -> [String: Int] {
        try await database.read { db in
            try Row.fetchAll(db, sql: "SELECT state, count(*) FROM participant GROUP BY state").reduce(into: [:]) {
                $0[$1[0] as String] = $1[1] as Int
            }
        }
    }
}

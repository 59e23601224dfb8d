import Crypto
import DurableQueue
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats

/// A log of who did what in a study: a file of JSON lines, each with the digest of the one before it.
///
/// ```swift
/// let log = AuditLog(URL(filePath: "audit.jsonl"))
/// try log.append(who: "ada", action: "export", ["format": "tables"])
/// let state = try log.verify()
/// print(state.head)            // the digest of the last entry: noted elsewhere, it proves all before it
/// ```
/// An entry that is changed, removed or inserted breaks the chain. Whoever may write the file can also make a
/// new chain, or cut off its end. Only a head that was noted where they cannot write shows whether they did,
/// such as one in the system's log, into which the pages write every head. The file contains names of the
/// team; of participants it contains only pseudonyms, and ids of messages.
public struct AuditLog: Sendable {
    /// An entry.
    public struct Entry: Sendable, Hashable {
        /// From 1.
        public let number: Int
        /// When, in UTC.
        public let time: String
        /// A user of the pages, or `user@machine` of the tool.
        public let who: String
        /// What was done, in a word: `login`, `view`, `export`.
        public let action: String
        public let details: [String: String]
        /// The digest of the entry, and of all before it, in hexadecimal digits.
        public let digest: String
    }

    /// What a verification found.
    public struct State: Sendable, Hashable {
        /// How many entries there are.
        public let count: Int
        /// The digest of the last one; 64 zeros if there is none.
        public let head: String
    }

    /// Why a log cannot be written, or does not hold.
    public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The file cannot be read or written.
        case storage(String)
        /// A line is not what was written.
        case broken(line: Int, reason: String)
        /// No entry has a digest that was noted.
        case missingHead(String)

        public var description: String {
            switch self {
            case .storage(let reason): reason
            case .broken(let line, let reason): "line \(line): \(reason)"
            case .missingHead(let head):
                "no entry has the digest \(head): the log was cut off, or made anew, after it was noted"
            }
        }
    }

    /// The file.
    public let url: URL
    /// How long an entry waits for others that are being written.
    var patience = Duration.seconds(10)
    /// The most bytes of a line.
    private static let maximumLine = 8192
    /// The most characters of a text, which may have twice as many bytes.
    private static let maximumText = 500
    private static let maximumDetails = 10
    static let start = String(repeating: "0", count: 64)
    private static let noEntry = "it is no entry"

    /// A log, which need not be there yet.
    public init(_ url: URL) { self.url = url }

    private var path: String { url.filePath }

    // MARK: Writing

    /// Writes an entry. When this returns, it is on the disk.
    ///
    /// - Parameters:
    ///   - details: At most ten, of 500 characters each; more is cut.
    ///   - time: When it happened.
    /// - Returns: The entry.
    /// - Throws: ``Problem``. Do not do what cannot be logged.
    @discardableResult
    public func append(
        who: String,
        action: String,
        _ details: [String: String] = [:],
        at time: Date = Date()
    ) throws -> Entry {
        do {
            let lock = try lock()
            defer { withExtendedLifetime(lock) {} }
            let last = try lastEntry()
            let cut = details.sorted { $0.key < $1.key }.prefix(Self.maximumDetails)
            func line(words: Int, details: Int) -> (text: String, entry: Entry) {
                Self.line(
                    number: (last?.number ?? 0) + 1,
                    time: StudyTime(time).description,
                    who: Self.shortened(who, to: words),
                    action: Self.shortened(action, to: words),
                    details: cut.map {
                        (Self.shortened($0.key, to: details), Self.shortened($0.value, to: details))
                    },
                    previous: last?.digest ?? Self.start
                )
            }
            var new = line(words: Self.maximumText, details: Self.maximumText)
            // With escapes a text may have six times its bytes, and an entry on a longer line would not be
            // found again.
            for (words, details) in [(Self.maximumText, 150), (50, 50)]
            where new.text.utf8.count >= Self.maximumLine {
                new = line(words: words, details: details)
            }
            try write(Data((new.text + "\n").utf8))
            return new.entry
        } catch let failure as DiskFailure {
            throw Problem.storage("\(failure)")
        }
    }

    /// Only one process at a time reads the end and appends to it. If that process is stopped, or its disk
    /// does not respond, the others wait no longer than ``patience``.
    private func lock() throws -> FileLock {
        if let lock = try FileLock.waiting(for: path + ".lock", noLongerThan: patience) { return lock }
        throw Problem.storage("\(path): another process writes to it, and does not end")
    }

    /// Runs `body` while nobody writes to the log. If the folder does not accept a lock, nobody of this user
    /// writes.
    func withLock<Value>(_ body: () throws -> Value) throws -> Value {
        let lock =
            FileManager.default.isWritableFile(atPath: url.deletingLastPathComponent().folderPath)
            ? try lock() : nil
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    private static func shortened(_ text: String, to length: Int) -> String {
        let text = String(text.prefix(length))
        guard text.utf8.count > 2 * length else { return text }
        // A character may have any number of combining marks; a scalar has four bytes at most.
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(length / 2)))
    }

    private static func line(
        number: Int,
        time: String,
        who: String,
        action: String,
        details: [(String, String)],
        previous: String
    ) -> (text: String, entry: Entry) {
        var json: JSONValue = [
            "n": JSONValue(number), "at": JSONValue(time), "who": JSONValue(who), "action": JSONValue(action),
            "details": JSONValue(
                members: details.map { JSONMember(name: $0.0, value: JSONValue($0.1)) }
            ),
            "previous": JSONValue(previous),
        ]
        let digest = digest(of: json)
        json["digest"] = JSONValue(digest)
        let entry = Entry(
            number: number,
            time: time,
            who: who,
            action: action,
            details: Dictionary(firstOf: details),
            digest: digest
        )
        return (json.text(), entry)
    }

    /// The digest of a line without its own digest. It covers the digest of the line before.
    private static func digest(of json: JSONValue) -> String {
        Hexadecimal.encode(SHA256.hash(data: Data(("study audit\n" + json.text()).utf8)))
    }

    private func write(_ data: Data) throws {
        let file = Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Problem.storage("\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        guard fchmod(file, 0o600) == 0 else {
            throw Problem.storage("\(path): \(String(cString: strerror(errno)))")
        }
        let before = lseek(file, 0, SEEK_END)
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else {
                let reason = String(cString: strerror(errno))
                // Remove what was written of the entry.
                if before >= 0 { ftruncate(file, before) }
                throw Problem.storage("\(path) cannot be written: \(reason)")
            }
            rest = rest.dropFirst(max(0, count))
        }
        guard fsync(file) == 0 else {
            throw Problem.storage("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// The last entry. If the last line does not end, its writer was killed: the line is ended here, and the
    /// chain continues from the entry before it. Verification reports it.
    private func lastEntry() throws -> Entry? {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            guard !path.fileExists else {
                throw Problem.storage("\(path) cannot be read")
            }
            return nil
        }
        defer { try? handle.close() }
        let size = try handle.seekToEnd()
        guard size > 0 else { return nil }
        try handle.seek(toOffset: size - min(size, UInt64(2 * Self.maximumLine)))
        let tail = try handle.readToEnd() ?? Data()
        if tail.last != UInt8(ascii: "\n") { try write(Data("\n".utf8)) }
        let lines = tail.split(separator: UInt8(ascii: "\n"))
        for (offset, line) in lines.enumerated().reversed() {
            // The first piece may be the end of a line.
            if offset == 0, size > UInt64(tail.count) { break }
            if let entry = try? Self.entry(Data(line), line: 0) { return entry.entry }
        }
        throw Problem.storage("\(path) ends with what is no entry; look at it, then begin a new file")
    }

    // MARK: Reading

    /// Checks the chain.
    ///
    /// - Parameters:
    ///   - noted: A digest that was noted before, which an entry has to have.
    ///   - each: Gets the entries in their order.
    /// - Throws: ``Problem`` with the first line that does not hold.
    @discardableResult
    public func verify(noted: String? = nil, _ each: (Entry) throws -> Void = { _ in }) throws -> State {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw Problem.storage("\(path): there is no such file, or it cannot be read")
        }
        defer { try? handle.close() }
        var previous = Self.start
        var count = 0
        var found = noted == nil || noted == Self.start
        var number = 0
        var rest = Data()
        // A line that a killed writer left behind. The chain continues after it, and is checked there, too.
        var stump: Problem?
        func check(_ line: Data) throws {
            number += 1
            let read: (entry: Entry, previous: String)
            do { read = try Self.entry(line, line: number) } catch Problem.broken(_, Self.noEntry) {
                stump = stump ?? Problem.broken(line: number, reason: Self.noEntry)
                return
            }
            guard read.previous == previous else {
                throw Problem.broken(line: number, reason: "entries before it were changed or taken out")
            }
            guard read.entry.number == count + 1 else {
                throw Problem.broken(
                    line: number,
                    reason: "its number is \(read.entry.number), not \(count + 1)"
                )
            }
            count += 1
            previous = read.entry.digest
            if previous == noted { found = true }
            try each(read.entry)
        }
        while let data = try handle.read(upToCount: 1 << 16), !data.isEmpty {
            rest.append(data)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                try check(Data(rest[..<end]))
                rest = Data(rest[(end + 1)...])
            }
            guard rest.count <= 4 * Self.maximumLine else {
                throw Problem.broken(line: number + 1, reason: "it is longer than an entry")
            }
        }
        guard rest.isEmpty else {
            throw Problem.broken(
                line: number + 1,
                reason: "it has no end: its writer was stopped, or it was cut off"
            )
        }
        // First the missing head: an incomplete line may be old, but a removed end is worse.
        if let noted, !found { throw Problem.missingHead(noted) }
        if let stump { throw stump }
        return State(count: count, head: previous)
    }

    private static func entry(_ line: Data, line number: Int) throws -> (entry: Entry, previous: String) {
        guard var json = try? JSONValue(parsing: line), let n = json["n"]?.integer,
            let time = json["at"]?.string,
            let who = json["who"]?.string, let action = json["action"]?.string,
            let previous = json["previous"]?.string, let digest = json["digest"]?.string
        else { throw Problem.broken(line: number, reason: noEntry) }
        let members = json.members ?? []
        json = JSONValue(members: members.filter { $0.name != "digest" })
        // A second digest would be text that the first one does not cover.
        guard Self.digest(of: json) == digest, json.members?.count == members.count - 1 else {
            throw Problem.broken(line: number, reason: "the entry was changed")
        }
        let details = (json["details"]?.members ?? []).map { ($0.name, $0.value.string ?? "") }
        let entry = Entry(
            number: n,
            time: time,
            who: who,
            action: action,
            details: Dictionary(firstOf: details),
            digest: digest
        )
        return (entry, previous)
    }
}

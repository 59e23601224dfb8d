#if canImport(CLibPQ)
import CLibPQ
import Foundation

/// One connection to a PostgreSQL server. One thread uses it at a time, and waits for the server.
package final class PostgreSQLSession {
    /// The bytes that the rows of a result may have. Rows that are taken one by one are bounded one by
    /// one.
    static let maximumResultLength = 256 << 20
    /// Statements that the server keeps prepared for a connection.
    private static let maximumPrepared = 200
    private static let typeOfBytes: Oid = 17
    /// The bytes of rows that are sent to the server at once.
    private static let copiedLength = 256 << 10

    private let connection: OpaquePointer
    let canceller: PostgreSQLCanceller
    private var prepared: [String: String] = [:]
    private var isListening = false
    /// Months of samples that could not have a partition, and when that is tried again.
    var monthsWithoutPartition: [Int: ContinuousClock.Instant] = [:]
    /// Whether the caller that waits for the current job has given it up.
    var isCancelled: () -> Bool = { false }

    /// Connects.
    ///
    /// - Throws: ``PostgreSQLError/cannotConnect(_:)``.
    init(_ address: PostgreSQLAddress) throws(PostgreSQLError) {
        // The URL overrides what stands before it. A server that is gone is noticed within a minute.
        var parameters = [
            ("application_name", "indivo"), ("connect_timeout", "10"), ("keepalives_idle", "15"),
            ("keepalives_interval", "5"),
            ("keepalives_count", "4"), ("tcp_user_timeout", "40000"),
        ]
        if !address.isLocal, ProcessInfo.processInfo.environment["PGSSLMODE"] == nil {
            parameters.append(("sslmode", "verify-full"))
        }
        parameters += [("dbname", address.url), ("client_encoding", "UTF8")]
        let connection = Self.withStrings(parameters.map(\.0)) { names in
            Self.withStrings(parameters.map(\.1)) { PQconnectdbParams(names, $0, 1) }
        }
        guard let connection else { throw .cannotConnect("there is no memory for it") }
        guard PQstatus(connection) == CONNECTION_OK, let cancel = PQgetCancel(connection) else {
            let reason = Self.text(PQerrorMessage(connection)).split(separator: "\n").joined(
                separator: " "
            )
            PQfinish(connection)
            throw .cannotConnect(String(reason.prefix(500)))
        }
        self.connection = connection
        canceller = PostgreSQLCanceller(cancel)
        // Notices may quote rows; nobody needs them.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        try command(
            """
            SET timezone = 'UTC'; SET datestyle = 'ISO'; SET lock_timeout = '30s';
            SET idle_in_transaction_session_timeout = '5min'; SET default_transaction_isolation \
            = 'read committed'
            """
        )
    }

    deinit { PQfinish(connection) }

    /// Whether the connection is open, as far as is known.
    private var isUsable: Bool { PQstatus(connection) == CONNECTION_OK }

    /// Whether the connection can be used for the next job: it is open, as far as is known, and no
    /// transaction is.
    var isFree: Bool { isUsable && PQtransactionStatus(connection) == PQTRANS_IDLE }

    // MARK: Statements

    /// Executes a constant text of statements.
    package func command(_ sql: String) throws(PostgreSQLError) {
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw problem(result) }
    }

    /// Executes one statement, with `?` for each parameter.
    ///
    /// - Parameters:
    ///   - isBinary: Whether values come as the server has them, long ones of bytes faster than as texts:
    ///     for columns that are numbers without a fraction, booleans, texts or bytes.
    ///   - row: Gets each row, as it comes.
    /// - Returns: How many rows were changed or found.
    @discardableResult
    package func run(
        _ sql: String,
        _ arguments: SQLArguments,
        isBinary: Bool = false,
        row body: (SQLRow) throws -> Void = { _ in }
    ) throws -> Int {
        guard !isCancelled() else { throw CancellationError() }
        try send(sql, arguments.map { $0?.sqlValue ?? .null }, isBinary: isBinary)
        _ = PQsetSingleRowMode(connection)
        var count = 0
        var columns: [String] = []
        var failure: (any Error)?
        // All results must be taken before the next statement.
        while let result = PQgetResult(connection) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_SINGLE_TUPLE:
                guard failure == nil else { continue }
                do {
                    if columns.isEmpty {
                        columns = (0..<PQnfields(result)).map { Self.text(PQfname(result, $0)) }
                    }
                    try body(SQLRow(columns: columns, values: values(result)))
                } catch {
                    failure = error
                    canceller.cancel()
                }
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: count = Int(Self.text(PQcmdTuples(result))) ?? 0
            default: failure = failure ?? problem(result)
            }
        }
        if let failure { throw failure }
        guard isUsable else { throw PostgreSQLError.connectionLost }
        return count
    }

    /// Writes rows with `COPY`, which reads them as a stream and plans nothing. A row whose key is
    /// there is an error.
    func copy(_ rows: TableRows) throws {
        guard !rows.rows.isEmpty else { return }
        guard !isCancelled() else { throw CancellationError() }
        if let types = rows.types {
            try copy(rows, as: CopyBinary(types))
        } else {
            try copy(rows, as: CopyText())
        }
    }

    private func copy<Format: CopyFormat>(_ rows: TableRows, as format: Format) throws {
        let begun = PQexec(
            connection,
            "COPY \(rows.table) (\(rows.columns.joined(separator: ", "))) FROM STDIN\(Format.options)"
        )
        defer { PQclear(begun) }
        guard PQresultStatus(begun) == PGRES_COPY_IN else { throw problem(begun) }
        var failure: (any Error)?
        do { try send(rows, as: format) } catch { failure = error }
        // Whatever was sent, the server has to know that nothing more follows.
        _ = failure == nil ? PQputCopyEnd(connection, nil) : PQputCopyEnd(connection, "given up")
        while let result = PQgetResult(connection) {
            if PQresultStatus(result) != PGRES_COMMAND_OK { failure = failure ?? problem(result) }
            PQclear(result)
        }
        if let failure { throw failure }
        guard isUsable else { throw PostgreSQLError.connectionLost }
    }

    private func send(_ rows: TableRows, as format: some CopyFormat) throws(PostgreSQLError) {
        var format = format
        for row in rows.rows {
            try format.append(row)
            if format.bytes.count >= Self.copiedLength {
                try send(format.bytes)
                format.removeAll()
            }
        }
        format.end()
        try send(format.bytes)
    }

    private func send(_ bytes: [UInt8]) throws(PostgreSQLError) {
        guard let count = Int32(exactly: bytes.count) else {
            throw .tooLarge(limit: Int(Int32.max))
        }
        let isSent = bytes.withUnsafeBytes { memory in
            PQputCopyData(connection, memory.assumingMemoryBound(to: CChar.self).baseAddress, count) == 1
        }
        guard isSent || count == 0 else { throw .connectionLost }
    }

    /// The rows of a statement.
    package func rows(_ sql: String, _ arguments: SQLArguments, isBinary: Bool = false) throws
        -> [SQLRow]
    {
        var rows: [SQLRow] = []
        var size = 0
        try run(sql, arguments, isBinary: isBinary) { row in
            size += row.values.reduce(0) { $0 + 16 + $1.size }
            guard size <= Self.maximumResultLength else {
                throw PostgreSQLError.tooLarge(limit: Self.maximumResultLength)
            }
            rows.append(row)
        }
        return rows
    }

    private func send(_ sql: String, _ values: [SQLValue], isBinary: Bool) throws {
        let name = try preparedName(of: sql)
        // One block of memory: each value ends with a zero, as C requires of texts.
        var bytes: [UInt8] = []
        var offsets: [Int?] = []
        var lengths: [Int32] = []
        var formats: [Int32] = []
        for value in values {
            let start = bytes.count
            switch value {
            case .null: break
            case .integer(let number): bytes += String(number).utf8
            case .double(let number): bytes += number.description.utf8
            case .text(let text):
                guard !text.utf8.contains(0) else { throw PostgreSQLError.unstorableText }
                bytes += text.utf8
            case .bytes(let data): bytes += data
            }
            offsets.append(value == .null ? nil : start)
            lengths.append(Int32(bytes.count - start))
            if case .bytes = value { formats.append(1) } else { formats.append(0) }
            bytes.append(0)
        }
        let isSent = bytes.withUnsafeBytes { memory in
            let start = memory.assumingMemoryBound(to: CChar.self).baseAddress
            let pointers = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return PQsendQueryPrepared(
                connection,
                name,
                Int32(values.count),
                pointers,
                lengths,
                formats,
                isBinary ? 1 : 0
            ) == 1
        }
        guard isSent else { throw PostgreSQLError.connectionLost }
    }

    private func preparedName(of sql: String) throws(PostgreSQLError) -> String {
        if let name = prepared[sql] { return name }
        // The texts are the program's own. Beyond so many of them, they share the statement without a
        // name.
        let name = prepared.count < Self.maximumPrepared ? "s\(prepared.count)" : ""
        let result = PQprepare(connection, name, Self.numbered(sql), 0, nil)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw problem(result) }
        if !name.isEmpty { prepared[sql] = name }
        return name
    }

    /// `$1`, `$2`, … for each `?`; the texts of the program have no other.
    private static func numbered(_ sql: String) -> String {
        var text = ""
        var number = 0
        for character in sql {
            if character == "?" {
                number += 1
                text += "$\(number)"
            } else {
                text.append(character)
            }
        }
        return text
    }

    private func values(_ result: OpaquePointer) throws(PostgreSQLError) -> [SQLValue] {
        var values: [SQLValue] = []
        for column in 0..<PQnfields(result) {
            let count = Int(PQgetlength(result, 0, column))
            guard count <= Self.maximumResultLength else {
                throw .tooLarge(limit: Self.maximumResultLength)
            }
            guard PQgetisnull(result, 0, column) == 0, let start = PQgetvalue(result, 0, column) else {
                values.append(.null)
                continue
            }
            let bytes = UnsafeRawBufferPointer(start: start, count: count)
            guard PQfformat(result, column) == 0 else {
                values.append(try Self.value(bytes, ofType: PQftype(result, column)))
                continue
            }
            guard PQftype(result, column) == Self.typeOfBytes else {
                values.append(.text(String(decoding: bytes, as: UTF8.self)))
                continue
            }
            var length = 0
            guard
                let plain = PQunescapeBytea(
                    bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
                    &length
                )
            else {
                throw .tooLarge(limit: count)
            }
            values.append(.bytes(Data(bytes: plain, count: length)))
            PQfreemem(plain)
        }
        return values
    }

    /// A value as the server has it (`typsend`, "pg_type").
    private static func value(_ bytes: UnsafeRawBufferPointer, ofType type: Oid) throws(PostgreSQLError)
        -> SQLValue
    {
        switch (type, bytes.count) {
        case (typeOfBytes, _): return .bytes(Data(bytes))
        // bool, int8, int2, int4
        case (16, 1): return .text(bytes[0] == 0 ? "f" : "t")
        case (20, 8), (21, 2), (23, 4):
            let sign: UInt64 = bytes[0] & 0x80 == 0 ? 0 : .max
            return .integer(Int(truncatingIfNeeded: bytes.reduce(sign) { $0 << 8 | UInt64($1) }))
        // text, varchar
        case (25, _), (1043, _): return .text(String(decoding: bytes, as: UTF8.self))
        default: throw .refused(state: "42804", detail: "a column has a type that is not read so")
        }
    }

    // MARK: Notifications

    /// Waits until a channel is notified, or has been since the last wait.
    ///
    /// - Parameter channel: A name of the program's own.
    /// - Returns: False if it was not, for this long.
    func wait(on channel: StaticString, for maximum: Duration) throws -> Bool {
        if !isListening {
            try command("LISTEN \(channel)")
            isListening = true
        }
        let end = ContinuousClock.now + maximum
        while true {
            guard PQconsumeInput(connection) == 1 else { throw PostgreSQLError.connectionLost }
            var isNotified = false
            while let notification = PQnotifies(connection) {
                PQfreemem(notification)
                isNotified = true
            }
            if isNotified { return true }
            let left = end - .now
            guard left > .zero, !isCancelled() else { return false }
            var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
            // Every fifth of a second it checks whether the job was cancelled.
            _ = poll(&descriptor, 1, Int32(min(left / .milliseconds(1), 200).rounded(.up)))
        }
    }

    // MARK: Texts of C

    private func problem(_ result: OpaquePointer?) -> PostgreSQLError {
        guard let result,
            let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map({ Self.text($0) })
        else {
            return .connectionLost
        }
        func field(_ letter: Character) -> String? {
            letter.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { Self.text($0) }
        }
        // A message about a wrong value quotes it; one about names, rights and resources quotes nothing.
        let quotesNothing = ["25", "28", "3D", "3F", "42", "53", "55", "57"].contains {
            state.hasPrefix($0)
        }
        let names = [("table", field("t")), ("column", field("c")), ("rule", field("n"))].compactMap {
            kind,
            name in
            name.map { "\(kind) \($0)" }
        }
        let said = (quotesNothing ? field("M").map { [$0] } ?? [] : []) + names
        let detail = said.isEmpty ? "a value or a state is not allowed" : said.joined(separator: ", ")
        return .refused(state: state, detail: String(detail.prefix(300)))
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }

    /// Texts as an array of C's, with a null at its end.
    private static func withStrings<Value>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
    ) -> Value {
        var pointers: [UnsafePointer<CChar>?] = texts.map { strdup($0).map { UnsafePointer($0) } }
        defer { pointers.forEach { free(UnsafeMutablePointer(mutating: $0)) } }
        pointers.append(nil)
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    /// The parts of a URL, as libpq reads them; `nil` for a text that is not a URL.
    static func options(of url: String) throws(PostgreSQLError) -> [String: String]? {
        // libpq's message may quote the URL.
        guard let first = PQconninfoParse(url, nil) else { return nil }
        defer { PQconninfoFree(first) }
        var options: [String: String] = [:]
        var next: UnsafeMutablePointer<PQconninfoOption> = first
        while next.pointee.keyword != nil {
            if next.pointee.val != nil { options[text(next.pointee.keyword)] = text(next.pointee.val) }
            next += 1
        }
        return options
    }
}

/// Cancels what a connection is doing, from any thread.
final class PostgreSQLCanceller: Sendable {
    /// It is only read, and libpq lets any thread use it ("PQcancel … thread-safe", libpq 34.7); freed
    /// when nobody has it.
    nonisolated(unsafe) private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { PQfreeCancel(pointer) }

    func cancel() {
        var message = [CChar](repeating: 0, count: 256)
        // If that fails, the statement ends by itself.
        _ = PQcancel(pointer, &message, Int32(message.count))
    }
}

extension SQLValue {
    fileprivate var size: Int {
        switch self {
        case .null, .integer, .double: 0
        case .text(let text): text.utf8.count
        case .bytes(let data): data.count
        }
    }
}
#else

/// The type without libpq: no connection can be opened.
package final class PostgreSQLSession {
    let canceller = PostgreSQLCanceller()
    var isCancelled: () -> Bool = { false }
    let isFree = false
    var monthsWithoutPartition: [Int: ContinuousClock.Instant] = [:]

    init(_ address: PostgreSQLAddress) throws(PostgreSQLError) { throw .notBuilt }

    package func command(_ sql: String) throws(PostgreSQLError) { throw .notBuilt }

    @discardableResult
    package func run(
        _ sql: String,
        _ arguments: SQLArguments,
        isBinary: Bool = false,
        row body: (SQLRow) throws -> Void = { _ in }
    ) throws -> Int { throw PostgreSQLError.notBuilt }

    package func rows(_ sql: String, _ arguments: SQLArguments, isBinary: Bool = false) throws
        -> [SQLRow]
    { throw PostgreSQLError.notBuilt }

    func copy(_ rows: TableRows) throws { throw PostgreSQLError.notBuilt }

    func wait(on channel: StaticString, for maximum: Duration) throws -> Bool {
        throw PostgreSQLError.notBuilt
    }

    static func options(of url: String) throws(PostgreSQLError) -> [String: String]? { throw .notBuilt }
}

final class PostgreSQLCanceller: Sendable {
    func cancel() {}
}
#endif

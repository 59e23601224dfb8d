#if canImport(Glibc)
import Foundation
import Glibc
import Indivo
import IndivoOutbox
import Testing

/// A disk of so many bytes, made of memory. Only the superuser may make one.
private struct SmallDisk {
    let folder: URL

    init(bytes: Int) throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "indivo-disk-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard mount("tmpfs", folder.path, "tmpfs", UInt(MS_NOSUID | MS_NODEV), "size=\(bytes)") == 0
        else {
            let code = errno
            try? FileManager.default.removeItem(at: folder)
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EPERM)
        }
    }

    func change(bytes: Int, isReadOnly: Bool = false) throws {
        let flags = MS_REMOUNT | MS_NOSUID | MS_NODEV | (isReadOnly ? MS_RDONLY : 0)
        guard mount("tmpfs", folder.path, "tmpfs", UInt(flags), "size=\(bytes)") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
    }

    func remove() {
        umount2(folder.path, Int32(MNT_DETACH))
        try? FileManager.default.removeItem(at: folder)
    }

    static let isAllowed: Bool = {
        guard let disk = try? SmallDisk(bytes: 65_536) else { return false }
        disk.remove()
        return true
    }()
}

@Suite(
    "An outbox on a disk that is really full, or read-only",
    .enabled(if: SmallDisk.isAllowed, "only the superuser can mount a small disk, and not everywhere")
)
struct RealDiskTests {
    /// Calls `body` with a place whose outbox lies on a small disk.
    private func use(bytes: Int, _ body: (Place, SmallDisk) async throws -> Void) async throws {
        let disk = try SmallDisk(bytes: bytes)
        defer { disk.remove() }
        try await Place.use { place in try await body(place, disk) }
    }

    private func outbox(_ place: Place, _ disk: SmallDisk) throws -> Outbox {
        var policy = DeliveryPolicy()
        policy.sleep = { _ in await Task.yield() }
        return try Outbox(
            of: place.record(),
            in: disk.folder.appending(path: "data"),
            keys: place.keys,
            policy: policy
        )
    }

    /// Queues documents until the disk is full.
    private func fill(_ outbox: Outbox) async throws -> [String] {
        var accepted: [String] = []
        while accepted.count < 1000 {
            do {
                try await outbox.add(medication("\(accepted.count)"))
                accepted.append("Test \(accepted.count)")
            } catch OutboxError.storage(_, let code, let mayBeQueued) {
                #expect(code == ENOSPC && !mayBeQueued)
                return accepted
            }
        }
        Issue.record("the disk was never full")
        return accepted
    }

    @Test("a full disk refuses a change and keeps the rest; with room all is delivered once")
    func full() async throws {
        try await use(bytes: 128 << 10) { place, disk in
            let outbox = try outbox(place, disk)
            var accepted = try await fill(outbox)
            #expect(accepted.count > 5)
            // Opened anew it is as it was, and delivers as far as its receipts find room; then it says
            // that they do not.
            let again = try self.outbox(place, disk)
            #expect(try await again.items().count == accepted.count)
            do {
                try await again.flush()
            } catch let OutboxError.storage(_, code, _) {
                #expect(code == ENOSPC)
            }
            try disk.change(bytes: 1 << 20)
            try await outbox.add(medication("\(accepted.count)"))
            accepted.append("Test \(accepted.count)")
            let report = try await outbox.flush()
            #expect(report.remaining == 0 && report.setAside.isEmpty && report.stop == nil)
            #expect(try await place.medications() == accepted)
        }
    }

    @Test("a read-only disk shows what is queued, takes nothing, and delivers once writable")
    func readOnly() async throws {
        try await use(bytes: 1 << 20) { place, disk in
            let outbox = try outbox(place, disk)
            let first = medication("A")
            try await outbox.add(first)
            try await outbox.setLabel("label", of: first)
            try disk.change(bytes: 1 << 20, isReadOnly: true)
            let refusal = await #expect(throws: OutboxError.self) {
                try await outbox.add(medication("B"))
            }
            guard case .storage(_, EROFS, false)? = refusal else {
                Issue.record("another error: \(String(describing: refusal))")
                return
            }
            #expect(try await outbox.items().map(\.state) == [.queued, .queued])
            #expect(try await self.outbox(place, disk).items().count == 2)
            await #expect(throws: OutboxError.self) { try await outbox.flush() }
            try disk.change(bytes: 1 << 20)
            #expect(try await outbox.flush().remaining == 0)
            #expect(try await place.medications() == ["Test A"])
            let item = try #require(try await outbox.delivered().first?.id)
            let stored = try await place.record().documentMetadata(externalID: item)
            #expect(stored?.label == "label")
        }
    }
}
#endif

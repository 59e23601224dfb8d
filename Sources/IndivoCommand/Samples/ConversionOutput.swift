import Foundation
import HealthSamples
import Indivo
import IndivoModel
import OrderedJSON

/// The lines that a conversion makes, on standard output or in a file.
///
/// Beside a file an anchor says how much of it is whole until all is: a run that was interrupted goes on there.
final class ConversionOutput {
    /// The positions before it are done; earlier ones are not given to ``line(_:)`` again.
    private(set) var position = 0
    /// How many samples before it could not be converted.
    private(set) var failures = 0
    /// The devices that were written.
    private(set) var devices: Set<String> = []

    private var bytes = 0
    private var buffer: [UInt8] = []
    private let file: File?

    private struct File {
        var path: String
        var handle: FileHandle
        var scope: String
        var anchor: PrivateFile { PrivateFile(path + ".anchor") }
    }

    /// How much is lost at most when a run is interrupted.
    private static let step = 1 << 20
    /// There are few devices; should there be many, they are written again.
    private static let deviceLimit = 10_000

    /// Standard output.
    init() { file = nil }

    /// A file, which is gone on with if it has an anchor.
    /// - Parameter scope: What the lines are made of; an anchor of something else does not count.
    init(path: String, scope: String) throws {
        do {
            if !FileManager.default.fileExists(atPath: path) {
                // As private as what is in it.
                guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
                    throw CommandFailure("\(path): the file cannot be made; does its folder exist?")
                }
            }
            let handle = try FileHandle(forUpdating: URL(filePath: path))
            file = File(path: path, handle: handle, scope: SHA256.hex(Array(scope.utf8)))
            try resume(size: Int(clamping: try handle.seekToEnd()))
            try handle.truncate(atOffset: UInt64(bytes))
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure("\(path): the file cannot be written: \(error.localizedDescription)")
        }
    }

    /// Whether a run was interrupted and this one goes on.
    var isResumed: Bool { position > 0 }

    private func resume(size: Int) throws {
        guard let file else { return }
        let data: Data?
        do { data = try file.anchor.read() } catch {
            throw CommandFailure("\(file.anchor.path): the anchor cannot be read: \(error); remove it, and the conversion begins anew")
        }
        guard let data, let json = try? JSONValue(parsing: data), json["version"]?.integer == 1,
            json["scope"]?.string == file.scope, let position = json["position"]?.integer, position >= 0,
            let bytes = json["bytes"]?.integer, 0...size ~= bytes, let failures = json["failures"]?.integer, 0...1 << 40 ~= failures,
            let devices = json["devices"]?.elements?.compactMap(\.string)
        else { return }
        (self.position, self.bytes, self.failures, self.devices) = (position, bytes, failures, Set(devices))
    }

    /// Whether a device has to be written, which it is once.
    func isNew(device id: String) -> Bool {
        if devices.count >= Self.deviceLimit { devices = [] }
        return devices.insert(id).inserted
    }

    /// Says which position the next lines are of.
    func begin(_ position: Int) throws {
        guard position > self.position else { return }
        self.position = position
        if buffer.count >= (file == nil ? 64 << 10 : Self.step) { try flush() }
    }

    /// Counts a sample that could not be converted.
    func addFailure() { failures += 1 }

    /// Adds a line.
    func line(_ write: (inout [UInt8]) -> Void) {
        write(&buffer)
        buffer.append(10)
    }

    /// Writes what is left. The file is whole then, and its anchor goes.
    func finish() throws {
        try flush()
        if let file { try? FileManager.default.removeItem(atPath: file.anchor.path) }
    }

    private func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        guard let file else { return try StandardStreams.write(Data(buffer)) }
        do {
            try file.handle.seekToEnd()
            try file.handle.write(contentsOf: Data(buffer))
            bytes += buffer.count
            // The anchor never speaks of bytes that a failing machine has not kept.
            try file.handle.synchronize()
            let json: JSONValue = [
                "version": 1, "scope": JSONValue(file.scope), "position": JSONValue(position), "bytes": JSONValue(bytes),
                "failures": JSONValue(failures), "devices": JSONValue(devices.sorted().map { JSONValue($0) }),
            ]
            try file.anchor.replace(with: Data(json.utf8()))
        } catch {
            throw CommandFailure("\(file.path): the file cannot be written: \(error.localizedDescription)")
        }
    }
}

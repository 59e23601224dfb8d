import Foundation
import HTTPCalls

@testable import StudyDelivery
@testable import StudyFormats

/// Keys of the tests; made once, since that takes a while.
enum TestKeys {
    struct Pair: Sendable {
        let key: StudyPrivateKey
        let certificate: StudyCertificate
    }

    static let first = pair("CN=Study 7,O=Example Hospital")
    static let second = pair("CN=Another study")

    private static func pair(_ subject: String) -> Pair {
        do {
            let key = try StudyPrivateKey(bits: 2048)
            return Pair(key: key, certificate: try key.certificate(subject: subject, days: 30))
        } catch {
            fatalError("\(error)")
        }
    }
}

/// A folder of one test.
struct Scratch: ~Copyable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "study-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func file(_ name: String, _ data: Data) throws -> URL {
        let url = folder.appending(path: name)
        try data.write(to: url)
        return url
    }

    /// The names in the folder, at any depth.
    var names: [String] {
        (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []).sorted()
    }
}

extension Data {
    /// Bytes that look random, the same for a seed.
    static func noise(_ count: Int, seed: UInt64 = 1) -> Data {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        return Data(
            (0..<count).map { _ in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return UInt8(truncatingIfNeeded: state >> 24)
            }
        )
    }
}

extension CMSMessage {
    func plain(_ pair: TestKeys.Pair = TestKeys.first, usesCertificate: Bool = true) throws -> Data {
        var data = Data()
        try decrypt(with: pair.key, certificate: usesCertificate ? pair.certificate : nil) { data.append($0) }
        return data
    }
}

extension CMSEncryption {
    func message(_ data: Data) throws -> Data { try encrypt { try $0(data) }.data() }
}

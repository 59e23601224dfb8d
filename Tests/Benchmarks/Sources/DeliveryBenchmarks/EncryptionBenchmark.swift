import Foundation
import StudyDelivery

/// The encryption of a file as a CMS message, by this package and by `openssl cms`.
struct EncryptionBenchmark {
    let mebibytes: Int
    private static let turns = 7

    func run() throws {
        try withScratchFolder { folder in
            let plain = folder.appending(path: "plain")
            try writeNoise(plain, mebibytes: mebibytes)
            let certificate = folder.appending(path: "certificate.pem").path
            let key = try StudyPrivateKey(bits: 2048)
            try Data(key.certificate(subject: "CN=Benchmark", days: 2).pem.utf8).write(
                to: URL(filePath: certificate)
            )
            print("| cipher | speed, openssl is 1 | ours, MiB/s | openssl, MiB/s |\n|---|---|---|---|")
            for cipher in [CMSCipher.aes128CBC, .aes256CBC] {
                let output = folder.appending(path: "output").path
                var ratios: [Double] = []
                var ours: [Double] = []
                var theirs: [Double] = []
                for _ in 0..<Self.turns {
                    let mine = try MeasuredProcess(
                        MeasuredProcess.own,
                        [
                            "encrypt", cipher.rawValue, plain.path, output,
                            certificate,
                        ]
                    )
                    try FileManager.default.removeItem(atPath: output)
                    let other = try MeasuredProcess(
                        "openssl",
                        [
                            "cms", "-encrypt", "-binary", "-stream", "-outform", "DER", "-\(cipher.rawValue)",
                            "-in",
                            plain.path, "-out",
                            output, certificate,
                        ]
                    )
                    try FileManager.default.removeItem(atPath: output)
                    ratios.append(other.processorTime / mine.processorTime)
                    ours.append(mine.processorTime)
                    theirs.append(other.processorTime)
                }
                func speed(_ times: [Double]) -> String {
                    String(format: "%.0f", Double(mebibytes) / (times.min() ?? 1))
                }
                let ratio = String(format: "%.2f", ratios.sorted()[ratios.count / 2])
                print("| \(cipher.rawValue) | \(ratio) | \(speed(ours)) | \(speed(theirs)) |")
            }
        }
    }

    /// What is measured of ours.
    static func encrypt(_ cipher: String, _ plain: String, _ output: String, _ certificate: String) throws {
        let certificate = try StudyCertificate(Data(contentsOf: URL(filePath: certificate)))
        let encryption = try CMSEncryption(
            for: [certificate],
            cipher: CMSCipher(rawValue: cipher) ?? .aes256GCM,
            keyTransport: .pkcs1
        )
        try encryption.encrypt(contentsOf: URL(filePath: plain), to: URL(filePath: output))
    }
}

import Foundation
import IndivoBase

/// The signature of a request as a real Indivo server computes it: written down here a second time, from its
/// description and without the OAuth1 module, to compare with what the client sends.
///
/// The path is percent-decoded, the host is the header's, the query counts for GET only, a form for all other
/// methods; parameters are sorted as they are, then encoded.
enum ServerRule {
    static func signature(
        method: String,
        scheme: String,
        host: String,
        target: String,
        contentType: String?,
        body: Data?,
        authorization: String,
        consumerSecret: String,
        tokenSecret: String
    ) -> String? {
        var parameters: [(String, String)] = []
        guard authorization.hasPrefix("OAuth ") else { return nil }
        for piece in authorization.dropFirst(6).components(separatedBy: ",") {
            let parts = piece.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = parts[1].dropFirst().dropLast().removingPercentEncoding else {
                return nil
            }
            if parts[0] != "oauth_signature", parts[0] != "realm" {
                parameters.append((String(parts[0]), value))
            }
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if method == "GET", parts.count == 2 { parameters += form(String(parts[1])) }
        if method != "GET", contentType == "application/x-www-form-urlencoded", let body {
            parameters += form(String(decoding: body, as: UTF8.self))
        }
        guard Set(parameters.map(\.0)).count == parameters.count else { return nil }
        guard let path = String(parts[0]).removingPercentEncoding, path.utf8.allSatisfy({ $0 < 0x80 }),
            !path.contains("?"), !path.contains("#"), !path.contains(";")
        else { return nil }
        let sorted = parameters.sorted { Array($0.0.utf8).lexicographicallyPrecedes(Array($1.0.utf8)) }
        let joined = sorted.map { escape($0.0) + "=" + escape($0.1) }.joined(separator: "&")
        let base = [method, escape("\(scheme)://\(host)\(path)"), escape(joined)].joined(separator: "&")
        let key = escape(consumerSecret) + "&" + escape(tokenSecret)
        return Data(hmac(Array(base.utf8), key: Array(key.utf8))).base64EncodedString()
    }

    /// What stands in an Authorization header for a parameter, decoded.
    static func parameter(_ name: String, of authorization: String) -> String? {
        authorization.components(separatedBy: "\(name)=\"").dropFirst().first?
            .components(separatedBy: "\"").first?.removingPercentEncoding
    }

    private static func form(_ text: String) -> [(String, String)] {
        text.split { $0 == "&" || $0 == ";" }.map { piece in
            let parts = piece.replacing("+", with: " ").split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            return (
                parts[0].removingPercentEncoding ?? "",
                parts.count == 2 ? parts[1].removingPercentEncoding ?? "" : ""
            )
        }
    }

    private static func escape(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        )
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    // MARK: HMAC-SHA1 (RFC 2104, FIPS 180-4)

    private static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? sha1(key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        return sha1(block.map { $0 ^ 0x5C } + sha1(block.map { $0 ^ 0x36 } + message))
    }

    private static func sha1(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: (UInt64(message.count) * 8) >> UInt64(shift)))
        }
        for start in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[start + word * 4 + $1]) }
            }
            for index in 16..<80 {
                words.append(
                    rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
                )
            }
            var a = state[0]
            var b = state[1]
            var c = state[2]
            var d = state[3]
            var e = state[4]
            for (index, word) in words.enumerated() {
                let (mixed, constant): (UInt32, UInt32) =
                    switch index {
                    case 0..<20: (b & c | ~b & d, 0x5A82_7999)
                    case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                (a, b, c, d, e) = (rotated(a, 5) &+ mixed &+ e &+ constant &+ word, a, rotated(b, 30), c, d)
            }
            for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
        }
        return state.flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}

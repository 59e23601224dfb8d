import Foundation
import HTTPCalls
import Testing

@testable import StudyDelivery
@testable import StudyFormats

@Suite("CMS messages")
struct CMSMessageTests {
    static let forms = CMSCipher.allCases.flatMap { cipher in CMSKeyTransport.allCases.map { (cipher, $0) } }

    @Test("each cipher with each key transport gives back what was encrypted", arguments: forms)
    func roundTrip(cipher: CMSCipher, transport: CMSKeyTransport) throws {
        let encryption = try CMSEncryption(
            for: [TestKeys.first.certificate],
            cipher: cipher,
            keyTransport: transport
        )
        for count in [0, 1, 15, 16, 17, 100_000] {
            let data = Data.noise(count)
            let encrypted = try encryption.message(data)
            let message = try CMSMessage(.data(encrypted))
            #expect(message.cipher == cipher && message.recipients.map(\.keyTransport) == [transport])
            #expect(try message.plain() == data)
            #expect(try message.plain(usesCertificate: false) == data)
        }
    }

    @Test(
        "a message in pieces of any size is the same as in one",
        arguments: [1, 15, 16, 1 << 20, (1 << 20) + 5]
    )
    func pieces(size: Int) throws {
        let data = Data.noise(size < 100 ? 3000 : 3 << 20)
        for cipher in [CMSCipher.aes128CBC, .aes256GCM] {
            let source = try CMSEncryption(for: [TestKeys.first.certificate], cipher: cipher).encrypt {
                write in
                for offset in stride(from: 0, to: data.count, by: size) {
                    try write(data.dropFirst(offset).prefix(size))
                }
            }
            #expect(try CMSMessage(source).plain() == data)
        }
    }

    @Test("each of several recipients reads it, with or without the certificate, no other")
    func recipients() throws {
        for transport in CMSKeyTransport.allCases {
            for cipher in [CMSCipher.aes256CBC, .aes128GCM] {
                let encryption = try CMSEncryption(
                    for: [TestKeys.first.certificate, TestKeys.second.certificate],
                    cipher: cipher,
                    keyTransport: transport
                )
                let message = try CMSMessage(.data(encryption.message(Data("for two".utf8))))
                for pair in [TestKeys.first, TestKeys.second] {
                    #expect(try message.plain(pair) == Data("for two".utf8))
                    #expect(try message.plain(pair, usesCertificate: false) == Data("for two".utf8))
                }
            }
        }
        let message = try CMSMessage(
            .data(CMSEncryption(for: [TestKeys.first.certificate]).message(Data("for one".utf8)))
        )
        let error = #expect(throws: StudyError.self) { try message.plain(TestKeys.second) }
        guard case .notForThisKey(let recipients) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(recipients.first?.contains("CN=Study 7") == true)
    }

    @Test(
        "a wrong key never opens an OAEP message, however often it is tried",
        arguments: [CMSCipher.aes128CBC, .aes256GCM]
    )
    func wrongKeyOAEP(cipher: CMSCipher) throws {
        let encryption = try CMSEncryption(
            for: [TestKeys.first.certificate],
            cipher: cipher,
            keyTransport: .oaepSHA1
        )
        for _ in 0..<600 {
            let message = try CMSMessage(.data(encryption.message(Data("secret".utf8))))
            #expect(throws: StudyError.wrongKeyOrDamaged) {
                try message.plain(TestKeys.second, usesCertificate: false)
            }
        }
    }

    @Test("a wrong key for PKCS#1 gives other content or the one error, and never a package")
    func wrongKeyPKCS1() throws {
        let scratch = try Scratch()
        var archive = try StudyArchive(ArchiveInfo(study: "s", item: "i"))
        try archive.add("a.txt", Data("secret".utf8))
        let encryption = try CMSEncryption.researchKit([TestKeys.first.certificate])
        let file = scratch.folder.appending(path: "p.cms")
        for _ in 0..<600 {
            try archive.write(to: file, encryption: encryption)
            let package = try StudyPackage(contentsOf: file)
            #expect(throws: StudyError.wrongKeyOrDamaged) {
                _ = try package.open(with: [StudyPackage.Key(TestKeys.second.key)])
            }
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test("every changed byte of an authenticated message is an error, and none a crash")
    func changedBytes() throws {
        let encrypted = try CMSEncryption(for: [TestKeys.first.certificate]).message(Data.noise(100))
        for index in encrypted.indices {
            var changed = encrypted
            changed[index] ^= 0x41
            guard let message = try? CMSMessage(.data(changed)) else { continue }
            // The version and the name of the content's type are read and not used.
            if let plain = try? message.plain(usesCertificate: false) {
                #expect(plain == Data.noise(100), "byte \(index)")
            }
        }
    }

    @Test("no other authentication tag is taken, and no shorter one")
    func tags() throws {
        let encrypted = try CMSEncryption(for: [TestKeys.first.certificate]).message(Data.noise(100))
        for seed in 1...600 {
            let forged = encrypted.dropLast(16) + Data.noise(16, seed: UInt64(seed))
            #expect(throws: StudyError.wrongKeyOrDamaged) { try CMSMessage(.data(Data(forged))).plain() }
        }
        // Of the right tag all but one byte, each in turn.
        for index in 1...16 {
            var changed = encrypted
            changed[changed.endIndex - index] ^= 0x80
            #expect(throws: StudyError.wrongKeyOrDamaged) { try CMSMessage(.data(changed)).plain() }
        }
    }

    @Test("a change of the key, nonce, content, tag or their lengths is refused")
    func changedParts() throws {
        let encrypted = try CMSEncryption(for: [TestKeys.first.certificate]).message(Data.noise(100))
        let key = try #require(CMSMessage(.data(encrypted)).recipients.first?.encryptedKey)
        let keyRange = try #require(encrypted.range(of: key))
        // OCTET STRING nonce, INTEGER 16, the content, OCTET STRING tag.
        let nonce = encrypted.count - 18 - 102 - 3 - 14
        let parts = [
            "the key": keyRange, "the nonce’s header": nonce..<nonce + 2, "the nonce": nonce + 2..<nonce + 14,
            "the tag’s length": nonce + 14..<nonce + 17, "the content’s header": nonce + 17..<nonce + 19,
            "the content": nonce + 19..<nonce + 119, "the tag’s header": nonce + 119..<nonce + 121,
            "the tag": nonce + 121..<encrypted.count,
        ]
        #expect(encrypted[nonce..<nonce + 2] == Data([0x04, 12]))
        #expect(encrypted[nonce + 119..<nonce + 121] == Data([0x04, 16]))
        for (part, range) in parts {
            for index in range {
                var changed = encrypted
                changed[index] ^= 0x02
                #expect(throws: StudyError.self, "byte \(index - range.lowerBound) of \(part)") {
                    try CMSMessage(.data(changed)).plain()
                }
            }
        }
    }

    @Test("a tag of 12 bytes, which RFC 5084 has as its default, is read and verified", arguments: [12, 15])
    func shortTags(length: Int) throws {
        let encrypted = try CMSEncryption(for: [TestKeys.first.certificate]).message(Data.noise(100))
        let ber = BER.indefinite(encrypted, segment: 4096)
        let tag = encrypted.suffix(16)
        let parameter = try #require(ber.range(of: Data([0x02, 0x01, 0x10]), options: .backwards))
        let element = try #require(ber.range(of: Data([0x04, 0x10]) + tag, options: .backwards))
        var short = ber
        short.replaceSubrange(
            element.lowerBound..<element.lowerBound + 18,
            with: [0x04, UInt8(length)] + tag.prefix(length)
        )
        #expect(throws: StudyError.wrongKeyOrDamaged) { try CMSMessage(.data(short)).plain() }
        short[parameter.upperBound - 1] = UInt8(length)
        #expect(try CMSMessage(.data(short)).plain() == Data.noise(100))
        for index in element.lowerBound + 2..<element.lowerBound + 2 + length {
            var changed = short
            changed[index] ^= 0x80
            #expect(throws: StudyError.wrongKeyOrDamaged) { try CMSMessage(.data(changed)).plain() }
        }
    }

    @Test("every cut is an error", arguments: [CMSCipher.aes128CBC, .aes256GCM])
    func cuts(cipher: CMSCipher) throws {
        let encrypted = try CMSEncryption(for: [TestKeys.first.certificate], cipher: cipher).message(
            Data.noise(50)
        )
        for count in encrypted.indices {
            #expect(throws: StudyError.self) { try CMSMessage(.data(encrypted.prefix(count))).plain() }
        }
    }

    @Test(
        "indefinite lengths and segments are read, as openssl -stream writes them",
        arguments: [CMSCipher.aes128CBC, .aes256GCM]
    )
    func indefinite(cipher: CMSCipher) throws {
        let data = Data.noise(10_000)
        let encryption = try CMSEncryption(
            for: [TestKeys.first.certificate],
            cipher: cipher,
            keyTransport: .pkcs1
        )
        let ber = BER.indefinite(try encryption.message(data), segment: 4096)
        #expect(ber.prefix(2) == Data([0x30, 0x80]))
        #expect(try CMSMessage(.data(ber)).plain() == data)
        for count in stride(from: 0, to: ber.count, by: 97) {
            #expect(throws: StudyError.self) { try CMSMessage(.data(ber.prefix(count))).plain() }
        }
    }

    @Test("what is no encrypted message says what it is instead")
    func others() {
        func error(_ bytes: [UInt8]) -> String {
            do {
                _ = try CMSMessage(.data(Data(bytes)))
                return "none"
            } catch { return "\(error)" }
        }
        #expect(error([0x30]).contains("at byte 1"))
        #expect(error([0x30, 0x03, 0x02, 0x01, 0x00]).contains("an object identifier is expected"))
        #expect(error([0x30, 0x85, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]).contains("are left"))
        #expect(error([0x30, 0x89] + [UInt8](repeating: 0xFF, count: 9)).contains("63 bits"))
        let signed: [UInt8] = [
            0x30, 0x0F, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0, 0x02, 0x30,
            0x00,
        ]
        #expect(error(signed).contains("SignedData"))
        #expect(
            error([UInt8](repeating: 0x30, count: 1000).flatMap { [$0, 0x80] }).contains(
                "not a valid CMS message"
            )
        )
    }

    /// Definite lengths made indefinite, and the content cut into segments.
    enum BER {
        static func indefinite(_ der: Data, segment: Int) -> Data {
            element([UInt8](der)[...], depth: 0, segment: segment).0
        }

        private static func element(_ bytes: ArraySlice<UInt8>, depth: Int, segment: Int) -> (
            Data, rest: ArraySlice<UInt8>
        ) {
            let identifier = bytes[bytes.startIndex]
            var index = bytes.startIndex + 1
            var length = Int(bytes[index])
            index += 1
            if length >= 0x80 {
                let digits = length & 0x7F
                length = bytes[index..<index + digits].reduce(0) { $0 << 8 | Int($1) }
                index += digits
            }
            let content = bytes[index..<index + length]
            let rest = bytes[(index + length)...]
            if identifier == 0x80 {
                var result = Data([0xA0, 0x80])
                var remaining = content
                while !remaining.isEmpty {
                    result.append(DERBytes.octets(Data(remaining.prefix(segment))))
                    remaining = remaining.dropFirst(segment)
                }
                return (result + [0, 0], rest)
            }
            // The outer elements alone: what identifies a recipient stays as it is.
            guard identifier == 0x30 || identifier == 0xA0, depth < 4 else {
                return (Data(bytes[..<rest.startIndex]), rest)
            }
            var result = Data([identifier, 0x80])
            var remaining = content
            while !remaining.isEmpty {
                let (child, next) = element(remaining, depth: depth + 1, segment: segment)
                result.append(child)
                remaining = next
            }
            return (result + [0, 0], rest)
        }
    }
}

import Crypto
import CryptoExtras
import Foundation

/// Encrypts or decrypts a message of any length by the library's AES-CBC, in pieces: each is a call of the
/// library, whose initial vector is the last block of ciphertext before it.
struct CBCCipher {
    static let blockLength = 16

    private let key: SymmetricKey
    /// The block of ciphertext before the next one.
    private var chain: AES._CBC.IV
    /// What is not a whole block yet, or may be the last one.
    private var rest = Data()

    init(key: SymmetricKey, iv: AES._CBC.IV) {
        self.key = key
        chain = iv
    }

    /// How many bytes so many become: PKCS#7 pads whole blocks, too.
    static func encryptedLength(of length: Int) -> Int { length - length % blockLength + blockLength }

    mutating func encrypt(_ piece: Data) throws -> Data {
        let blocks = wholeBlocks(of: piece, keeping: 0)
        guard !blocks.isEmpty else { return Data() }
        let output = try AES._CBC.encrypt(blocks, using: key, iv: chain, noPadding: true)
        chain = try AES._CBC.IV(ivBytes: output.suffix(Self.blockLength))
        return output
    }

    /// The last block, padded.
    func finishEncrypting() throws -> Data { try AES._CBC.encrypt(rest, using: key, iv: chain) }

    /// Keeps the last block back, which has the padding.
    mutating func decrypt(_ piece: Data) throws -> Data {
        let blocks = wholeBlocks(of: piece, keeping: 1)
        guard !blocks.isEmpty else { return Data() }
        let output = try AES._CBC.decrypt(blocks, using: key, iv: chain, noPadding: true)
        chain = try AES._CBC.IV(ivBytes: blocks.suffix(Self.blockLength))
        return output
    }

    /// What is in the last block, without the padding.
    ///
    /// - Throws: ``StudyError/wrongKeyOrDamaged``.
    func finishDecrypting() throws(StudyError) -> Data {
        guard rest.count == Self.blockLength else { throw .wrongKeyOrDamaged }
        do {
            return try AES._CBC.decrypt(rest, using: key, iv: chain)
        } catch {
            throw .wrongKeyOrDamaged
        }
    }

    /// Takes the blocks that are whole with a piece, and at least `kept` bytes before the end.
    private mutating func wholeBlocks(of piece: Data, keeping kept: Int) -> Data {
        let input = rest.isEmpty ? piece : rest + piece
        let available = max(0, input.count - kept)
        let blocks = input.prefix(available - available % Self.blockLength)
        rest = Data(input.dropFirst(blocks.count))
        return blocks
    }
}

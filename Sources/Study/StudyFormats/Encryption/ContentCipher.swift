import Crypto
import CryptoExtras
import Foundation

/// Encrypts or decrypts a message of any length, piece by piece, in one direction.
protocol ContentCipher {
    mutating func encrypt(_ piece: Data) throws -> Data
    mutating func decrypt(_ piece: Data) throws -> Data
    /// The last bytes, and what authenticates the message; nothing of a cipher that does not authenticate.
    mutating func finish(isEncrypting: Bool) throws -> (rest: Data, tag: Data)
}

extension CMSCipher {
    func content(key: SymmetricKey, iv: Data) throws -> any ContentCipher {
        if isAuthenticated { try GCMCipher(key: key, nonce: iv) } else { try CBCCipher(key: key, iv: iv) }
    }

    /// How many bytes so many become, the tag left out.
    func encryptedLength(of length: Int) -> Int {
        isAuthenticated ? length : length - length % CBCCipher.blockLength + CBCCipher.blockLength
    }
}

/// AES in CBC mode with PKCS#7 padding.
struct CBCCipher: ContentCipher {
    static let blockLength = 16

    private let key: SymmetricKey
    /// The block before the next one.
    private var chain: AES._CBC.IV
    private var rest = Data()

    init(key: SymmetricKey, iv: Data) throws {
        self.key = key
        chain = try AES._CBC.IV(ivBytes: iv)
    }

    mutating func encrypt(_ piece: Data) throws -> Data {
        let input = rest.isEmpty ? piece : rest + piece
        let whole = input.count - input.count % Self.blockLength
        rest = Data(input.suffix(input.count - whole))
        guard whole > 0 else { return Data() }
        let output = try AES._CBC.encrypt(input.prefix(whole), using: key, iv: chain, noPadding: true)
        chain = try AES._CBC.IV(ivBytes: output.suffix(Self.blockLength))
        return output
    }

    /// The last block.
    mutating func finish(isEncrypting: Bool) throws -> (rest: Data, tag: Data) {
        (try isEncrypting ? AES._CBC.encrypt(rest, using: key, iv: chain) : finishDecrypting(), Data())
    }

    /// Keeps the last block back, which has the padding.
    mutating func decrypt(_ piece: Data) throws -> Data {
        let input = rest.isEmpty ? piece : rest + piece
        let whole = max(0, (input.count - 1) / Self.blockLength * Self.blockLength)
        rest = Data(input.suffix(input.count - whole))
        return whole == 0 ? Data() : try blocks(input.prefix(whole))
    }

    /// What is left, without its padding.
    private mutating func finishDecrypting() throws -> Data {
        guard rest.count == Self.blockLength else { throw StudyError.wrongKeyOrDamaged }
        let block = try blocks(rest)
        let count = block.last ?? 0
        // All bytes are looked at, whichever is wrong.
        var difference: UInt8 = (1...UInt8(Self.blockLength)).contains(count) ? 0 : 1
        for (index, byte) in block.reversed().enumerated() where index < Int(count) {
            difference |= byte ^ count
        }
        guard difference == 0 else { throw StudyError.wrongKeyOrDamaged }
        return block.dropLast(Int(count))
    }

    private mutating func blocks(_ input: Data) throws -> Data {
        let output = try AES._CBC.decrypt(input, using: key, iv: chain, noPadding: true)
        chain = try AES._CBC.IV(ivBytes: input.suffix(Self.blockLength))
        return output
    }
}

/// AES in Galois counter mode (NIST SP 800-38D), with a nonce of 12 bytes and nothing else authenticated.
///
/// The system's AES-GCM wants the whole message at once. Here its counter mode encrypts, and its
/// authentication code of each piece gives the hash of that piece; the hashes of pieces are put together as
/// the polynomials that they are. So the speed is the system's.
struct GCMCipher: ContentCipher {
    static let nonceLength = 12
    static let tagLength = 16
    /// The counter has 32 bits for blocks.
    static let maximumMessageLength = (1 << 32 - 2) * 16
    /// What is put into one piece of the hash: a multiple of the block.
    private static let pieceLength = 1 << 17

    private let key: SymmetricKey
    private let nonce: Data
    private let hashKey: FieldElement
    /// What the code of a piece is hidden with.
    private let codeMask: FieldElement
    private let pieceFactor: FieldElement
    /// The hash of what came so far, times the hash key.
    private var hash = FieldElement()
    private var length = 0
    private var rest = Data()

    init(key: SymmetricKey, nonce: Data) throws {
        self.key = key
        self.nonce = nonce
        hashKey = try Self.block(key, Data(count: 16))
        codeMask = try Self.block(key, Data(count: 15) + [1])
        pieceFactor = hashKey.power(Self.pieceLength / 16)
    }

    mutating func encrypt(_ piece: Data) throws -> Data {
        try counted(piece) { cipher, input in
            let output = try cipher.stream(input)
            try cipher.add(output)
            return output
        }
    }

    mutating func decrypt(_ piece: Data) throws -> Data {
        try counted(piece) { cipher, input in
            try cipher.add(input)
            return try cipher.stream(input)
        }
    }

    /// Encrypts or decrypts what is left.
    mutating func finish(isEncrypting: Bool) throws -> (rest: Data, tag: Data) {
        let input = rest
        rest = Data()
        if !isEncrypting { try add(input) }
        let output = try stream(input)
        if isEncrypting { try add(output) }
        length += input.count
        let lengths = FieldElement(high: 0, low: UInt64(length) * 8)
        let mask = try Self.block(key, nonce + [0, 0, 0, 1])
        return (output, (hash + lengths * hashKey + mask).bytes)
    }

    /// Passes on whole pieces. The rest is kept and extended in place: pieces may be small.
    private mutating func counted(_ piece: Data, _ body: (inout GCMCipher, Data) throws -> Data) throws
        -> Data
    {
        guard piece.count <= Self.maximumMessageLength - length - rest.count else {
            throw StudyError.tooLarge(what: "a message of AES-GCM", limit: Self.maximumMessageLength)
        }
        var piece = piece
        var output = Data()
        if !rest.isEmpty {
            let count = min(Self.pieceLength - rest.count, piece.count)
            rest.append(piece.prefix(count))
            piece = piece.dropFirst(count)
            guard rest.count == Self.pieceLength else { return output }
            let whole = rest
            rest = Data()
            output.append(try body(&self, whole))
            length += Self.pieceLength
        }
        while piece.count >= Self.pieceLength {
            let part = try body(&self, piece.prefix(Self.pieceLength))
            if output.isEmpty { output = part } else { output.append(part) }
            length += Self.pieceLength
            piece = piece.dropFirst(Self.pieceLength)
        }
        rest.append(piece)
        return output
    }

    /// Counter mode, from the block after the nonce's own.
    private func stream(_ input: Data) throws -> Data {
        guard !input.isEmpty else { return Data() }
        let counter = UInt32(2 + length / 16)
        return try AES._CTR.encrypt(
            input,
            using: key,
            nonce: AES._CTR.Nonce(nonceBytes: nonce + withUnsafeBytes(of: counter.bigEndian) { Data($0) })
        )
    }

    /// Takes ciphertext into the hash: of at most ``pieceLength`` bytes, and of less only at the end.
    private mutating func add(_ input: Data) throws {
        guard !input.isEmpty else { return }
        // The code of nothing with `input` as associated data: (hash of the input · H + length) · H + mask.
        // Its nonce is the same each time, and no code leaves this function.
        let box = try AES.GCM.seal(
            Data(),
            using: key,
            nonce: AES.GCM.Nonce(data: Data(count: 12)),
            authenticating: input
        )
        let lengths = FieldElement(high: UInt64(input.count) * 8, low: 0)
        let pieceHash = FieldElement(box.tag) + codeMask + lengths * hashKey
        hash =
            hash * (input.count == Self.pieceLength ? pieceFactor : hashKey.power((input.count + 15) / 16))
            + pieceHash
    }

    private static func block(_ key: SymmetricKey, _ block: Data) throws -> FieldElement {
        var bytes = [UInt8](block)
        try AES.permute(&bytes, key: key)
        return FieldElement(Data(bytes))
    }

    /// An element of the field of 2^128 elements in which GCM's hash is computed; bit 0 is the highest one of
    /// `high`.
    private struct FieldElement {
        var high: UInt64 = 0
        var low: UInt64 = 0

        init(high: UInt64 = 0, low: UInt64 = 0) {
            self.high = high
            self.low = low
        }

        init(_ bytes: Data) {
            high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
        }

        var bytes: Data {
            [high, low].reduce(into: Data()) { bytes, half in
                withUnsafeBytes(of: half.bigEndian) { bytes.append(contentsOf: $0) }
            }
        }

        static func + (a: FieldElement, b: FieldElement) -> FieldElement {
            FieldElement(high: a.high ^ b.high, low: a.low ^ b.low)
        }

        static func * (a: FieldElement, b: FieldElement) -> FieldElement {
            var product = FieldElement()
            var shifted = b
            // Neither the number of rounds nor what is done in one depends on the values.
            for bit in 0..<128 {
                let half = bit < 64 ? a.high : a.low
                let mask = 0 &- (half >> UInt64(63 - bit & 63) & 1)
                product.high ^= shifted.high & mask
                product.low ^= shifted.low & mask
                let carry = 0 &- (shifted.low & 1)
                shifted.low = shifted.low >> 1 | shifted.high << 63
                shifted.high = shifted.high >> 1 ^ carry & 0xE100_0000_0000_0000
            }
            return product
        }

        func power(_ exponent: Int) -> FieldElement {
            // One is the polynomial 1: bit 0.
            var result = FieldElement(high: 1 << 63, low: 0)
            var base = self
            var exponent = exponent
            while exponent > 0 {
                if exponent & 1 == 1 { result = result * base }
                base = base * base
                exponent >>= 1
            }
            return result
        }
    }
}

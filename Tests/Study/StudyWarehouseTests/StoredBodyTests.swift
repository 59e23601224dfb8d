import Foundation
import Testing

@testable import StudyWarehouse

@Suite struct StoredBodyTests {
    private static let bytes = Data((0..<600).map { UInt8(truncatingIfNeeded: $0 * $0 + $0 / 7) })
    private static let base64 = bytes.base64EncodedString()

    @Test(
        "what is kept comes back byte for byte",
        arguments: [
            #"{"key_id": "k", "symmetric_key": "\#(base64)", "message": "\#(base64)", "version": "4.0.1"}"#,
            #"{"message":"\#(base64)"}"#, " {\n \"message\" : \"\(base64)\"\n}\n",
            // Text that other bytes stand for, too, or that has escapes.
            #"{"message": "\#(base64.dropLast())=", "b": "\#(base64.replacing("/", with: "\\/"))"}"#,
            #"{"message": "\#(base64.prefix(100))\n\#(base64.dropFirst(100))"}"#,
            #"{"message": "\#(String(repeating: "A", count: 61))B=="}"#,
            #"{"message": "\#(base64.prefix(64))QQ==QUJD", "b": "\#(base64.prefix(64))QUI="}"#,
            #"{"a": "\#(base64)", "a": "\#(base64)"}"#,
            #"{"a": ["\#(base64)"], "é": "\#(base64)"}"#, #"{"message": "\#(base64)"#, "", "{}",
            "PK\u{3}\u{4}",
            "\0b64", "\0b64\u{1}\0\0\0\u{9}x", "\0\u{2}", "\0\u{2}\0\u{1}\0x",
            #"{"long": "\#(String(repeating: "no base64 ", count: 1000))", "message": "\#(base64)"}"#,
        ]
    )
    func whole(text: String) {
        let content = Data(text.utf8)
        #expect(StoredBody.content(StoredBody.packed(content)) == content)
        // Also from the middle of other bytes.
        let part = (Data("before".utf8) + content).dropFirst(6)
        #expect(StoredBody.content(StoredBody.packed(part)) == content)
    }

    @Test("an envelope is packed to three quarters of its size")
    func envelope() {
        let text = #"{"key_id": "", "symmetric_key": "\#(Self.base64)", "message": "\#(Self.base64)"}"#
        let content = Data(text.utf8)
        #expect(StoredBody.packed(content).count < content.count * 4 / 5)
    }

    @Test("what surrounds the bytes of an envelope takes few bytes")
    func around() {
        let text =
            #"{"key_id":"key-7","symmetric_key":"\#(Self.base64)","message":"\#(Self.base64)","version":"4.0.1"}"#
        #expect(StoredBody.packed(Data(text.utf8)).count < 2 * Self.bytes.count + 40)
    }

    @Test("what an earlier version packed comes back")
    func earlierVersion() {
        let packed = Data("\0b64\0\0\0\0\u{3}{a:\u{1}\0\0\0\u{3}xyz\0\0\0\0\u{1}}".utf8)
        #expect(StoredBody.content(packed) == Data("{a:eHl6}".utf8))
        for count in [5, 8, 10, packed.count - 1] {
            #expect(StoredBody.content(packed.prefix(count)) == packed.prefix(count))
        }
    }

    @Test("what is damaged is given as it is")
    func damaged() {
        let packed = StoredBody.packed(Data(#"{"message": "\#(Self.base64)"}"#.utf8))
        for count in [5, 8, 20, packed.count - 1] {
            #expect(StoredBody.content(packed.prefix(count)) == packed.prefix(count))
        }
        for bytes: [UInt8] in [
            [7], [0], [0, 9, 0], [0, 9, 1, 0], [1, 0], [1, 9, 0, 1, 0, 7], [0, 0xFF, 0xFF],
        ] {
            #expect(StoredBody.content(Data([0, 2] + bytes)) == Data([0, 2] + bytes))
        }
        #expect(StoredBody.content(Data([0, 0x62, 0x36, 0x34, 7, 0, 0, 0, 0])).count == 9)
    }
}

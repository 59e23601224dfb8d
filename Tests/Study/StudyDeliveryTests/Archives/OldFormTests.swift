import CBZip2
import Foundation
import HTTPCalls
import Testing

@testable import StudyDelivery
@testable import StudyFormats

@Suite("Packages in ResearchKit's older forms")
struct OldFormTests {
    static let header = #"""
        {"study":"org.example.sleep","timestamp":"2015-03-09T14:07:55-08:00","files":[{"filename":"a.txt",\#
        "contentType":"text/plain","timestamp":"2015-03-09T14:07:55-08:00"},{"filename":"b.csv"}]}
        """#

    private static func number(_ value: Int) -> Data {
        withUnsafeBytes(of: UInt32(value).bigEndian) { Data($0) }
    }

    static func packed(_ header: String, _ files: [String]) -> Data {
        let start = number(1) + number(header.utf8.count) + Data(header.utf8)
        return files.reduce(start) { $0 + number($1.utf8.count) + Data($1.utf8) }
    }

    static func mime(_ parts: [(head: String, body: String)], boundary: String = "b-1", end: String = "\r\n")
        -> Data
    {
        var text =
            """
            MIME-Version: 1.0\(end)Content-Type: multipart/mixed;\(end) \
            boundary=\"\(boundary)\"\(end)\(end)preamble
            """
        for (head, body) in parts { text += "\(end)--\(boundary)\(end)\(head)\(end)\(end)\(body)" }
        return Data((text + "\(end)--\(boundary)--\(end)epilogue").utf8)
    }

    /// Packs by bzip2, as the system's library does.
    static func bzip2(_ data: Data) -> Data {
        var input = [CChar](data.map { CChar(bitPattern: $0) })
        var output = [CChar](repeating: 0, count: data.count + data.count / 100 + 600)
        var length = UInt32(output.count)
        let code = BZ2_bzBuffToBuffCompress(&output, &length, &input, UInt32(input.count), 9, 0, 30)
        precondition(code == BZ_OK)
        return Data(output.prefix(Int(length)).map { UInt8(bitPattern: $0) })
    }

    private func open(_ data: Data, limits: ArchiveLimits = ArchiveLimits()) throws -> [String: String] {
        let scratch = try Scratch()
        let contents = try StudyPackage(contentsOf: scratch.file("p", Self.bzip2(data)), limits: limits)
            .open()
        #expect(contents.info.study == "org.example.sleep")
        var files: [String: String] = [:]
        for file in contents.files {
            var data = Data()
            try file.read { data.append($0) }
            files[file.info.name] = String(decoding: data, as: UTF8.self)
        }
        return files
    }

    @Test("the packed form with several files, and with one")
    func packedForm() throws {
        #expect(
            try open(Self.packed(Self.header, ["first", "x,y\n1,2\n"])) == [
                "a.txt": "first", "b.csv": "x,y\n1,2\n",
            ]
        )
        let single =
            #"{"study":"org.example.sleep","contentType":"text/plain","timestamp":"2015-03-09T14:07:55Z"}"#
        #expect(try open(Self.packed(single, ["only"])) == ["data": "only"])
    }

    @Test("a packed file that Python's bz2 wrote")
    func foreign() throws {
        let scratch = try Scratch()
        let base64 =
            "QlpoOTFBWSZTWSqttkEAAABbgGBSUAf/8AQKP6ffajAAtkMADRoaMIyaDRpoDBiRJiehNNBoAADTZQbVTU9J5QDRoegIZpAD"
            + "HcZOeiBmizthFRRRWDYtd9+PtLjWIIfngSCCQnqdE0MaxWVmHrZ3nWs5FBYMJEVRJSngMN6Jk8kzCTRK8uLyJtUIO+dFKUtI"
            + "4Yu/K5MSeqmNHPFVJvliBMeDQiu7F4RQCrAkIiDrD6FzZJ5rbGNFIhoOkMUHkNPawwochzl1Eb4yqH8XckU4UJAqrbZB"
        let contents = try StudyPackage(
            contentsOf: scratch.file("p", try #require(Data(base64Encoded: base64)))
        ).open()
        #expect(contents.files.map(\.info.name) == ["a.txt", "b.csv"])
        #expect(contents.files.first?.info.timestamp?.seconds == 1_425_938_875)
    }

    @Test("lengths beyond the end, bytes behind it, and more files than allowed are refused")
    func packedRefused() throws {
        let good = Self.packed(Self.header, ["first", "second"])
        #expect(throws: StudyError.self) { try open(good + [0]) }
        for count in stride(from: 8, to: good.count, by: 7) {
            #expect(throws: StudyError.self) { try open(good.prefix(count)) }
        }
        var limits = ArchiveLimits()
        limits.files = 1
        #expect(throws: StudyError.self) { try open(good, limits: limits) }
        limits = ArchiveLimits()
        limits.bzip2Size = 100
        #expect(throws: StudyError.tooLarge(what: "a package unpacks to more than 100 bytes", limit: 100)) {
            try open(good, limits: limits)
        }
    }

    @Test("the MIME form, with either line end, as it is and in base64", arguments: ["\r\n", "\n"])
    func mimeForm(end: String) throws {
        let base64 = Data(String(repeating: "a longer file\n", count: 1000).utf8).base64EncodedString(
            options: .lineLength76Characters
        )
        let data = Self.mime(
            [
                ("Content-Type: application/json; name=\"info.json\"", Self.header),
                (
                    """
                    Content-Type: text/plain\(end)Content-Disposition: attachment;\(end)\tfilename="a.txt"
                    """,
                    "first\(end)--b-12\(end)second"
                ),
                (
                    "Content-Disposition: form-data; filename=b.csv\(end)Content-Transfer-Encoding: BASE64",
                    base64
                ),
            ],
            end: end
        )
        let files = try open(data)
        #expect(files["a.txt"] == "first\(end)--b-12\(end)second")
        #expect(files["b.csv"] == String(repeating: "a longer file\n", count: 1000))
    }

    @Test("MIME without an end, name, boundary or info.json, or a head without end, fails")
    func mimeRefused() throws {
        let info = ("Content-Disposition: x; filename=info.json", Self.header)
        #expect(try open(Self.mime([info])).isEmpty)
        #expect(throws: StudyError.self) { try open(Self.mime([info]).dropLast(20)) }
        #expect(throws: StudyError.self) {
            try open(Self.mime([info, ("Content-Type: text/plain", "nameless")]))
        }
        #expect(throws: StudyError.self) { try open(Self.mime([info, info])) }
        #expect(throws: StudyError.self) {
            try open(Self.mime([("Content-Disposition: x; filename=a.txt", "a")]))
        }
        #expect(throws: StudyError.self) {
            try open(Self.mime([info, ("Content-Disposition: x; filename=../a", "a")]))
        }
        #expect(throws: StudyError.self) {
            try open(
                Self.mime([
                    info,
                    (
                        "X: y\r\n" + String(repeating: " more\r\n", count: 10_000)
                            + "Content-Disposition: x; filename=a", ""
                    ),
                ])
            )
        }
        #expect(throws: StudyError.self) {
            try open(
                Self.mime([
                    info, ("Content-Disposition: x; filename=a\r\nContent-Transfer-Encoding: base64", "a%%%"),
                ])
            )
        }
        #expect(throws: StudyError.self) { try open(Data("Content-Type: text/plain\n\nhello".utf8)) }
    }

    @Test("damaged and cut bzip2 files are refused, and several streams are one file")
    func bzip2() throws {
        let scratch = try Scratch()
        let good = Self.bzip2(Self.packed(Self.header, ["first", "second"]))
        for count in 4..<good.count {
            let file = try scratch.file("p", good.prefix(count))
            #expect(throws: StudyError.self) { try StudyPackage(contentsOf: file).open() }
        }
        var changed = good
        changed[good.count / 2] ^= 1
        let file = try scratch.file("p", changed)
        #expect(throws: StudyError.self) { try StudyPackage(contentsOf: file).open() }
        let data = Data.noise(500_000)
        let unpacked = try BZip2.unpack(.data(Self.bzip2(data) + Self.bzip2(data)), limit: 2 << 20)
        #expect(try unpacked.source.data() == data + data)
    }
}

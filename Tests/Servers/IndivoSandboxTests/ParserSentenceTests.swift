import Foundation
import IndivoSandbox
import Testing

@Suite("What is said of documents that are not well-formed")
struct ParserSentenceTests {
    @Test(
        "the sentences are those of libxml2",
        arguments: [
            ("", "Document is empty, line 1, column 1 (line 1)"),
            ("\u{FEFF}", "Document is empty, line 1, column 1 (line 1)"),
            (" \r\n \n  ", "Start tag expected, '<' not found, line 3, column 3 (line 3)"),
            ("<bad", "Couldn't find end of Start Tag bad line 1, line 1, column 5 (line 1)"),
            ("<a>", "EndTag: '</' not found, line 1, column 4 (line 1)"),
            ("<a>\n<b>\n", "EndTag: '</' not found, line 3, column 1 (line 3)"),
            ("<a><b></a>", "Opening and ending tag mismatch: b line 1 and a, line 1, column 11 (line 1)"),
            ("<a>&foo;</a>", "Entity 'foo' not defined, line 1, column 9 (line 1)"),
            ("<a>\n  &foo; x</a>", "Entity 'foo' not defined, line 2, column 8 (line 2)"),
            (
                "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><a>&x;</a>",
                "Entity 'x' not defined, line 1, column 63 (line 1)"
            ),
            (
                "<?xml version=\"1.0\" encoding=\"FOO-9\"?><a/>",
                "Unsupported encoding FOO-9, line 1, column 37 (line 1)"
            ),
            (
                String(repeating: "<a>", count: 257) + String(repeating: "</a>", count: 257),
                "Excessive depth in document: 256 use XML_PARSE_HUGE option, line 1, column 771 (line 1)"
            ),
        ]
    )
    func sentences(document: String, sentence: String) async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let answer = try await app.post("/records/\(record)/documents/", xml: document)
            #expect(answer.status == 400)
            let start = "the document submitted is malformed:Input document didn't parse as XML, error was: "
            #expect(answer.text == start + sentence)
        }
    }

    @Test("elements may lie 256 deep")
    func depth() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let document = String(repeating: "<a>", count: 256) + String(repeating: "</a>", count: 256)
            #expect(try await app.post("/records/\(record)/documents/", xml: document).status == 200)
        }
    }
}

import FHIR
import Foundation
import OrderedJSON
import Surveys
import Testing
import WebServing

@testable import SurveyPages

struct FormReadingTests {
    @Test(
        "numbers are read as people write them, and ambiguous separators are refused",
        arguments: [
            ("12", "12"), ("1,5", "1.5"), ("0,125", "0.125"), ("1,000", nil), ("1.000", "1.000"), ("+3", "3"),
            ("007", "7"),
            (".5", "0.5"),
            ("-,5", "-0.5"), ("\u{2212}2", "-2"), ("1e3", "1e3"), ("a", nil), ("", nil), ("--1", nil),
            ("1.2.3", nil),
            ("1,2,3", nil),
        ] as [(String, String?)]
    )
    func numbers(text: String, digits: String?) {
        #expect(PresentedItem.number(text)?.number == digits)
    }

    @Test("a body in parts is read by bytes, and a malformed one is refused")
    func multipart() {
        let body =
            """
            --b\r\nContent-Disposition: form-data; name=\"a;b\"\r\n\r\n1\r\n2\r\n--b\r\ncontent-disposition: \
            form-data; name=f; filename=\"x;y.txt\"\r\nContent-Type: text/plain\r\n\r\n\r\n--b--
            """
        let form = MultipartForm(
            Data(body.utf8),
            contentType: "multipart/form-data; boundary=\"b\"",
            limit: 10
        )
        #expect(form?.parts.map(\.name) == ["a;b", "f"])
        #expect(
            form?.parts[0].content == Data("1\r\n2".utf8) && form?.parts[1].fileName == "x;y.txt"
                && form?.parts[1].content.isEmpty == true
        )
        #expect(
            MultipartForm(Data(body.utf8), contentType: "multipart/form-data; boundary=b", limit: 1) == nil
        )
        // A part without a head has no name.
        #expect(
            MultipartForm(
                Data("--b\r\n\r\n1\r\n--b--".utf8),
                contentType: "multipart/form-data; boundary=b",
                limit: 10
            ) == nil
        )
        // Something may stand before the first delimiter.
        let later = MultipartForm(
            Data("a preamble\r\n\(body)".utf8),
            contentType: "multipart/form-data; boundary=b",
            limit: 10
        )
        #expect(later?.parts.map(\.name) == ["a;b", "f"])
        for cut in 0..<(body.utf8.count - 2) {
            #expect(
                MultipartForm(
                    Data(body.utf8.prefix(cut)),
                    contentType: "multipart/form-data; boundary=b",
                    limit: 10
                ) == nil
            )
        }
    }

    @Test("keys of items are the same for the same linkId, and different for different ones")
    func keys() {
        let items = ["a b", "a~20b", "a%20b", "ä", "~", "a.b:c"].map { SurveyItemKeys.key($0) }
        #expect(Set(items).count == items.count)
        #expect(
            items.allSatisfy { $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x25 && $0 != 0x22 } }
        )
    }
}

/// The key of an item outside of any group.
enum SurveyItemKeys {
    static func key(_ linkId: String) -> String {
        let text = linkId.replacing("\"", with: "\\\"")
        guard
            let questionnaire = try? Questionnaire(
                tree: .init(
                    parsing: Data(
                        #"""
                        {"resourceType": "Questionnaire", "status": "draft", "item": [{"linkId": \#
                        "\#(text)", "type": "string"}]}
                        """#
                        .utf8
                    )
                )
            )
        else { return "" }
        let session = SurveySession(Survey(questionnaire))
        return ItemWalk(session: session, isShown: true).items(session.roots).first?.id ?? ""
    }
}

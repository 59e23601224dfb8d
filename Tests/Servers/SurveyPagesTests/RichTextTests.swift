import Testing
import WebServing

@testable import SurveyPages

/// Texts with markup of strangers.
struct RichTextTests {
    @Test(
        "of XHTML what is on the list is kept",
        arguments: [
            ("bold <b class='x'>A</b> &amp; <i>it</i>", "bold <b>A</b> &amp; <i>it</i>"),
            ("<script>alert(1)</script>A", "A"),
            ("<SCRIPT >a<b></SCRIPT\n>B", "B"),
            ("<b onclick=\"x()\">A", "<b>A</b>"),
            ("<a href=\"javascript:x()\">A</a>", "A"),
            (
                "<a href='https://e.org/?a=1&amp;b=2' onfocus=x>A</a>",
                "<a href=\"https://e.org/?a=1&amp;b=2\" target=\"_blank\" rel=\"noopener noreferrer\">A</a>"
            ),
            ("<img src=x onerror=alert(1) alt=\"a &quot;<i>\">", "a &quot;&lt;i&gt;"),
            ("<button>A</button><!-- <b> -->B", "AB"),
            ("1 < 2 <", "1 &lt; 2 &lt;"),
            ("</b></p>A", "A"),
            ("<b><i>A</b>B</i>", "<b><i>A</i></b>B"),
            ("&lt;script&gt;", "&lt;script&gt;"),
            ("&amp;lt;", "&amp;lt;"),
            ("<svg><a href='https://e.org'>x</a></svg>A", "A"),
            ("<b title='>'>A</b>", "<b>A</b>"),
            ("<style>p{}", nil), ("<img src='x'/>", nil), ("  ", nil),
        ]
    )
    func lines(xhtml: String, expected: String?) {
        #expect(AllowedXHTML.markup(xhtml, isBlock: false)?.description == expected)
    }

    @Test("paragraphs and lists stay in texts of several lines, and become line ends in one")
    func blocks() {
        let xhtml = "<div><p>A<p>B</p><ul><li>C<li>D</ul></div>"
        #expect(
            AllowedXHTML.markup(xhtml, isBlock: true)?.description
                == "<p>A</p><p>B</p><ul><li>C</li><li>D</li></ul>"
        )
        #expect(AllowedXHTML.markup("<p>A</p><p>B</p>", isBlock: false)?.description == "A<br>B<br>")
    }

    @Test("deep and long XHTML ends")
    func hostile() {
        let deep =
            AllowedXHTML.markup(String(repeating: "<b>", count: 20_000) + "A", isBlock: false)?.description
            ?? ""
        #expect(deep.utf8.count < 500)
        #expect(AllowedXHTML.markup(String(repeating: "<!--", count: 20_000) + ">", isBlock: false) == nil)
        #expect(AllowedXHTML.markup(String(repeating: "a", count: 100_001), isBlock: false) == nil)
    }

    @Test("a page shows texts with their markup and styles, in classes of the style sheet")
    func page() async throws {
        let pages = try TestPages(
            """
            {"resourceType": "Questionnaire", "status": "draft", "item": [{"linkId": "q", "type": "string", \
            "text": "Plain",
             "_text": {"extension": [
               {"url": "http://hl7.org/fhir/StructureDefinition/rendering-xhtml", "valueString": \
            "<b>Rich</b><script>x</script>"},
               {"url": "http://hl7.org/fhir/StructureDefinition/rendering-style", "valueString": "color: \
            Red; font-weight:bold; position:fixed"}]}}]}
            """
        )
        let text = await pages.begin().page
        #expect(text.contains("<span class=\"rich-red rich-bold\"><b>Rich</b></span>"))
        #expect(!text.contains("position:fixed") && !text.contains("<script>x"))
    }

    @Test("in German, problems with answers are in German")
    func german() async throws {
        let pages = try TestPages(
            """
            {"resourceType": "Questionnaire", "status": "draft", "language": "de", "item": [
             {"linkId": "q", "type": "string", "required": true, "text": "Name"}]}
            """
        )
        var form = await pages.begin()
        let answer = await form.press("send")
        #expect(answer.status == 422)
        #expect(answer.text.contains("Bitte beantworten Sie diese Frage."))
    }
}

import Testing

@Suite("indivo format")
struct FormatCommandTests {
    private let text =
        "<?xml version=\"1.0\"?><!-- head --><a y='2' x='1'><b>one</b>  <c> </c><d>mixed <e/></d></a>"

    @Test("an element stands on each line, and what holds text stays as it is")
    func pretty() throws {
        try Tool.use { tool in
            let result = try tool.run("format", input: text)
            #expect(result.status == 0)
            #expect(
                result.output.hasSuffix(
                    """
                    <!-- head -->\n<a y="2" x="1">\n  <b>one</b>\n  <c> </c>\n  <d>mixed <e/></d>\n</a>\n
                    """
                )
            )
            #expect(try tool.run("format", "-", input: result.output).output == result.output)
        }
    }

    @Test("--compact takes out the white space between elements, and only that")
    func compact() throws {
        try Tool.use { tool in
            let pretty = try tool.run("format", input: text).output
            let result = try tool.run("format", "--compact", input: pretty)
            #expect(result.output.hasSuffix("<a y=\"2\" x=\"1\"><b>one</b><c> </c><d>mixed <e/></d></a>\n"))
            let kept = "<a xml:space=\"preserve\"> <b/> </a>"
            #expect(try tool.run("format", "--compact", input: kept).output.hasSuffix(kept + "\n"))
        }
    }

    @Test("--canonical is the same for equivalent documents, with comments only on request")
    func canonical() throws {
        try Tool.use { tool in
            try tool.write("<a  x='1'   y='2'><b></b></a>", to: "one.xml")
            try tool.write("<?xml version='1.0'?><!--c--><a y=\"2\" x=\"1\"><b/></a>", to: "two.xml")
            let one = try tool.run("format", "--canonical", "one.xml")
            #expect(one.output == "<a x=\"1\" y=\"2\"><b></b></a>")
            #expect(try tool.run("format", "--canonical", "two.xml").output == one.output)
            #expect(
                try tool.run("format", "--canonical", "--comments", "two.xml").output == "<!--c-->\n"
                    + one.output
            )
        }
    }

    @Test("what is not well-formed ends in 2 with its place, and prints nothing")
    func broken() throws {
        try Tool.use { tool in
            try tool.write("<a>\n  <b>\n</a>", to: "broken.xml")
            let result = try tool.run("format", "broken.xml")
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("broken.xml:3:"))
            #expect(try tool.run("format", "missing.xml").status == 2)
            #expect(try tool.run("format", "--canonical", "--compact", input: "<a/>").status == 2)
        }
    }
}

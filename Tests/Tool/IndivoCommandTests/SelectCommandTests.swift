import Foundation
import Testing

@Suite("indivo select")
struct SelectCommandTests {
    private let namespace = "d=http://indivo.org/vocab/xml/documents#"

    @Test("matches are printed as XML, each on a line")
    func xml() throws {
        try Tool.use { tool in
            let result = try tool.run("select", "a > b", input: "<a><b x='1'>one</b><c><b>no</b></c><b/></a>")
            #expect(result.status == 0)
            #expect(result.output == "<b x=\"1\">one</b>\n<b/>\n")
            #expect(result.errors.isEmpty)
        }
    }

    @Test("--text prints text, --attr the attribute of the matches that have it")
    func textAndAttribute() throws {
        try Tool.use { tool in
            try tool.write(medications, to: "meds.xml")
            let titles = try tool.run("select", "Field[name=drugName_title]", "meds.xml", "--text")
            #expect(titles.output == "Aspirin 500 MG\nIbuprofen 200 MG\n")
            let names = try tool.run("select", "Models > Model, Models", "meds.xml", "--attr", "name")
            #expect(names.output == "Medication\nFill\nMedication\n")
            #expect(names.status == 0)
            #expect(try tool.run("select", "Models", "meds.xml", "--attr", "name").status == 1)
        }
    }

    @Test("--count prints the number alone of one file, and behind each name of several")
    func count() throws {
        try Tool.use { tool in
            try tool.write(medications, to: "meds.xml")
            try tool.write("<Model/>", to: "one.xml")
            #expect(try tool.run("select", "Model", "meds.xml", "--count").output == "3\n")
            #expect(try tool.run("select", "Model", "--count", input: "<a><Model/></a>").output == "1\n")
            let several = try tool.run("select", "--count", "Model", "meds.xml", "one.xml")
            #expect(several.output == "meds.xml:3\none.xml:1\n")
            let none = try tool.run("select", "Nothing", "meds.xml", "--count")
            #expect(none.output == "0\n")
            #expect(none.status == 1)
        }
    }

    @Test("--json is an array of name, attributes, text and xml")
    func jsonObjects() throws {
        try Tool.use { tool in
            let text = "<p:a xmlns:p='urn:p'><p:item id='1' p:k='ü'>x &amp; \"y\"</p:item></p:a>"
            let result = try tool.run("select", "--json", "item", input: text)
            let objects = try json(result.output)
            #expect(objects.count == 1)
            let object = try #require(objects.first)
            #expect(Set(object.keys) == ["name", "attributes", "text", "xml"])
            #expect(object["name"] as? String == "p:item")
            #expect(object["attributes"] as? [String: String] == ["id": "1", "p:k": "ü"])
            #expect(object["text"] as? String == "x & \"y\"")
            #expect((object["xml"] as? String)?.contains("x &amp; ") == true)
            let none = try tool.run("select", "--json", "nothing", input: "<a/>")
            #expect(none.output == "[]\n")
            #expect(none.status == 1)
        }
    }

    @Test("prefixes are declared with --namespace, and =URI is that of names without one")
    func namespaces() throws {
        try Tool.use { tool in
            try tool.write(medications, to: "meds.xml")
            #expect(
                try tool.run("select", "--namespace", namespace, "d|Model", "meds.xml", "--count").output
                    == "3\n"
            )
            #expect(try tool.run("select", "--namespace", "=urn:other", "Model", "meds.xml").status == 1)
            let undeclared = try tool.run("select", "d|Model", "meds.xml")
            #expect(undeclared.status == 2)
            #expect(undeclared.errors.contains("--namespace"))
            #expect(try tool.run("select", "--namespace", "d", "Model", "meds.xml").status == 2)
        }
    }

    @Test("--xpath gives nodes, attributes, texts, numbers and booleans")
    func xpath() throws {
        try Tool.use { tool in
            try tool.write(medications, to: "meds.xml")
            func xpath(_ expression: String) throws -> Tool.Result {
                try tool.run("select", "--xpath", expression, "meds.xml", "--namespace", namespace)
            }
            #expect(try xpath("count(//d:Model)").output == "3\n")
            #expect(try xpath("//d:Model/@name").output == "Medication\nFill\nMedication\n")
            #expect(try xpath("string(//d:Field)").output == "Aspirin 500 MG\n")
            #expect(
                try xpath("//d:Model[@name='Fill']/d:Field[1]").output.contains(
                    ">2012-03-02T10:00:00Z</Field>"
                )
            )
            #expect(try xpath("//nothing").status == 1)
            let no = try xpath("1 = 2")
            #expect(no.output == "false\n")
            #expect(no.status == 1)
            let wrong = try xpath("//d:Model[")
            #expect(wrong.status == 2)
            #expect(wrong.output.isEmpty)
            #expect(try tool.run("select", "--xpath", "//x:y", "meds.xml").errors.contains("--namespace"))
        }
    }

    @Test("with several files matches follow file names, and an unreadable one stops none")
    func severalFiles() throws {
        try Tool.use { tool in
            try tool.write("<a><b>1</b></a>", to: "x.xml")
            try tool.write("<a><b>2</a>", to: "broken.xml")
            try tool.write("<a><b>3</b></a>", to: "z.xml")
            let result = try tool.run("select", "b", "--text", "x.xml", "broken.xml", "missing.xml", "z.xml")
            #expect(result.status == 2)
            #expect(result.output == "x.xml:1\nz.xml:3\n")
            #expect(result.errors.contains("broken.xml:1:"))
            #expect(result.errors.contains("missing.xml"))
            let objects = try json(tool.run("select", "b", "--json", "x.xml", "z.xml").output)
            #expect(objects.compactMap { $0["file"] as? String } == ["x.xml", "z.xml"])
        }
    }

    @Test(
        "what is wrong with the arguments ends in 2 and names where help is",
        arguments: [
            ["select"], ["select", "a >> b"], ["select", "a", "--text", "--count"],
            ["select", "a", "--bogus"],
        ]
    )
    func wrongArguments(_ arguments: [String]) throws {
        try Tool.use { tool in
            let result = try tool.run(arguments)
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("indivo select --help"))
        }
    }
}

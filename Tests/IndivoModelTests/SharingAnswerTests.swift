import IndivoModel
import IndivoSchemas
import IndivoXML
import Testing

@Suite("Answers about sharing and tokens")
struct SharingAnswerTests {
    private func read<Answer: ServerAnswer>(_ type: Answer.Type, _ text: String) throws -> Answer {
        let source = try XMLNode(parsing: text)
        let answer = try Answer.read(from: source, root: Answer.elementName)
        #expect(try answer.xml(updating: source).canonical() == source.canonical())
        #expect(try Answer.read(from: answer.xml()) == answer)
        #expect(try IndivoSchemas.problems(of: answer.xml()) == [])
        return answer
    }

    @Test("shares with people and with apps")
    func shares() throws {
        let shares = try read(
            Shares.self, """
                <Shares record="r"><Share id="1" account="tom@example.org"/><Share id="2" pha="list@apps.example.org"/>\
                </Shares>
                """)
        #expect(shares.recordID == "r")
        #expect(shares.shares.map(\.account) == ["tom@example.org", nil])
        #expect(shares.shares.map(\.appID) == [nil, "list@apps.example.org"])
    }

    @Test("the types of documents that are shared by themselves, with their carenets")
    func documentSchemas() throws {
        let type = "http://indivo.org/vocab/xml/documents#Equipment"
        let schemas = try read(
            DocumentSchemas.self, """
                <DocumentSchemas><DocumentSchema type="\(type)"><Carenet id="c" name="Family" mode="explicit"/>\
                </DocumentSchema></DocumentSchemas>
                """)
        #expect(schemas.types.map(\.type) == [type])
        #expect(schemas.types.first?.carenets.map(\.name) == ["Family"])
    }

    @Test("a request token with its app, booleans with a capital")
    func requestToken() throws {
        let token = try read(
            RequestTokenInformation.self, """
                <RequestToken token="t"><record id="r"/><carenet/><kind>same</kind><App id="a@b"><name>A</name>\
                <description>B</description><autonomous>True</autonomous><autonomousReason>C</autonomousReason>\
                <frameable>False</frameable><ui>True</ui></App><Permissions/></RequestToken>
                """)
        #expect(token.token == "t" && token.kind == .same)
        #expect(token.record?.id == "r" && token.carenet?.id == nil)
        #expect(token.app?.isAutonomous?.isTrue == true && token.app?.isFrameable == false && token.app?.hasUI == true)
        #expect(token.app?.autonomousReason == "C")
        #expect(throws: LexicalError.self) { try CapitalizedBool(lexical: "Yes") }
    }

    @Test("permissions, and accounts that were found")
    func others() throws {
        let permissions = try read(
            Permissions.self, "<Permissions><DocumentType type=\"*\" write=\"true\"/></Permissions>")
        #expect(permissions.types.first?.type == "*" && permissions.types.first?.mayWrite == true)
        let accounts = try read(AccountList.self, "<Accounts><Account id=\"a@b\"/><Account id=\"c@d\"/></Accounts>")
        #expect(accounts.accounts.map(\.id) == ["a@b", "c@d"])
    }

    @Test("no description of connect credentials tells a token or a secret")
    func secrets() throws {
        let credentials = try read(
            ConnectCredentials.self, """
                <ConnectCredentials><App id="a@b"/><ConnectToken>hidden1</ConnectToken>\
                <ConnectSecret>hidden2</ConnectSecret><APIBase>http://127.0.0.1:8000</APIBase>\
                <RESTToken>hidden3</RESTToken><RESTSecret>hidden4</RESTSecret><OAuthHeader>hidden5</OAuthHeader>\
                <ExpiresAt>2026-11-21T04:23:27.807575Z</ExpiresAt></ConnectCredentials>
                """)
        #expect(credentials.restSecret == "hidden4" && credentials.oauthHeader == "hidden5")
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(text.contains("a@b") && !text.contains("hidden"))
        }
    }
}

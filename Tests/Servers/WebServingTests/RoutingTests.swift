import Foundation
import Testing
import WebServing

@Suite("Routes and what stands before them")
struct RoutingTests {
    private static let table = RouteTable<String>([
        .get("/", "home"), .get("/patients/{id}", "patient"), .delete("/patients/{id}", "delete"),
        .get("/patients/new", "new"), .post("/{type}/{id}/$validate", "validate"),
    ])

    private func found(_ method: String, _ path: String) -> String {
        switch Self.table.match(method, path.split(separator: "/").map(String.init)) {
        case .found(let name, let captures):
            ([name] + captures.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(
                separator: " "
            )
        case .otherMethod(let allowed, _): "allow \(allowed)"
        case .nothing: "nothing"
        }
    }

    @Test(
        "a path has its endpoint by method, literals before captures, and HEAD is GET",
        arguments: [
            ("GET", "/", "home"), ("HEAD", "/", "home"), ("GET", "/patients/7", "patient id=7"),
            ("HEAD", "/patients/7/", "patient id=7"), ("DELETE", "/patients/7", "delete id=7"),
            ("GET", "/patients/new", "new"), ("PUT", "/patients/7", "allow GET, HEAD, DELETE"),
            ("DELETE", "/patients/new", "allow GET, HEAD"),
            ("POST", "/patients/new/$validate", "validate id=new type=patients"),
            ("GET", "/patients", "nothing"), ("GET", "/patients/7/x", "nothing"),
            ("get", "/", "allow GET, HEAD"),
        ]
    )
    func match(method: String, path: String, expected: String) { #expect(found(method, path) == expected) }

    @Test("steps are passed from the first to the last, and one that refuses is the last")
    func steps() async {
        let steps = [
            Middleware.host(nil, refusal: Response(status: 403)),
            .checking { $0.rawPath == "/closed" ? Response(status: 401) : nil },
            Middleware { request, next in await next(request).adding("X-Step", "3") },
        ]
        let handler = Middleware.handler(steps) { _ in Response(status: 200) }
        func status(_ target: String, host: String) async -> Int {
            await handler(Request(method: "GET", target: target, headers: ["host": host])).status
        }
        #expect(await status("/", host: "127.0.0.1:80") == 200)
        #expect(await status("/closed", host: "localhost") == 401)
        #expect(await status("/closed", host: "evil.example") == 403)
        let response = await handler(Request(method: "GET", target: "/", headers: ["host": "localhost"]))
        #expect(response.header("X-Step") == "3")
    }

    @Test("names, passwords and tokens are read as RFC 7617 and 6750 write them")
    func credentials() {
        let basic = Data("ada:pass:word".utf8).base64EncodedString()
        #expect(HTTPCredentials("Basic \(basic)") == .basic(name: "ada", password: "pass:word"))
        #expect(HTTPCredentials("basic \(basic)") == .basic(name: "ada", password: "pass:word"))
        #expect(HTTPCredentials("BEARER abc.def") == .bearer("abc.def"))
        let noColon = Data("ada".utf8).base64EncodedString()
        let noText = Data([0xFF, 0x3A]).base64EncodedString()
        for header in [
            "", "Basic", "Basic ?", "Basic \(noColon)", "Basic \(noText)", "Digest \(basic)", "Bearer a b",
            "Bearer \(String(repeating: "a", count: 9_000))",
        ] {
            #expect(HTTPCredentials(header) == nil, "\(header.prefix(40))")
        }
    }

    @Test(
        "a request names this machine by address or localhost, with any port and no more",
        arguments: [
            ("localhost", true), ("localhost:8080", true), ("127.0.0.1:80", true), ("[::1]", true),
            ("[::1]:8080", true), ("[::1].example.org", false), ("[::1]example.org:1", false),
            ("example.org", false), ("127.0.0.1.example.org", false), ("", false),
        ] as [(String, Bool)]
    )
    func names(host: String, isOwn: Bool) {
        let request = Request(method: "GET", target: "/", headers: ["host": host])
        #expect(request.namesThisMachine == isOwn)
        #expect(request.isFromThisMachineByName == isOwn)
    }
}

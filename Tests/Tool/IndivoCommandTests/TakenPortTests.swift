import Indivo
import Testing

@Suite("A port that is in use")
struct TakenPortTests {
    @Test(
        "each server says so in the same words, and ends with 2",
        arguments: [["sandbox", "--ui-port", "0"], ["fhir", "serve"], ["study", "serve"]]
    )
    func inUse(_ command: [String]) throws {
        let taken = try LoopbackListener.onFreePort()
        let session = try taken.listen()
        defer { session.close() }
        try Tool.use { tool in
            let result = try tool.run(command + ["--port", "\(taken.port)"])
            #expect(result.status == 2)
            #expect(
                result.errors.contains(
                    "error: port \(taken.port) on 127.0.0.1 is in use; choose another port"
                )
            )
            #expect(!result.errors.contains("SocketError"))
        }
    }
}

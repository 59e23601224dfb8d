#if SMART
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON

extension SMARTServer {
    /// The server's SMART configuration, read anew.
    ///
    /// A server of version 1 has only the addresses of its CapabilityStatement.
    /// - Throws: ``SMARTError``
    public func configuration() async throws(SMARTError) -> SMARTConfiguration {
        do throws(SMARTError) {
            let json = try await json(
                at: base.appending(path: ".well-known/smart-configuration"),
                .discovery,
                maximumBytes: 256 << 10
            )
            return try checked { () throws(FHIRAuthorizationError) in try SMARTConfiguration(wellKnown: json)
            }
        } catch  where error.status.map({ [404, 405, 410].contains($0) }) == true {
            // Statements of large servers have megabytes.
            let metadata = try await json(
                at: base.appending(path: "metadata"),
                .discovery,
                maximumBytes: 16 << 20
            )
            let found = try checked { () throws(FHIRAuthorizationError) in
                try SMARTConfiguration(capabilityStatement: metadata)
            }
            guard let found else { throw failure(.notSMART, .discovery) }
            return found
        }
    }

    private func checked<Value>(_ body: () throws(FHIRAuthorizationError) -> Value) throws(SMARTError)
        -> Value
    {
        do { return try body() } catch { throw failure(.malformedResponse(error.description), .discovery) }
    }

    /// Reads JSON without credentials.
    func json(at url: URL, _ step: SMARTError.Step, maximumBytes: Int) async throws(SMARTError) -> JSONValue {
        let address: ServerAddress
        do { address = try ServerAddress(url, plainHTTPHosts: options.plainHTTPHosts) } catch {
            throw failure(.badArgument("\(error)"), step)
        }
        let request = HTTPRequest(
            method: .get,
            scheme: address.scheme,
            authority: address.authority,
            path: url.requestTarget,
            headerFields: [.accept: "application/json, application/fhir+json;q=0.9"]
        )
        let body = try await engine.call { (now) async throws(SMARTError) -> Data in
            do {
                let answer = try await engine.transfer(.data(nil), until: now.end, { request })
                return try content(of: answer, step, server: address.authority)
            } catch {
                throw SMARTError(thrown: error, step, server: address.authority)
            }
        } after: { error, _ in
            error.isTransient ? .retry : .fail
        }
        guard body.count <= maximumBytes else { throw failure(.responseTooLarge, step) }
        guard let json = try? JSONValue(parsing: body), json.kind == .object else {
            throw SMARTError(
                .malformedResponse("the response is not a JSON object; check the address"),
                step,
                server: address.authority
            )
        }
        return json
    }

    private func content(of answer: HTTPAnswer, _ step: SMARTError.Step, server: String) throws(SMARTError)
        -> Data
    {
        let status = answer.status
        guard status != 200 else { return answer.body }
        var error = SMARTError(answer.isBusy ? .busy : .unexpectedStatus(status), step, server: server)
        error.status = status
        error.retryAfter = answer.retryAfter(now: options.timing.now())
        throw error
    }

    func failure(_ reason: SMARTError.Reason, _ step: SMARTError.Step) -> SMARTError {
        SMARTError(reason, step, server: authority)
    }
}
#endif

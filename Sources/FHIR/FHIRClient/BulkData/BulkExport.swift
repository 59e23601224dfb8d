import FHIR
import Foundation
import HTTPCalls
import HTTPTypes
import OrderedJSON

extension FHIRClient {
    /// Begins an export (`$export`): the server takes the data together, and says where their files are.
    ///
    /// ```swift
    /// let export = try await client.export(BulkExportRequest(of: .patients))
    /// let manifest = try await export.manifest { progress in print(progress ?? "working") }
    /// for file in manifest.output {
    ///     for try await resource in export.resources(in: file, of: manifest) { print(resource.id ?? "?") }
    /// }
    /// try await export.delete()
    /// ```
    /// - Throws: ``FHIRClientError``; it is not retried, since a second request would be a second export.
    public func export(_ request: BulkExportRequest = BulkExportRequest()) async throws -> BulkExport {
        let sent = try request.request
        let answer = try await sendRaw(sent) { $0 == 202 }
        guard let location = answer.response.headerFields[.contentLocation] else {
            throw FHIRClientError(.malformedResponse("it does not say where the export's status is"), sent)
        }
        guard let target = address.target(ofLink: location),
            let url = URL(string: "\(address.scheme)://\(address.authority)\(target)")
        else { throw FHIRClientError(.foreignLink, sent) }
        return BulkExport(client: self, statusURL: url)
    }

    /// An export that was begun earlier, by another process perhaps.
    /// - Parameter statusURL: ``BulkExport/statusURL`` of then.
    public func export(at statusURL: URL) -> BulkExport { BulkExport(client: self, statusURL: statusURL) }
}

/// An export on a server: its status, its files, and its end.
///
/// It outlives the process: ``FHIRClient/export(at:)`` takes it up again.
public struct BulkExport: Sendable {
    /// Whose server it is on.
    public let client: FHIRClient
    /// Where the server says how far it is.
    public let statusURL: URL

    /// How far an export is.
    public enum Status: Sendable, Hashable {
        /// The server works on it; the text is for people.
        case inProgress(String?, retryAfter: Duration?)
        case complete(BulkManifest)
    }

    /// How far it is.
    /// - Throws: ``FHIRClientError``; `notFound` for one that was deleted.
    public func status() async throws -> Status {
        var request = try statusRequest(.get)
        request.fields[.accept] = "application/json"
        let answer = try await client.sendRaw(request) { $0 == 200 || $0 == 202 }
        guard answer.status == 200 else {
            // The server's words, for people; not more than a line of them.
            let progress = answer.response.headerFields[.progress].map { String($0.prefix(100)) }
            return .inProgress(progress, retryAfter: answer.retryAfter(now: client.options.timing.now()))
        }
        let json = try? JSONValue(parsing: answer.body, limits: client.options.limits)
        guard let manifest = json.flatMap(BulkManifest.init) else {
            throw FHIRClientError(.malformedResponse("it is no manifest of an export"), request)
        }
        return .complete(manifest)
    }

    /// Waits until it is complete, asking as often as the server wants (`Retry-After`), else after one second
    /// and then less and less often, at least each minute. Cancel the task to give up.
    /// - Parameter progress: Gets what the server says each time.
    /// - Throws: ``FHIRClientError``
    public func manifest(progress: (String?) -> Void = { _ in }) async throws -> BulkManifest {
        var pause = Duration.seconds(1)
        while true {
            var wanted: Duration?
            do {
                switch try await status() {
                case .complete(let manifest): return manifest
                case .inProgress(let text, let retryAfter):
                    progress(text)
                    wanted = retryAfter
                }
            } catch let error as FHIRClientError where error.reason == .busy {
                wanted = error.retryAfter
            }
            let wait = min(max(wanted ?? pause, .milliseconds(100)), .seconds(3600))
            do { try await client.options.timing.sleep(wait) } catch {
                throw FHIRClientError(.cancelled, try statusRequest(.get))
            }
            pause = min(pause * 2, .seconds(60))
        }
    }

    /// The resources of a file, one after the other, in constant memory.
    /// - Parameters:
    ///   - file: One of the manifest's.
    ///   - manifest: The manifest that it is of, which says whether the token is sent.
    ///   - problem: Gets what is wrong with a line, and the line's number; the others go on. Without it, such
    ///     a line ends the sequence with an error.
    public func resources(
        in file: BulkManifest.File,
        of manifest: BulkManifest,
        problem: (@Sendable (_ line: Int, _ what: String) -> Void)? = nil
    ) -> BulkResources {
        BulkResources(pieces: pieces(of: file, of: manifest), limits: client.options.limits, problem: problem)
    }

    /// The bytes of a file, in pieces of at most four megabytes.
    /// - Parameter offset: Where to begin, as after a part that was read earlier.
    public func pieces(of file: BulkManifest.File, of manifest: BulkManifest, from offset: Int = 0)
        -> BulkPieces
    {
        BulkPieces(client: client, file: file, needsToken: manifest.requiresAccessToken, offset: offset)
    }

    /// Ends it: the server stops, and deletes its files.
    /// - Throws: ``FHIRClientError``
    public func delete() async throws {
        _ = try await client.sendRaw(try statusRequest(.delete)) { (200..<300).contains($0) || $0 == 404 }
    }

    private func statusRequest(_ method: HTTPRequest.Method) throws(FHIRClientError) -> FHIRRequest {
        var request = FHIRRequest("$export-status", method, ["$export-status"], retry: .freely)
        guard let target = client.address.target(ofLink: statusURL.absoluteString) else {
            throw FHIRClientError(.foreignLink, request)
        }
        request.link = target
        return request
    }
}

extension HTTPField.Name {
    // A valid name of a field.
    static let progress = HTTPField.Name("X-Progress")!
}
